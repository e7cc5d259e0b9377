import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import { parseDump, type ScreenReading } from '../../devices/engine/screen-reading.ts'
import { describeStep } from '../../devices/recording/step-description.ts'
import { systemActor, writeAs } from '../../domain/command/context.ts'
import { recordEvent } from '../../domain/command/ledger.ts'
import { readMiningSettings } from '../../domain/mining/settings.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { insertEvidence } from '../../store/capture/evidence.ts'
import { findExecutionPolicy } from '../../store/devices/execution-policies.ts'
import { insertExecutionSteps, type StoredExecutionStep } from '../../store/devices/execution-steps.ts'
import { isWorthRecording, type StepRecorder, type ExecutedStep } from './step-recorder.ts'

interface ExecutionSource {
  readonly serial: string
  readonly owner_user_id: string
  readonly execution_id: string
}

interface PersistOptions {
  readonly source: ExecutionSource
  readonly driver: Driver
  readonly signal: AbortSignal
  /** Deadline of the caller. */
  readonly endsMs: number
}

/** A dump on the device ends by itself after ten seconds. */
const LAST_READING_TIMEOUT_MS = 12_000
const MIN_READING_TIMEOUT_MS = 2000

interface StoredScreen {
  readonly evidence_id: string
  readonly sha256: string
  readonly bytes: number
}

/** Stores the steps of executions with their screens. Mining and learning read them later. */
export class ExecutionEvidence {
  readonly #deps: RunnerDeps
  readonly #files: ContentFiles

  constructor(deps: RunnerDeps, files: ContentFiles) {
    this.#deps = deps
    this.#files = files
  }

  /** False if observation is switched off. Rehearsals have a policy; they are not recorded. */
  isRecorded(executionId: string, { actions }: Pick<Execution, 'actions'>): boolean {
    if (!isWorthRecording(actions)) return false
    return this.#deps.store.read(
      (reader) =>
        readMiningSettings(reader).observe_inside_elnor && findExecutionPolicy(reader, executionId) === undefined,
    )
  }

  /** Reads the last screen if necessary and stores all steps. Failures are logged and not thrown. */
  async persist(recorder: StepRecorder, { source, driver, signal, endsMs }: PersistOptions): Promise<void> {
    try {
      const startedMs = Date.now()
      const timeoutMs = Math.min(LAST_READING_TIMEOUT_MS, endsMs - startedMs)
      // A reading must not exceed the deadline of the caller.
      if (recorder.lacksLastReading && timeoutMs >= MIN_READING_TIMEOUT_MS) {
        const dump = await driver.dump({ timeoutMs, signal })
        const times = { serial: source.serial, startedMs, finishedMs: Date.now() }
        const result = await parseDump(dump, times)
        if (result.ok) recorder.addReading(result.reading)
      }
      const steps = recorder.toSteps()
      if (steps.length > 0) await this.store(source, steps)
    } catch (error) {
      signal.throwIfAborted()
      const { execution_id } = source
      this.#deps.log.warn({ err: error, execution_id }, 'screens of an execution were not stored')
    }
  }

  /** Writes the screens to disk, without passwords, and then the steps to the store. */
  async store(source: ExecutionSource, executed: readonly ExecutedStep[]): Promise<void> {
    const { newId } = this.#deps
    const screens = await this.#writeScreens(executed)
    const toRef = (reading: ScreenReading | undefined): string | undefined => {
      const screen = reading && screens.get(reading)
      return screen && `evidence:${screen.evidence_id}`
    }
    const steps = executed.map((step) =>
      toStoredStep(step, {
        event_id: newId(),
        before_ref: toRef(step.before),
        after_ref: toRef(step.after),
      }),
    )
    const { execution_id, owner_user_id } = source
    const origin = { actor: systemActor(owner_user_id), correlation_id: execution_id }
    await writeAs(this.#deps, origin, (ctx) => {
      const { tx, now } = ctx
      for (const screen of screens.values()) {
        insertEvidence(tx, {
          ...source,
          ...screen,
          media_type: 'application/xml',
          created_at: now,
        })
      }
      insertExecutionSteps(tx, { execution_id, owner_user_id, steps, kept_at: now })
      recordEvent(ctx, `execution/${execution_id}`, 'execution.evidence.changed', {
        steps: steps.length,
      })
    })
  }

  /** Writes each reading once, even if two steps share it. */
  async #writeScreens(executed: readonly ExecutedStep[]): Promise<Map<ScreenReading, StoredScreen>> {
    const readings = new Set(
      executed.flatMap(({ before, after }) => [before, after]).filter((one) => one !== undefined),
    )
    const written = await Promise.all(
      [...readings].map(async (reading) => {
        const bytes = Buffer.from(await reading.printXml())
        const sha256 = await this.#files.write(bytes)
        const screen = { evidence_id: this.#deps.newId(), sha256, bytes: bytes.length }
        return [reading, screen] as const
      }),
    )
    return new Map(written)
  }
}

function toStoredStep(
  step: ExecutedStep,
  refs: Pick<StoredExecutionStep, 'event_id' | 'before_ref' | 'after_ref'>,
): StoredExecutionStep {
  const { window_title: _title, target, ...described } = describeStep(step)
  const isSecret = described.secret === true || step.password
  return {
    ...described,
    ...refs,
    action_id: step.action_id,
    action_label: toPlainLabel(isSecret ? 'Type a password' : described.action_label),
    target: nameTarget(target?.node),
    ...(isSecret && described.kind === 'text' ? { secret: true, text: undefined } : {}),
  }
}

/** Masks typed text, which only the field `text` may contain, and removes quotation marks. */
const toPlainLabel = (label: string): string =>
  label
    .replaceAll(/‹[^‹›]*›/g, '•••')
    .replaceAll(/"([^"]*)"/g, '$1')
    .slice(0, 240)

function nameTarget(node: { readonly resource_id: string } | undefined): string | undefined {
  const name = node?.resource_id.split('/').at(-1) ?? ''
  return name === '' ? undefined : name
}
