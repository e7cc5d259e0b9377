import { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import { type DraftFile, upsertDraftFile } from '../../store/proposals/draft-files.ts'
import { insertProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { lintProposal } from '../proposals/lint-proposal.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { saveDependencies } from '../proposals/dependencies.ts'
import { recordProposalEvent } from '../proposals/events.ts'
import { FIRST_DRAFT, recordRevision } from '../proposals/content/revisions.ts'
import { writeTriggerTests } from '../proposals/draft/trigger-tests.ts'
import { bindToDocument } from '../../knowledge/skill-format/runner-binding.ts'
import { writeAgentDocument } from '../../knowledge/bundle-scan/agent-header.ts'
import { NORMALIZED_FILE, STAGED_FILES_FILE } from '../../knowledge/bundle-scan/draft-file-names.ts'
import { Findings } from '../../knowledge/bundle-scan/findings.ts'
import { moveImportSession } from './import-session.ts'
import { readManifests } from '../../knowledge/bundle-scan/manifests.ts'

/** A file of an unpacked bundle. The path is relative to the folder of the skill. */
export interface StagedFile {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  readonly executable?: true | undefined
}

export interface StagedBundle {
  readonly file_count: number
  /** The contents of the files the draft is built from, by path. */
  readonly texts: ReadonlyMap<string, string>
  readonly files: readonly StagedFile[]
}

/** Drafts a proposal from an unpacked bundle, ready for review. */
export function draftImportedProposal(ctx: CommandContext, row: ImportRow, bundle: StagedBundle): StoredProposal {
  const frontmatter = row.report?.frontmatter
  if (frontmatter === undefined) throw new Error(`The import ${row.import_id} has no frontmatter.`)
  const proposal_id = ctx.newId()
  const files = buildDraftFiles(row, frontmatter, bundle)
  for (const file of files) upsertDraftFile(ctx.tx, proposal_id, file)
  const session = moveImportSession(ctx, row, proposal_id)
  const proposal: StoredProposal = {
    ...buildBlankProposal(ctx, row, proposal_id),
    ...buildLookupFields(frontmatter, bundle),
    draft_hash: recordRevision(ctx, proposal_id, { files, revision: FIRST_DRAFT }),
    ...(session === undefined ? {} : { learn_session_id: session.learn_session_id }),
  }
  insertProposal(ctx.tx, proposal)
  saveDependencies(ctx, proposal, undefined)
  lintProposal(ctx, proposal)
  const { proposal_state } = proposal
  recordProposalEvent(ctx, proposal, 'learn.proposal.changed', { proposal_state })
  return proposal
}

function buildBlankProposal(ctx: CommandContext, { owner_user_id, import_id }: ImportRow, proposal_id: string) {
  const folder = `system/learning/proposals/${proposal_id}/draft`
  return {
    proposal_id,
    owner_user_id,
    // The source of an imported proposal is its import.
    source_trace_ids: [import_id],
    draft_skill_path: `${folder}/SKILL.md`,
    draft_manifest_path: `${folder}/manifest.json`,
    proposal_state: 'ready_for_review' as const,
    install_lane: 'pending' as const,
    created_at: ctx.now,
    updated_at: ctx.now,
    revision: 1,
    schema_version: 1 as const,
  }
}

const clipPhrases = (phrases: readonly string[]): string[] => [...new Set(phrases.map((phrase) => clip(phrase, 120)))]

function buildLookupFields(frontmatter: PortableFrontmatter, { texts }: StagedBundle) {
  return {
    title: frontmatter.title,
    proposed_skill_slug: frontmatter.name,
    trigger_phrases: clipPhrases(frontmatter.triggers),
    negative_triggers: clipPhrases(frontmatter.negative_triggers),
    support_pack_refs: parseSupportPacks(texts.get('support-packs.json')) ?? frontmatter.support_packs,
  }
}

function parseSupportPacks(text: string | undefined): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    const refs = isRecord(value) ? value['support_pack_refs'] : undefined
    return Array.isArray(refs) && refs.every((ref) => typeof ref === 'string') ? refs : undefined
  } catch {
    return undefined
  }
}

/** The recipe with the name of the skill; otherwise the first one. */
const findRecipePath = (name: string, paths: Iterable<string>): string | undefined => {
  const own = `artifacts/${name}.recipe.json`
  const recipes = [...paths].filter((path) => /^artifacts\/[^/]+\.recipe\.json$/.test(path)).toSorted()
  return recipes.includes(own) ? own : recipes[0]
}

