import type { AcrobatCapability, TableMode } from '@apprentice/contracts/documents/adapter.ts'
import type { DocumentMedia } from '@apprentice/contracts/documents/fields.ts'
import type { WrittenOutput } from '../domain/documents/operation-outcomes.ts'
import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { GeneratedScene, SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import type { OutputChunk, StoredOutput } from '../domain/skill-runs/skill-run-record.ts'
import type { ScanOutcome } from '../knowledge/bundle-scan/bundle-scan.ts'
import type { ArchiveEntry } from '../knowledge/bundle-scan/entry-names.ts'
import type { ScanDeps } from '../knowledge/bundle-scan/scan-deps.ts'
import type { LearnedLesson, Lesson } from '../knowledge/interpret/draft/lesson.ts'
import type { PracticeReading } from '../knowledge/goal-search/search-screen.ts'
import type { ObservedTrace } from '../knowledge/steps/observed-step.ts'
import type { RunSetting } from '../knowledge/skill-script/run-environment.ts'
import type { FoundSkill, SkillPlan } from '../knowledge/skill-script/skill-plan.ts'
import type { ProcessEnd } from '../knowledge/skill-script/verdict.ts'
import type { FilePlace } from '../store/install/installed-files.ts'

// Jobs must not import files, processes or devices. These interfaces are that border; each names its implementation.

/** Stores uploaded bundles and unpacks them. Implemented by `BundleStorage` in `src/files/bundle-storage.ts`. */
export interface BundlePort<E extends ArchiveEntry = ArchiveEntry> {
  open(ref: string): Promise<OpenedBundle<E>>
  locate(ref: string): string
  keepFile(pieces: AsyncIterable<Buffer>): Promise<{ readonly sha256: string; readonly bytes: number }>
  sweepFiles(isReferenced: (sha256: string) => boolean): Promise<void>
  removeUpload(ref: string): Promise<void>
  blockedTerms(): Promise<string>
  tidy(): Promise<void>
}

/** Reads documents. Implemented by `DocumentEngine` in `src/documents/document-engine.ts`. */
export interface DocumentReaderPort {
  /** Throws an error with a `reason` if the document cannot be read. */
  run(
    input: DocumentReading,
    signal: AbortSignal,
  ): Promise<{
    readonly outputs: readonly (Pick<WrittenOutput, 'media_type' | 'suffix'> & { readonly pieces: Iterable<string> })[]
    readonly warning_codes: readonly string[]
  }>
}

export interface DocumentReading {
  readonly operation_id: string
  readonly capability: AcrobatCapability
  readonly document_ref: string
  readonly content_hash_sha256: string
  readonly media_type: DocumentMedia
  readonly page_range?: string | undefined
  readonly ocr_fallback: boolean
  readonly table_mode: TableMode
  readonly language_hint?: string | undefined
  readonly pattern_set: readonly string[]
}

/** Stores what operations write. Implemented by `DocumentStorage` in `src/documents/document-storage.ts`. */
export interface DocumentStoragePort {
  write(pieces: Iterable<string>): Promise<{ readonly sha256: string; readonly bytes: number }>
}

/** Scans a bundle file outside the event loop. Implemented by `jobWorkers` in `src/workers/worker-pool.ts`. */
export type BundleScanner = (
  input: { readonly file: string; readonly deps: ScanDeps },
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: ScanProgress) => void },
) => Promise<ScanOutcome>

/** Generates a scene package outside the event loop. Implemented by `jobWorkers` in `src/workers/worker-pool.ts`. */
export type SceneGenerator = (
  input: { readonly place: { readonly zip: string }; readonly answers: SceneAnswers; readonly folder_name: string },
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: { readonly step: string }) => void },
) => Promise<{ readonly analysis: SceneAnalysis; readonly scene: GeneratedScene } | { readonly unreadable: string }>

