import { type CommandContext, systemActor, writePatientlyAs } from '../domain/command/context.ts'
import { BundleScan } from '../knowledge/bundle-scan/bundle-scan.ts'
import type { StagedBundle, StagedFile } from '../domain/skill-import/import-draft.ts'
import type { ArchiveEntry } from '../knowledge/bundle-scan/entry-names.ts'
import {
  findInState,
  failImportScan,
  finishImportScan,
  readScanDeps,
  recordImportProgress,
} from '../domain/skill-import/scans.ts'
import { failStage, finishStage } from '../domain/skill-import/staging.ts'
import type { ScanDeps } from '../knowledge/bundle-scan/scan-deps.ts'
import type { TidyPayload } from '../domain/skill-import/record/artifact-removal.ts'
import { readName } from '../knowledge/skill-format/frontmatter.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import type { Job } from '../store/command/jobs.ts'
import type { Store } from '../store/db/db.ts'
import { listStoredSkillFiles } from '../store/install/installed-files.ts'
import type { ImportRow } from '../store/skill-import/skill-imports.ts'
import type { JobHandler } from './handler.ts'
import type { BundlePort, BundleScanner, ListedSkill, OpenedBundle, SkillFolderPort } from './ports.ts'
import type { RunnerDeps } from './runner.ts'

const readImportId = ({ payload }: Job): string => (payload as { import_id: string }).import_id
/** The limit of a draft file. Larger files stay in the unpacked bundle. */
const MAX_TEXT_BYTES = 1 << 20
const PROGRESS_INTERVAL_MS = 500

interface ScanPorts {
  readonly scanBundle: BundleScanner
  readonly skillFolders: Pick<SkillFolderPort, 'list'>
}

/** Scans bundles. An interrupted scan is recorded as failed; the user retries it. */
export function importScans(
  deps: RunnerDeps,
  bundles: BundlePort,
  { scanBundle, skillFolders }: ScanPorts,
): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      const work = new ImportWork(deps, job, signal)
      const row = work.find('scanning')
      if (row === undefined) return { gone: true }
      const blocked_terms = readBlockedTerms(await bundles.blockedTerms())
      const names = deps.store.read((reader) => readScanDeps(reader, row))
      const agent_names = listForeignNames(await skillFolders.list('projected'), names.skill_names)
      const scanDeps = { ...names, blocked_terms, agent_names }
      const file = bundles.locate(row.temp_artifact_ref ?? '')
      const outcome = await scanBundle(
        { file, deps: scanDeps },
        { signal, onProgress: (progress) => work.noteProgress(progress) },
      )
      await work.write((ctx) => finishImportScan(ctx, row.import_id, outcome))
      return { compatible: outcome.report.compatible }
    },
    onSettled: (ctx, job) => {
      if (job.state !== 'succeeded') failImportScan(ctx, readImportId(job), readErrorCode(job))
    },
  }
}

/** The names of the skills that the daemon did not install: their folders and what their documents say. */
function listForeignNames(folders: readonly ListedSkill[], installed: ReadonlySet<string>): Set<string> {
  return new Set(
    folders
      .filter(({ folder }) => !installed.has(folder))
      .flatMap(({ folder, document }) => [folder, ...(document === undefined ? [] : listOwnName(document))]),
  )
}

const listOwnName = (document: string): string[] => {
  const name = readName(document)
  return name === undefined ? [] : [name]
}

/** Unpacks bundles, stores their files by digest, and drafts proposals from them. */
export function importStages<E extends ArchiveEntry>(deps: RunnerDeps, bundles: BundlePort<E>): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      const work = new ImportWork(deps, job, signal)
      const row = work.find('staging')
      if (row === undefined) return { gone: true }
      const bundle = await unpack(bundles, row, work)
      await work.write((ctx) => finishStage(ctx, row.import_id, bundle))
      return { file_count: bundle.file_count }
    },
    onSettled: (ctx, job) => {
      if (job.state !== 'succeeded') failStage(ctx, readImportId(job), readErrorCode(job))
    },
  }
}

async function unpack<E extends ArchiveEntry>(
  bundles: BundlePort<E>,
  row: ImportRow,
  work: ImportWork,
): Promise<StagedBundle> {
  const bundle = await bundles.open(row.temp_artifact_ref ?? '')
  try {
    return await keepFiles(bundles, bundle, { row, work })
  } finally {
    await bundle.close()
  }
}