function buildDraftFiles(
  row: ImportRow,
  frontmatter: PortableFrontmatter,
  { texts, files }: StagedBundle,
): DraftFile[] {
  const { name } = frontmatter
  const document = texts.get('SKILL.md') ?? ''
  const primary = findPrimaryManifest(texts, files, name)
  const recipePath = findRecipePath(name, texts.keys())
  const own = new Set(['SKILL.md', 'support-packs.json', 'tests/trigger-tests.json'])
  if (primary !== undefined) own.add(primary.path)
  if (recipePath !== undefined) own.add(recipePath)
  const others = files.filter(({ path }) => !own.has(path) && path !== 'imports/import-metadata.json')
  return [
    { name: 'SKILL.md', content: document },
    { name: NORMALIZED_FILE, content: normalizeDocument(document, row, frontmatter) },
    toJsonFile('manifest.json', primary?.manifest ?? generateManifest(frontmatter)),
    { name: 'trigger-tests.json', content: buildTriggerTests(frontmatter, texts) },
    ...(recipePath === undefined ? [] : [{ name: 'recipe.json', content: texts.get(recipePath) ?? '' }]),
    toJsonFile(STAGED_FILES_FILE, { import_id: row.import_id, files: others }),
    toJsonFile('review.json', buildReview(row)),
  ]
}

function findPrimaryManifest(texts: ReadonlyMap<string, string>, files: readonly StagedFile[], name: string) {
  const own = [...texts].filter(([path]) => /^capabilities\/[^/]+\.json$/.test(path))
  const context = { skill_name: name, files: new Set(files.map(({ path }) => path)) }
  const found = own
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, text]) => {
      const [manifest] = readManifests([{ path, text }], context, new Findings())
      return manifest === undefined ? [] : [{ path, manifest }]
    })
  return found.find(({ manifest }) => manifest.origin_skill === name) ?? found[0]
}

/** The manifest of a bundle without one: an agent follows SKILL.md. */
const generateManifest = ({ name, title, preferred_control_surfaces: surfaces }: PortableFrontmatter) =>
  CapabilityManifest.parse({
    capability_id: name,
    family: 'imported',
    title,
    origin_skill: name,
    kind: 'promoted_skill',
    aliases: [],
    action_verbs: [],
    surface_order: surfaces.length > 0 ? surfaces : ['native_openclaw_tool'],
    ...bindToDocument(name, [title]),
    required_runtime_caps: [],
    permissions: [],
    requires_supervision: true,
    dry_run_supported: false,
    routing_eligible: true,
    health_probe: { kind: 'noop', target: name, timeout_ms: 3000 },
    learning_policy: {
      teach_mode_allowed: true,
      auto_capture_trace: true,
      proposal_required_for_mutation: true,
    },
    schema_version: 1,
  })

function buildTriggerTests(
  { triggers, negative_triggers, title }: PortableFrontmatter,
  texts: ReadonlyMap<string, string>,
): string {
  const provided = texts.get('tests/trigger-tests.json')
  if (provided !== undefined) return provided
  const phrases = clipPhrases(triggers)
  // The author of a bundle chose the phrases; its title is no request.
  const tests = writeTriggerTests(phrases, clipPhrases(negative_triggers), { title: phrases[0] ?? title })
  return `${JSON.stringify(tests, null, 2)}\n`
}

/** The copy that agents read: the fields of this daemon, the other fields as they are, and the original body. */
function normalizeDocument(document: string, row: ImportRow, frontmatter: PortableFrontmatter): string {
  const { assigned_namespace } = row
  const namespace = assigned_namespace === undefined ? {} : { assigned_namespace }
  return writeAgentDocument(document, { ...frontmatter, ...namespace })
}

function buildReview({ report, original_filename, content_hash_sha256, source, skill_pack }: ImportRow) {
  return {
    summary: report?.frontmatter?.description ?? '',
    imported_from: { original_filename, content_hash_sha256, source, skill_pack },
    bundle_summary: report?.bundle_summary,
    findings: report?.findings ?? [],
    portability_grade: report?.portability_grade,
  }
}

const toJsonFile = (name: string, value: unknown): DraftFile => ({
  name,
  content: `${JSON.stringify(value, null, 2)}\n`,
})
