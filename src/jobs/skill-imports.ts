import type { CommandContext } from '../domain/command/context.ts'
import { BundleScan, type ScanOutcome } from '../knowledge/bundle-scan/bundle-scan.ts'
import type { StagedBundle, StagedFile } from '../domain/skill-import/draft-imported.ts'
import type { ArchiveEntry } from '../knowledge/bundle-scan/entry-names.ts'
import {
  findInState,
  scanBroke,
  scanned,
  surroundingsOf,
  tellProgress,
} from '../domain/skill-import/scans.ts'
import { stageBroke, staged } from '../domain/skill-import/staging.ts'
import type { ScanDeps } from '../knowledge/bundle-scan/scan-deps.ts'
import type { TidyWork } from '../domain/skill-import/record/throw-away.ts'
import { readBlockedTerms } from '../knowledge/recipes/check/literal-detectors.ts'
import type { Job } from '../store/command/jobs.ts'
import type { ImportRow } from '../store/skill-import/skill-imports.ts'
import type { BundlePort, UnpackFolder } from './bundle-port.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

const importIdOf = ({ payload }: Job): string => (payload as { import_id: string }).import_id
/** A file of a draft is never larger; what is larger stays with the unpacked bundle alone. */
const largestText = 1 << 20
const progressMs = 500

/** Looks bundles through. What breaks off is not gone on with: whoever wants it asks for it again. */
export function importScans<E extends ArchiveEntry>(
  edges: RunnerDeps,
  hands: BundlePort<E>,
): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      const work = new ImportWork(edges, job, signal)
      const row = work.find('scanning')
      if (row === undefined) return { gone: true }
      const blocked_terms = readBlockedTerms(await hands.blockedTerms())
      const around = edges.store.read((reader) => surroundingsOf(reader, row))
      const outcome = await scan(hands, row, { work, around: { ...around, blocked_terms } })
      await work.write((ctx) => scanned(ctx, row.import_id, outcome))
      return { compatible: outcome.report.compatible }
    },
    settled: (ctx, job) => {
      if (job.state !== 'succeeded') scanBroke(ctx, importIdOf(job), codeOf(job))
    },
  }
}

async function scan<E extends ArchiveEntry>(
  hands: BundlePort<E>,
  row: ImportRow,
  { work, around }: { work: ImportWork; around: ScanDeps },
): Promise<ScanOutcome> {
  const bundleScan = new BundleScan(around)
  try {
    await lookThrough(hands, row, { work, bundleScan })
  } catch (error) {
    if (!bundleScan.stop(error)) throw error
  }
  return bundleScan.finish()
}

async function lookThrough<E extends ArchiveEntry>(
  hands: BundlePort<E>,
  { temp_artifact_ref = '' }: ImportRow,
  { work, bundleScan }: { work: ImportWork; bundleScan: BundleScan },
): Promise<void> {
  const bundle = await hands.open(temp_artifact_ref)
  try {
    const files = bundleScan.choose(bundle.entries, bundle.hidden_bytes)
    let bytes = 0
    for (const [done, entry] of files.entries()) {
      const file = bundleScan.file(entry)
      for await (const piece of bundle.unpack(entry)) {
        file.piece(piece)
        bytes += piece.length
        await work.tell({ done, of: files.length, bytes })
      }
      bundleScan.taken(file.end())
    }
  } finally {
    await bundle.close()
  }
}

/** Unpacks bundles into a folder of their own and has a proposal made of them. */
export function importStages<E extends ArchiveEntry>(
  edges: RunnerDeps,
  hands: BundlePort<E>,
): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      const work = new ImportWork(edges, job, signal)
      const row = work.find('staging')
      if (row === undefined) return { gone: true }
      const bundle = await unpack(hands, row, work)
      await work.write((ctx) => staged(ctx, row.import_id, bundle))
      return { file_count: bundle.file_count }
    },
    settled: (ctx, job) => {
      if (job.state !== 'succeeded') stageBroke(ctx, importIdOf(job), codeOf(job))
    },
  }
}

