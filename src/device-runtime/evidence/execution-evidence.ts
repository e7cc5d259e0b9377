import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import { interpretLook, type ScreenReading } from '../../devices/engine/screen-reading.ts'
import { observeStep } from '../../devices/recording/observed-step.ts'
import { recordEvent } from '../../domain/command/ledger.ts'
import { miningSettings } from '../../domain/mining/settings.ts'
import type { EvidenceFiles } from '../../files/evidence-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { insertEvidence } from '../../store/capture/evidence.ts'
import { findExecutionPolicy } from '../../store/devices/execution-policies.ts'
import { insertExecutionSteps, type KeptStep } from '../../store/devices/execution-steps.ts'
import { isWorthWitnessing, type StepRecorder, type WitnessedStep } from './step-recorder.ts'

interface Doing {
  readonly serial: string
  readonly owner_user_id: string
  readonly execution_id: string
}

interface Testifying {
  readonly doing: Doing
  readonly driver: Driver
  readonly signal: AbortSignal
  /** When the caller's time is over. */
  readonly endsMs: number
}

/** A dump gives up by itself after ten seconds. */
const lastLookMs = 12_000
const shortestLookMs = 2000

/** A screen that is on disk. */
interface KeptScreen {
  readonly evidence_id: string
  readonly sha256: string
  readonly bytes: number
}

/** Keeps what executions did, with the screens around it, for those who learn from past runs. */
export class ExecutionEvidence {
  readonly #edges: RunnerDeps
  readonly #files: EvidenceFiles

  constructor(edges: RunnerDeps, files: EvidenceFiles) {
    this.#edges = edges
    this.#files = files
  }

  /** Not where nobody wants it observed, nor of a rehearsal, which shows what a draft does and not what people do. */
  isWanted(executionId: string, { actions }: Pick<Execution, 'actions'>): boolean {
    if (!isWorthWitnessing(actions)) return false
    return this.#edges.store.read(
      (reader) =>
        miningSettings(reader).observe_inside_elnor &&
        findExecutionPolicy(reader, executionId) === undefined,
    )
  }

  /** Keeps what was seen, after a last look where nothing was since the last step. It fails nothing. */
  async persist(
    witness: StepRecorder,
    { doing, driver, signal, endsMs }: Testifying,
  ): Promise<void> {
    try {
      const startedMs = Date.now()
      const timeoutMs = Math.min(lastLookMs, endsMs - startedMs)
      // Who has waited long enough is not kept waiting for a record.
      if (witness.lacksEnding && timeoutMs >= shortestLookMs) {
        const dump = await driver.dump({ timeoutMs, signal })
        const times = { serial: doing.serial, startedMs, finishedMs: Date.now() }
        const look = interpretLook(dump, times)
        if (look.ok) witness.saw(look.reading)
      }
      const steps = witness.steps()
      if (steps.length > 0) await this.keep(doing, steps)
    } catch (error) {
      signal.throwIfAborted()
      const { execution_id } = doing
      this.#edges.log.warn({ err: error, execution_id }, 'screens of a run were not kept')
    }
  }

  /** On disk when it resolves. Passwords are left out; the rest is the owner's alone, and forgotten in time. */
  async keep(doing: Doing, witnessed: readonly WitnessedStep[]): Promise<void> {
    const { store, clock, newId } = this.#edges
    const screens = await this.#write(witnessed)
    const refOf = (reading: ScreenReading | undefined): string | undefined => {
      const kept = reading && screens.get(reading)
      return kept && `evidence:${kept.evidence_id}`
    }
    const steps = witnessed.map((step) =>
      keptStep(step, {
        event_id: newId(),
        before_ref: refOf(step.before),
        after_ref: refOf(step.after),
      }),
    )
    await store.write((tx) => {
      const kept_at = clock().toISOString()
      for (const screen of screens.values()) {
        insertEvidence(tx, {
          ...doing,
          ...screen,
          media_type: 'application/xml',
          created_at: kept_at,
        })
      }
      const { execution_id, owner_user_id } = doing
      insertExecutionSteps(tx, { execution_id, owner_user_id, steps, kept_at })
      const actor = { kind: 'system', user_id: owner_user_id } as const
      const ctx = { tx, now: kept_at, actor, correlation_id: execution_id, newId }
      recordEvent(ctx, `execution/${execution_id}`, 'execution.evidence.changed', {
        steps: steps.length,
      })
    })
  }

  /** Each reading once, however many steps it lies between. */
  async #write(witnessed: readonly WitnessedStep[]): Promise<Map<ScreenReading, KeptScreen>> {
    const readings = new Set(
      witnessed.flatMap(({ before, after }) => [before, after]).filter((one) => one !== undefined),
    )
    const kept = await Promise.all(
      [...readings].map(async (reading) => {
        const bytes = Buffer.from(reading.xml)
        const sha256 = await this.#files.write(bytes)
        const screen = { evidence_id: this.#edges.newId(), sha256, bytes: bytes.length }
        return [reading, screen] as const
      }),
    )
    return new Map(kept)
  }
}

function keptStep(
  { action, password, evidence }: WitnessedStep,
  refs: Pick<KeptStep, 'event_id' | 'before_ref' | 'after_ref'>,
): KeptStep {
  const seen = observeStep(evidence)
  const { action: done, target } = seen
  const secret = seen.secret || password
  return {
    ...refs,
    action_id: action.id,
    action_label: plainLabel(secret ? 'Type a password' : seen.action_label),
    kind: done.kind,
    app: seen.app_family,
    node_path: target?.node.path,
    target: targetName(target?.node),
    effect: seen.effect,
    ...(done.kind === 'key' ? { key: done.key } : {}),
    ...(done.kind === 'scroll' ? { direction: done.direction } : {}),
    ...('point' in done ? { point: done.point } : {}),
    ...(done.kind === 'text'
      ? { submit: done.submit, ...(secret ? { secret } : { text: seen.typed_text }) }
      : {}),
    caused_state_change: seen.caused_state_change,
    created_at: new Date(evidence.at_ms).toISOString(),
  }
}

/** What the app shows stands as it is; what was typed is in the step itself and nowhere else. */
const plainLabel = (label: string): string =>
  label
    .replaceAll(/‹[^›]*›/g, '•••')
    .replaceAll(/"([^"]*)"/g, '$1')
    .slice(0, 240)

function targetName(node: { readonly resource_id: string } | undefined): string | undefined {
  const name = node?.resource_id.split('/').at(-1) ?? ''
  return name === '' ? undefined : name
}
