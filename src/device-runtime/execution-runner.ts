import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../devices/driver/driver.ts'
import type { EngineClock } from '../devices/engine/engine-host.ts'
import { systemActor, writePatientlyAs } from '../domain/command/context.ts'
import { forgetTexts } from '../domain/devices/executions.ts'
import { forgetInResult } from '../domain/devices/forgotten-texts.ts'
import { MASK } from '../knowledge/redaction/masking.ts'
import type { ReplacedLiteral } from '../knowledge/redaction/replace-literal.ts'
import { HostLost } from '../device-hosts/wire/host-lost.ts'
import { JobStopped } from '../jobs/handler.ts'
import type { ExecutionContext, ExecutionRunner } from '../jobs/device-executions.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import type { DeviceManager } from './devices/device-manager.ts'
import type { ExecutionEvidence } from './evidence/execution-evidence.ts'
import { createPolicyCheck } from './policy-check.ts'
import type { CaptureRecorder, CaptureSubject } from './evidence/capture-recorder.ts'
import type { Recordings } from './evidence/recordings.ts'
import type { SettledLooks } from './evidence/settled-looks.ts'
import { StepRecorder } from './evidence/step-recorder.ts'

export interface ExecutionRunnerDeps {
  readonly devices: DeviceManager
  readonly deviceReader: DeviceReader
  readonly recorder: CaptureRecorder
  readonly recordings: Recordings
  readonly settledLooks: SettledLooks
  readonly executionEvidence: ExecutionEvidence
  /** Absent: executions wait in real time. */
  readonly engineClock?: EngineClock | undefined
}

const FOREGROUND_TIMEOUT_MS = 5000

/** Runs executions on the engine: with a driver, storage for pictures, policy checks and recorders of the steps. */
export const createExecutionRunner =
  (deps: RunnerDeps, parts: ExecutionRunnerDeps): ExecutionRunner =>
  (execution, context) =>
    runOnDevice({ ...deps, ...parts }, execution, context)

async function runOnDevice(
  deps: RunnerDeps & ExecutionRunnerDeps,
  execution: Execution,
  { serial, execution_id, owner_user_id, timeoutMs, signal, ...steps }: ExecutionContext,
): Promise<ResultEnvelope> {
  const { devices, deviceReader, recorder, recordings, settledLooks, executionEvidence } = deps
  const source = { serial, owner_user_id, execution_id }
  const endsMs = Date.now() + timeoutMs
  const actions = new Map(execution.actions.map((action) => [action.id, action]))
  const driver = devices.driver(serial)
  const isCaptured = recorder.isListening(source)
  settledLooks.abandon(serial)
  const texts = await TextReplacements.collect(recorder, source, execution.actions)
  const admit = createPolicyCheck(deps, execution_id)
  // A running capture stores the steps by its own privacy rules. They must not be stored a second time.
  const stepRecorder = new StepRecorder(!isCaptured && executionEvidence.isRecorded(execution_id, execution))
  const running = devices.runExecution(execution, {
    driver,
    timeoutMs,
    signal,
    ...deps.engineClock,
    captureEvidence: isCaptured,
    ...(stepRecorder.isEnabled && { onReading: (reading) => stepRecorder.addReading(reading) }),
    onCommand: () => devices.announceCommand(serial),
    recording: recordings.switchFor(source),
    ...(admit === undefined ? {} : { admit }),
    saveScreenshot: (png) => saveScreenshot(deviceReader, source, png),
    onStepStarted: (step) => steps.onStepStarted(step),
    onStepFinished: async (result, seen) => {
      const action = actions.get(result.id)
      const done = result.success && result.outcome !== 'skipped'
      if (action?.type === 'enter_text') texts.addTyped(action, { done, isPassword: seen.password === true })
      await steps.onStepFinished(texts.replaceInResult(result))
      if (!done || action === undefined) return
      stepRecorder.addAction(action, seen, deps.clock().getTime())
      if (!isCaptured) return
      const activity = await readActivity(driver, signal)
      const step = await recorder.recordExecuted(source, { action, evidence: seen, activity })
      // The readings wait in the queue of the device until this execution has ended.
      if (step !== undefined) settledLooks.start({ serial, owner_user_id }, step)
    },
  })
  try {
    const envelope = texts.replaceInEnvelope(await running.catch(toInterruption))
    await executionEvidence.persist(stepRecorder, { source, driver, signal, endsMs })
    return envelope
  } finally {
    await texts.forget(deps, { execution_id, owner_user_id })
  }
}

