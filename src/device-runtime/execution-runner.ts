import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../devices/driver/driver.ts'
import type { EngineClock } from '../devices/engine/engine-host.ts'
import { runExecution } from '../devices/engine/execution/run-execution.ts'
import { systemActor, writeAs } from '../domain/command/context.ts'
import { replaceTypedTexts } from '../domain/devices/executions.ts'
import { replaceLiteral } from '../domain/capture/typed-texts.ts'
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

/** Replaces a typed password in stored steps. */
const MASKED_PASSWORD = '•••'
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
  const texts = await collectReplacements(recorder, source, execution.actions)
  const replacements = new Map(texts.names)
  const admit = createPolicyCheck(deps, execution_id)
  // A running capture stores the steps by its own privacy rules. They must not be stored a second time.
  const stepRecorder = new StepRecorder(!isCaptured && executionEvidence.isRecorded(execution_id, execution))
  const running = runExecution(execution, {
    driver,
    timeoutMs,
    signal,
    ...deps.engineClock,
    captureEvidence: isCaptured,
    onReading: (reading) => stepRecorder.addReading(reading),
    recording: recordings.switchFor(source),
    ...(admit === undefined ? {} : { admit }),
    saveScreenshot: (png) => saveScreenshot(deviceReader, source, png),
    onStepStarted: (step) => steps.onStepStarted(step),
    onStepFinished: async (result, seen) => {
      await steps.onStepFinished(replaceInResult(result, texts))
      const action = actions.get(result.id)
      if (seen.password === true) replacements.set(result.id, MASKED_PASSWORD)
      const done = result.success && result.outcome !== 'skipped'
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
    const envelope = replaceInEnvelope(await running, texts)
    await executionEvidence.persist(stepRecorder, { source, driver, signal, endsMs })
    return envelope
  } finally {
    await storeReplacements(deps, { execution_id, owner_user_id }, replacements)
  }
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

/** Replacements of typed texts that must not be stored. Empty if they may be stored as they are. */
interface TextReplacements {
  readonly names: ReadonlyMap<string, string>
  readonly literals: readonly { readonly literal: string; readonly by: string }[]
}

async function collectReplacements(
  recorder: CaptureRecorder,
  source: CaptureSubject,
  actions: readonly Action[],
): Promise<TextReplacements> {
  const names = new Map<string, string>()
  const literals = []
  for (const action of actions) {
    const by = await recorder.findTextToken(source, action)
    if (by === undefined || action.type !== 'enter_text') continue
    names.set(action.id, by)
    literals.push({ literal: action.params.text, by })
  }
  return { names, literals }
}

async function storeReplacements(
  deps: RunnerDeps,
  { execution_id, owner_user_id }: Pick<ExecutionContext, 'execution_id' | 'owner_user_id'>,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  if (names.size === 0) return
  const origin = { actor: systemActor(owner_user_id), correlation_id: execution_id }
  await writeAs(deps, origin, (ctx) => replaceTypedTexts(ctx, execution_id, names))
}

/** Results are stored too, and a later step may have read a text that an earlier one typed. */
function replaceInResult(result: StepResult, { literals }: TextReplacements): StepResult {
  if (literals.length === 0) return result
  const data = Object.entries(result.data).map(([key, value]) => [key, replaceAllTexts(value, literals)])
  return { ...result, data: Object.fromEntries(data) as StepResult['data'] }
}

function replaceAllTexts(text: string, literals: TextReplacements['literals']): string {
  return literals.reduce(
    (current, { literal, by }) =>
      replaceLiteral(replaceLiteral(current, { literal, by }), { literal: escapeXml(literal), by }),
    text,
  )
}

const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character)

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const replaceInEnvelope = (envelope: ResultEnvelope, texts: TextReplacements): ResultEnvelope => ({
  ...envelope,
  stepResults: envelope.stepResults.map((result) => replaceInResult(result, texts)),
})