async function keepFiles<E extends ArchiveEntry>(
  bundles: BundlePort<E>,
  bundle: OpenedBundle<E>,
  { row, work }: { row: ImportRow; work: ImportWork },
): Promise<StagedBundle> {
  // Chooses the same files as the scan; the findings are not needed again.
  const choice = new BundleScan(buildEmptyDeps(row))
  const entries = choice.chooseEntries(bundle.entries)
  const texts = new Map<string, string>()
  const files: StagedFile[] = []
  for (const [done, entry] of entries.entries()) {
    const path = choice.toSkillPath(entry.path)
    const buffer = new TextBuffer()
    const facts = await bundles.keepFile(buffer.collect(bundle.unpack(entry)))
    files.push({ path, ...facts, ...((entry.mode & OWNER_MAY_EXECUTE) !== 0 && { executable: true }) })
    if (buffer.text !== undefined && isDraftFile(path)) texts.set(path, buffer.text)
    await work.reportProgress({ done, of: entries.length, bytes: facts.bytes })
  }
  return { file_count: files.length, texts, files }
}

/** The mode bit that marks a script as executable. Other bits are dropped. */
const OWNER_MAY_EXECUTE = 0o100

const isDraftFile = (path: string): boolean =>
  /^(?:SKILL\.md|support-packs\.json|tests\/trigger-tests\.json|capabilities\/[^/]+\.json|artifacts\/[^/]+\.recipe\.json)$/.test(
    path,
  )

/** Passes the chunks of a file through and collects them up to `MAX_TEXT_BYTES`. */
class TextBuffer {
  #parts: Buffer[] | undefined = []
  #bytes = 0

  async *collect(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length
      if (this.#bytes > MAX_TEXT_BYTES) this.#parts = undefined
      this.#parts?.push(Buffer.from(chunk))
      yield chunk
    }
  }

  get text(): string | undefined {
    return this.#parts === undefined ? undefined : Buffer.concat(this.#parts).toString('utf8')
  }
}

/** Removes uploads and stored files that are no longer needed. */
export function importCleanup({ store }: RunnerDeps, bundles: BundlePort): JobHandler {
  return {
    resume: 'rerun',
    run: async ({ payload }) => {
      const { temp_artifact_ref, staged: importId } = payload as TidyPayload
      if (temp_artifact_ref !== undefined) await bundles.removeUpload(temp_artifact_ref)
      if (importId !== undefined) await sweepSkillFiles(store, bundles)
      return {}
    },
  }
}

/** Removes the stored files that neither an installed version nor an open import needs. */
export function sweepSkillFiles(store: Store, bundles: Pick<BundlePort, 'sweepFiles'>): Promise<void> {
  const needed = new Set(store.read(listStoredSkillFiles))
  return bundles.sweepFiles((sha256) => needed.has(sha256))
}

/** The database access of one import job. */
class ImportWork {
  readonly #deps: RunnerDeps
  readonly #job: Job
  readonly #signal: AbortSignal
  #owner = 'system'
  #lastProgressMs = Date.now()

  constructor(deps: RunnerDeps, job: Job, signal: AbortSignal) {
    this.#deps = deps
    this.#job = job
    this.#signal = signal
  }

  find(state: ImportRow['stage_state']): ImportRow | undefined {
    const row = this.#deps.store.read((reader) => findInState(reader, readImportId(this.#job), state) ?? null)
    this.#owner = row?.owner_user_id ?? this.#owner
    return row ?? undefined
  }

  /** Throws when the job is aborted. Records progress at most every `PROGRESS_INTERVAL_MS`. */
  async reportProgress(progress: { done: number; of: number; bytes: number }): Promise<void> {
    this.#signal.throwIfAborted()
    if (Date.now() - this.#lastProgressMs < PROGRESS_INTERVAL_MS) return
    this.#lastProgressMs = Date.now()
    await this.write((ctx) => recordImportProgress(ctx, readImportId(this.#job), progress))
  }

  /** Progress is only information: a scan does not fail because it could not be recorded. */
  noteProgress(progress: { done: number; of: number; bytes: number }): void {
    this.reportProgress(progress).catch(() => {})
  }

  async write(work: (ctx: CommandContext) => void): Promise<void> {
    const actor = systemActor(this.#owner)
    await writePatientlyAs(this.#deps, { actor, correlation_id: this.#job.correlation_id }, work)
  }
}

function readErrorCode({ state, result }: Job): string {
  if (state === 'interrupted') return 'INTERRUPTED'
  return (result as { error?: { code?: string } } | undefined)?.error?.code ?? 'INTERNAL_ERROR'
}

function buildEmptyDeps({ source, content_hash_sha256 = '' }: ImportRow): ScanDeps {
  const none: ReadonlySet<string> = new Set()
  return {
    source,
    content_hash_sha256,
    skill_names: none,
    native_names: none,
    agent_names: none,
    capability_ids: none,
    tool_names: none,
    namespaces: none,
    triggers: [],
    imported_before: false,
    packs: none,
    connectors: none,
    support_packs: none,
    blocked_terms: [],
  }
}