async function unpack<E extends ArchiveEntry>(
  hands: BundlePort<E>,
  row: ImportRow,
  work: ImportWork,
): Promise<StagedBundle> {
  const bundle = await hands.open(row.temp_artifact_ref ?? '')
  const folder = await hands.stage(row.import_id)
  try {
    // The same choice as in the scan, whose findings are known.
    const choice = new BundleScan(nothingAround(row))
    const entries = choice.choose(bundle.entries)
    const texts = new Map<string, string>()
    const files: StagedFile[] = []
    for (const [done, entry] of entries.entries()) {
      const path = choice.pathOf(entry.path)
      const reader = new KeptText()
      const facts = await folder.write(path, reader.of(bundle.unpack(entry)))
      files.push({ path, ...facts })
      if (reader.text !== undefined && isOfDraft(path)) texts.set(path, reader.text)
      await work.tell({ done, of: entries.length, bytes: facts.bytes })
    }
    await writeMetadata(folder, row)
    await folder.finish()
    return { file_count: files.length, texts, files }
  } catch (error) {
    await folder.discard()
    throw error
  } finally {
    await bundle.close()
  }
}

const isOfDraft = (path: string): boolean =>
  /^(?:SKILL\.md|support-packs\.json|tests\/trigger-tests\.json|capabilities\/[^/]+\.json|artifacts\/[^/]+\.recipe\.json)$/.test(
    path,
  )

/** Lets the pieces of a file through and keeps them when they are few. */
class KeptText {
  #parts: Buffer[] | undefined = []
  #bytes = 0

  async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.#bytes += piece.length
      if (this.#bytes > largestText) this.#parts = undefined
      this.#parts?.push(Buffer.from(piece))
      yield piece
    }
  }

  get text(): string | undefined {
    return this.#parts === undefined ? undefined : Buffer.concat(this.#parts).toString('utf8')
  }
}

async function writeMetadata(folder: UnpackFolder, row: ImportRow): Promise<void> {
  const { import_id, source, content_hash_sha256, original_filename, assigned_namespace } = row
  const facts = { import_id, source, content_hash_sha256, original_filename, assigned_namespace }
  const text = `${JSON.stringify({ ...facts, schema_version: 1 }, null, 2)}\n`
  await folder.write('imports/import-metadata.json', [Buffer.from(text)])
}

/** Removes bytes nobody needs any more. */
export function importTidying(hands: BundlePort): JobHandler {
  return {
    resume: 'rerun',
    run: async ({ payload }) => {
      const { temp_artifact_ref, staged: importId } = payload as TidyWork
      if (temp_artifact_ref !== undefined) await hands.removeUpload(temp_artifact_ref)
      if (importId !== undefined) await hands.removeStaged(importId)
      return {}
    },
  }
}

/** What every job on an import does between its steps. */
class ImportWork {
  readonly #edges: RunnerDeps
  readonly #job: Job
  readonly #signal: AbortSignal
  #owner = 'system'
  #told = Date.now()

  constructor(edges: RunnerDeps, job: Job, signal: AbortSignal) {
    this.#edges = edges
    this.#job = job
    this.#signal = signal
  }

  find(state: ImportRow['stage_state']): ImportRow | undefined {
    const row = this.#edges.store.read(
      (reader) => findInState(reader, importIdOf(this.#job), state) ?? null,
    )
    this.#owner = row?.owner_user_id ?? this.#owner
    return row ?? undefined
  }

  /** Now and then; and ends the work when it is to end. */
  async tell(progress: { done: number; of: number; bytes: number }): Promise<void> {
    this.#signal.throwIfAborted()
    if (Date.now() - this.#told < progressMs) return
    this.#told = Date.now()
    await this.write((ctx) => tellProgress(ctx, importIdOf(this.#job), progress))
  }

  async write(work: (ctx: CommandContext) => void): Promise<void> {
    const { store, clock, newId } = this.#edges
    await store.write((tx) =>
      work({
        tx,
        now: clock().toISOString(),
        actor: { kind: 'system', user_id: this.#owner },
        correlation_id: this.#job.correlation_id,
        newId,
      }),
    )
  }
}

function codeOf({ state, result }: Job): string {
  if (state === 'interrupted') return 'INTERRUPTED'
  return (result as { error?: { code?: string } } | undefined)?.error?.code ?? 'INTERNAL_ERROR'
}

function nothingAround({ source, content_hash_sha256 = '' }: ImportRow): ScanDeps {
  const none: ReadonlySet<string> = new Set()
  return {
    source,
    content_hash_sha256,
    skill_names: none,
    native_names: none,
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
