import { hash } from 'node:crypto'
import { CapabilityManifest, type CapabilityMetadata } from '@apprentice/contracts/capabilities/capability.ts'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import type { DraftFile } from '../../store/proposals/draft-files.ts'
import type { FilePlace, InstalledFileRow } from '../../store/install/installed-files.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { bindToRunner } from '../../knowledge/skill-format/runner-binding.ts'
import { buildInstalledDocuments } from '../proposals/content/installed-document.ts'
import { STAGED_FILES_FILE } from '../../knowledge/bundle-scan/draft-file-names.ts'

/** Everything that installing a draft writes. */
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
  /** The latest validation run of the draft. */
  readonly run_id: string | undefined
}

/** Builds the files for the daemon's folder and the agent's workspace. The same draft gives the same bytes. */
export function buildBundle(source: BundleSource): SkillBundle {
  const { proposal, ability_id } = source
  const slug = proposal.proposed_skill_slug
  const recipe = parseDraftRecipe(source)
  const manifest = buildManifest(source, recipe)
  const documents = buildInstalledDocuments(source.drafts, ability_id)
  if (documents === undefined) throw cannotMaterialize('the draft has no SKILL.md')
  const staged = listStagedFiles(source)
  const packs = formatJson({ support_pack_refs: proposal.support_pack_refs, schema_version: 1 })
  const tests = readRequiredDraft(source, 'trigger-tests.json')
  const files = [
    toInstalledFile('canonical', 'SKILL.md', documents.canonical),
    toInstalledFile('canonical', 'support-packs.json', packs),
    toInstalledFile('canonical', 'tests/trigger-tests.json', tests),
    ...(recipe === undefined
      ? []
      : [toInstalledFile('canonical', `artifacts/${slug}.recipe.json`, readRequiredDraft(source, 'recipe.json'))]),
    toInstalledFile('projected', 'SKILL.md', documents.projected),
    toInstalledFile('projected', `capabilities/${ability_id}.json`, formatJson(manifest)),
    toInstalledFile('projected', 'support-packs/support-packs.json', packs),
    toInstalledFile('projected', 'tests/trigger-tests.json', tests),
  ]
  return { manifest, metadata: buildMetadata(source), recipe, files: [...files, ...staged] }
}

/** The other files of an imported bundle. Their content is stored by its digest. */
function listStagedFiles(source: BundleSource): SkillBundle['files'] {
  const text = findDraft(source, STAGED_FILES_FILE)
  if (text === undefined) return []
  const { import_id, files } = JSON.parse(text) as {
    import_id: string
    files: readonly { path: string; sha256: string; executable?: true }[]
  }
  return (['canonical', 'projected'] as const).flatMap((place) =>
    files.map(({ path, sha256, executable }) => ({
      place,
      path,
      sha256,
      content: '',
      staged_ref: import_id,
      executable,
    })),
  )
}

function buildManifest({ proposal, ability_id, drafts }: BundleSource, recipe: Recipe | undefined): CapabilityManifest {
  const draft = drafts.find(({ name }) => name === 'manifest.json')
  const drafted = draft === undefined ? {} : (JSON.parse(draft.content) as Partial<CapabilityManifest>)
  const read = CapabilityManifest.safeParse({
    ...drafted,
    ...bindRecipe(drafted, recipe),
    capability_id: ability_id,
    origin_skill: proposal.proposed_skill_slug,
    health_probe: { ...drafted.health_probe, target: ability_id },
  })
  if (read.success) return read.data
  const field = read.error.issues[0]?.path.join('.') ?? ''
  throw cannotMaterialize(`manifest.json is invalid at ${field}`)
}

/** A manifest of an earlier draft or of a bundle may name the document as what runs a recipe. */
function bindRecipe(drafted: Partial<CapabilityManifest>, recipe: Recipe | undefined): Partial<CapabilityManifest> {
  const { binding_kind, target = '' } = drafted.runtime_binding ?? {}
  const isDocument = binding_kind === 'workflow_pattern' && target.endsWith('SKILL.md')
  if (recipe === undefined || !isDocument) return {}
  return bindToRunner(recipe, drafted.verification?.map((check) => check.target) ?? [])
}

function parseDraftRecipe({ drafts }: BundleSource): Recipe | undefined {
  const draft = drafts.find(({ name }) => name === 'recipe.json')
  if (draft === undefined) return undefined
  const read = Recipe.safeParse(JSON.parse(draft.content))
  if (read.success) return read.data
  throw cannotMaterialize(`recipe.json is invalid at ${read.error.issues[0]?.path.join('.') ?? ''}`)
}

function buildMetadata({ proposal, ability_id, summary, run_id }: BundleSource): CapabilityMetadata {
  return {
    capability_id: ability_id,
    summary: summary.slice(0, 1000),
    source_refs: [`proposal:${proposal.proposal_id}`, ...(run_id === undefined ? [] : [`validation_run:${run_id}`])],
    control_surface_notes: [],
    dependency_refs: proposal.support_pack_refs,
    page_knowledge_refs: [],
    ui_anchor_refs: [],
    bucket_refs: [],
    known_failure_modes: [],
    schema_version: 1,
  }
}

function readRequiredDraft(source: BundleSource, name: string): string {
  const content = findDraft(source, name)
  if (content === undefined) throw cannotMaterialize(`the draft has no ${name}`)
  return content
}

const findDraft = ({ drafts }: BundleSource, name: string): string | undefined =>
  drafts.find((draft) => draft.name === name)?.content

const cannotMaterialize = (reason: string): Failure =>
  new Failure('MATERIALIZATION_FAILED', `The skill cannot be written: ${reason}.`)

const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const toInstalledFile = (place: FilePlace, path: string, content: string) => ({
  place,
  path,
  content,
  sha256: hash('sha256', content, 'hex'),
})
