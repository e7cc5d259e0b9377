import { hash } from 'node:crypto'
import {
  CapabilityManifest,
  type CapabilityMetadata,
} from '@apprentice/contracts/capabilities/capability.ts'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import type { DraftFile } from '../../store/proposals/draft-files.ts'
import type { FilePlace, InstalledFileRow } from '../../store/install/installed-files.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { normalisedName, stagedFilesName } from '../../knowledge/bundle-scan/draft-names.ts'

/** What a draft becomes when it is installed. */
export interface SkillBundle {
  readonly manifest: CapabilityManifest
  readonly metadata: CapabilityMetadata
  readonly recipe?: Recipe | undefined
  readonly files: readonly Omit<InstalledFileRow, 'ability_id' | 'version'>[]
}

export interface BundleSource {
  readonly proposal: StoredProposal
  readonly ability_id: string
  readonly drafts: readonly DraftFile[]
  readonly summary: string
  /** The tests it was installed after. */
  readonly run_id: string | undefined
}

/** The files of a skill, for the daemon and for the agent's workspace. The same draft always gives the same bytes. */
export function bundleOf(source: BundleSource): SkillBundle {
  const { proposal, ability_id } = source
  const slug = proposal.proposed_skill_slug
  const manifest = manifestOf(source)
  const recipe = recipeOf(source)
  const document = required(source, 'SKILL.md')
  const shown = optional(source, normalisedName) ?? document
  const others = stagedFiles(source)
  const packs = json({ support_pack_refs: proposal.support_pack_refs, schema_version: 1 })
  const tests = required(source, 'trigger-tests.json')
  const files = [
    file('canonical', 'SKILL.md', document),
    file('canonical', 'support-packs.json', packs),
    file('canonical', 'tests/trigger-tests.json', tests),
    ...(recipe === undefined
      ? []
      : [file('canonical', `artifacts/${slug}.recipe.json`, required(source, 'recipe.json'))]),
    file('projected', 'SKILL.md', shown),
    file('projected', `capabilities/${ability_id}.json`, json(manifest)),
    file('projected', 'support-packs/support-packs.json', packs),
    file('projected', 'tests/trigger-tests.json', tests),
  ]
  return { manifest, metadata: metadataOf(source), recipe, files: [...files, ...others] }
}

/** What else an imported bundle brought; its content stays with the unpacked bundle. */
function stagedFiles(source: BundleSource): SkillBundle['files'] {
  const text = optional(source, stagedFilesName)
  if (text === undefined) return []
  const { import_id, files } = JSON.parse(text) as {
    import_id: string
    files: readonly { path: string; sha256: string }[]
  }
  return (['canonical', 'projected'] as const).flatMap((place) =>
    files.map(({ path, sha256 }) => ({ place, path, sha256, content: '', staged_ref: import_id })),
  )
}

function manifestOf({ proposal, ability_id, drafts }: BundleSource): CapabilityManifest {
  const draft = drafts.find(({ name }) => name === 'manifest.json')
  const drafted =
    draft === undefined ? {} : (JSON.parse(draft.content) as Partial<CapabilityManifest>)
  const read = CapabilityManifest.safeParse({
    ...drafted,
    capability_id: ability_id,
    origin_skill: proposal.proposed_skill_slug,
    health_probe: { ...drafted.health_probe, target: ability_id },
  })
  if (read.success) return read.data
  const field = read.error.issues[0]?.path.join('.') ?? ''
  throw unfit(`the manifest is not fit: ${field}`)
}

function recipeOf({ drafts }: BundleSource): Recipe | undefined {
  const draft = drafts.find(({ name }) => name === 'recipe.json')
  if (draft === undefined) return undefined
  const read = Recipe.safeParse(JSON.parse(draft.content))
  if (read.success) return read.data
  throw unfit(`the recipe is not fit: ${read.error.issues[0]?.path.join('.') ?? ''}`)
}

function metadataOf({ proposal, ability_id, summary, run_id }: BundleSource): CapabilityMetadata {
  return {
    capability_id: ability_id,
    summary: summary.slice(0, 1000),
    source_refs: [
      `proposal:${proposal.proposal_id}`,
      ...(run_id === undefined ? [] : [`validation_run:${run_id}`]),
    ],
    control_surface_notes: [],
    dependency_refs: proposal.support_pack_refs,
    page_knowledge_refs: [],
    ui_anchor_refs: [],
    bucket_refs: [],
    known_failure_modes: [],
    schema_version: 1,
  }
}

function required(source: BundleSource, name: string): string {
  const content = optional(source, name)
  if (content === undefined) throw unfit(`the draft has no ${name}`)
  return content
}

const optional = ({ drafts }: BundleSource, name: string): string | undefined =>
  drafts.find((one) => one.name === name)?.content

const unfit = (why: string): Failure =>
  new Failure('MATERIALIZATION_FAILED', `The skill cannot be written: ${why}.`)

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const file = (place: FilePlace, path: string, content: string) => ({
  place,
  path,
  content,
  sha256: hash('sha256', content, 'hex'),
})
