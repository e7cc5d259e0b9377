import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { type StepData, StepFailure, naming, refusedBy } from '../step-failure.ts'

export async function pressKey(run: EngineRun, { key }: ParamsOf<'press_key'>): Promise<StepData> {
  // Never tried again: a key that counted twice would leave two screens.
  await naming(
    run.act((driver, limits) => driver.keyevent(key, limits)),
    (failure) => refusedBy(failure, { commandFailed: 'GLOBAL_ACTION_FAILED' }),
  )
  return { key }
}

export async function sleepFor(
  run: EngineRun,
  { durationMs }: ParamsOf<'sleep'>,
): Promise<StepData> {
  await run.sleep(durationMs)
  return { duration_ms: String(durationMs) }
}

export async function startRecording(
  run: EngineRun,
  { sessionId }: ParamsOf<'start_recording'>,
): Promise<StepData> {
  const started = await recorded(switchOf(run).start(sessionId), 'RECORDING_START_FAILED')
  return { sessionId: started.sessionId, filePath: started.filePath }
}

export async function stopRecording(
  run: EngineRun,
  { sessionId }: ParamsOf<'stop_recording'>,
): Promise<StepData> {
  const stopped = await recorded(switchOf(run).stop(sessionId), 'RECORDING_STOP_FAILED')
  return {
    sessionId: stopped.sessionId,
    filePath: stopped.filePath,
    eventCount: String(stopped.eventCount),
  }
}

function switchOf({ host }: EngineRun) {
  if (host.recording !== undefined) return host.recording
  const message = 'Nothing here keeps recordings.'
  throw new StepFailure('RECORDING_STORAGE_UNAVAILABLE', message)
}

async function recorded<T>(work: Promise<T>, otherwise: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const known = code.startsWith('RECORDING_')
    const message = error instanceof Error ? error.message : String(error)
    throw new StepFailure(known ? code : otherwise, message, { cause: error })
  }
}