/** A host that was lost in the middle may have done more than it reported: the execution is never repeated. */
function toInterruption(error: unknown): never {
  if (!(error instanceof HostLost)) throw error
  throw new JobStopped('interrupted', `${error.message} The effects of the execution are unknown.`)
}

async function saveScreenshot(
  deviceReader: DeviceReader,
  source: Parameters<DeviceReader['savePicture']>[1],
  png: Buffer,
) {
  const { url, evidence_id } = await deviceReader.savePicture(png, source)
  return { path: url, evidence_id }
}

/** Reads the activity in the foreground, which the UI tree does not contain. */
async function readActivity(driver: Driver, signal: AbortSignal): Promise<string | undefined> {
  const limits = { timeoutMs: FOREGROUND_TIMEOUT_MS, signal }
  return (await driver.foreground(limits).catch(() => undefined))?.activity
}

type TypingAction = Extract<Action, { type: 'enter_text' }>

/** The texts of an execution that must not be stored, and what is stored instead. */
class TextReplacements {
  readonly #recorder: CaptureRecorder
  readonly #source: CaptureSubject
  readonly #names = new Map<string, string>()
  /** Actions of which it is not known yet whether their field is one for passwords. */
  readonly #unknown = new Set<string>()
  readonly #literals: ReplacedLiteral[]
  /** Replaces a whole text that the capture knows by its hash only. */
  readonly #rename: (text: string) => string

  private constructor(recorder: CaptureRecorder, source: CaptureSubject, rename: (text: string) => string) {
    this.#recorder = recorder
    this.#source = source
    this.#literals = recorder.listTypedTexts(source)
    this.#rename = rename
  }

  /** Without consent, texts that the running capture has seen typed are stored as their tokens. */
  static async collect(
    recorder: CaptureRecorder,
    source: CaptureSubject,
    actions: readonly Action[],
  ): Promise<TextReplacements> {
    const texts = new TextReplacements(recorder, source, await recorder.prepareRename(source))
    for (const action of actions) {
      if (action.type !== 'enter_text') continue
      const by = await recorder.findTextToken(source, action)
      texts.#names.set(action.id, by ?? MASK)
      if (by === undefined) texts.#unknown.add(action.id)
      else texts.#literals.push({ literal: action.params.text, by })
    }
    return texts
  }

  /** Call when a text was typed, or could not be. */
  addTyped({ id, params: { text } }: TypingAction, { done, isPassword }: { done: boolean; isPassword: boolean }): void {
    if (isPassword) {
      this.#names.set(id, MASK)
      this.#literals.push({ literal: text, by: MASK })
      this.#recorder.rememberPassword(this.#source, text)
    } else if (done && this.#unknown.has(id)) this.#names.delete(id)
  }

  replaceInResult(result: StepResult): StepResult {
    const replaced = forgetInResult(result, this.#literals)
    const data = Object.entries(replaced.data).map(([key, value]) => [key, this.#renameQuoted(this.#rename(value))])
    return { ...replaced, data: Object.fromEntries(data) as StepResult['data'] }
  }

  replaceInEnvelope(envelope: ResultEnvelope): ResultEnvelope {
    return { ...envelope, stepResults: envelope.stepResults.map((result) => this.replaceInResult(result)) }
  }

  /** Removes the texts from the stored execution. */
  async forget(
    deps: RunnerDeps,
    { execution_id, owner_user_id }: Pick<ExecutionContext, 'execution_id' | 'owner_user_id'>,
  ): Promise<void> {
    const texts = { names: this.#names, literals: this.#literals }
    if (texts.names.size === 0 && texts.literals.length === 0) return
    const origin = { actor: systemActor(owner_user_id), correlation_id: execution_id }
    await writePatientlyAs(deps, origin, (ctx) => forgetTexts(ctx, execution_id, texts))
  }

  /** The attributes of a tree in XML, and the texts of a list in JSON, are quoted. */
  #renameQuoted(value: string): string {
    return value.replaceAll(/"([^"\\]+)"/g, (quoted, text: string) => {
      const renamed = this.#rename(text)
      return renamed === text ? quoted : `"${renamed}"`
    })
  }
}