export interface ScanProgress {
  readonly done: number
  readonly of: number
  readonly bytes: number
}

export interface OpenedBundle<E extends ArchiveEntry> {
  readonly entries: readonly E[]
  readonly hidden_bytes: number
  unpack(entry: E): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Reads import records of older versions. Implemented by `LegacyImports` in `src/files/legacy-imports.ts`. */
export interface LegacyImportPort {
  read(): Promise<readonly unknown[]>
  putAway(): Promise<void>
}

/** Writes skill folders, canonical and projected. Implemented by `SkillPlaces` in `src/files/skill-places.ts`. */
export interface SkillFolderPort {
  put(place: FilePlace, slug: string, files: readonly SkillFile[], mark: string): Promise<string[]>
  remove(place: FilePlace, slug: string, mark: string): Promise<void>
  has(place: FilePlace, slug: string): Promise<boolean>
  list(place: FilePlace): Promise<readonly ListedSkill[]>
  inspect(
    place: FilePlace,
    slug: string,
    files: readonly SkillFile[],
  ): Promise<{ readonly missing: readonly string[]; readonly edited: readonly string[] }>
  mend(place: FilePlace, slug: string, files: readonly SkillFile[]): Promise<void>
  tidy(): Promise<void>
}

/** A folder beside the skills of the daemon, whoever made it. */
export interface ListedSkill {
  readonly folder: string
  /** Its SKILL.md; absent if there is none that can be read. */
  readonly document?: string
}

export interface SkillFile {
  readonly path: string
  readonly content: string
  /** The stored file of an imported skill that holds the content, if `content` does not. */
  readonly stored_sha256?: string | undefined
  readonly executable?: true | undefined
}

/** Runs skill scripts. Implemented by `SkillRunProgram` in `src/skill-runtime/skill-run-program.ts`. */
export interface SkillRunPort {
  findSkill(skillId: string): Promise<FoundSkill | undefined>
  /**
   * Throws if the script does not exist, may not run on this machine, or the agent program is not installed. Returns the
   * agent program.
   */
  check(plan: SkillPlan): Promise<RunSetting['agent']>
  run(setting: RunSetting, follower: RunFollower): Promise<SkillRunResult>
  /** Reads the visible labels from the screen of a device. */
  readLabels(serial: string, principal: string): Promise<readonly string[]>
  /** Ends the processes of a run that an earlier daemon started. */
  endInterrupted(runId: string): Promise<void>
  /** Removes the logs of old runs. */
  tidy(): Promise<void>
}

export interface RunFollower {
  readonly owner_user_id: string
  readonly signal: AbortSignal
  onPrinted(stream: OutputChunk['stream'], text: string): void
}

export interface SkillRunResult extends StoredOutput {
  readonly process: ProcessEnd | 'stopped'
}

/** Reads the screen of a phone. Implemented by `createPracticeReader` in `src/device-runtime/practice-screen.ts`. */
export type ScreenReader = (
  serial: string,
  options: { readonly principal: string; readonly signal: AbortSignal },
) => Promise<PracticeReading & { readonly loading: boolean }>

/** Recorded steps. The screens around them are in files. */
export interface RecordedTraces {
  readonly traces: readonly ObservedTrace[]
  /** The file of each kept screen by its reference in the steps. */
  readonly files: Readonly<Record<string, string>>
}

/** Finds recorded steps. Implemented by `Demonstrations` in `src/device-runtime/evidence/demonstrations.ts`. */
export interface EvidencePort {
  openSession(sessionId: string, owner: string): RecordedTraces
  openExecutions(ids: readonly string[], owner: string): RecordedTraces
}

/** Interprets traces outside the event loop. Implemented by `lessonWorkers` in `src/workers/worker-pool.ts`. */
export type LessonLearner = (
  input: RecordedTraces & { readonly lesson: Lesson },
  options: { readonly signal: AbortSignal },
) => Promise<LearnedLesson | undefined>
