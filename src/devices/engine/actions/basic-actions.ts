import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { type StepData, StepFailure, translateFailure, toStepFailure } from '../step-failure.ts'

export async function pressKey(execution: EngineExecution, { key }: ActionParams<'press_key'>): Promise<StepData> {
  // Never retried: a key pressed twice would leave two screens.
  await translateFailure(
    execution.command((driver, limits) => driver.keyevent(key, limits)),
    (failure) => toStepFailure(failure, { commandFailed: 'GLOBAL_ACTION_FAILED' }),
  )
  return { key }
}

/** The elements are elsewhere afterwards, so what was read before is not used again. */
export async function setOrientation(
  execution: EngineExecution,
  { orientation }: ActionParams<'set_orientation'>,
): Promise<StepData> {
  await translateFailure(
    execution.command((driver, limits) => driver.setOrientation(orientation, limits)),
    (failure) => toStepFailure(failure, { commandFailed: 'GLOBAL_ACTION_FAILED' }),
  )
  return { orientation }
}

export async function sleepFor(execution: EngineExecution, { durationMs }: ActionParams<'sleep'>): Promise<StepData> {
  await execution.sleep(durationMs)
  return { duration_ms: String(durationMs) }
}

export async function startRecording(
  execution: EngineExecution,
  { sessionId }: ActionParams<'start_recording'>,
): Promise<StepData> {
  const started = await translateRecordingFailure(
    requireRecording(execution).start(sessionId),
    'RECORDING_START_FAILED',
  )
  return { sessionId: started.sessionId, filePath: started.filePath }
}

export async function stopRecording(
  execution: EngineExecution,
  { sessionId }: ActionParams<'stop_recording'>,
): Promise<StepData> {
  const stopped = await translateRecordingFailure(requireRecording(execution).stop(sessionId), 'RECORDING_STOP_FAILED')
  return {
    sessionId: stopped.sessionId,
    filePath: stopped.filePath,
    eventCount: String(stopped.eventCount),
  }
}

function requireRecording({ host }: EngineExecution) {
  if (host.recording !== undefined) return host.recording
  const message = 'Recordings are not available here.'
  throw new StepFailure('RECORDING_STORAGE_UNAVAILABLE', message)
}

async function translateRecordingFailure<T>(work: Promise<T>, otherwise: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const known = code.startsWith('RECORDING_')
    const message = error instanceof Error ? error.message : String(error)
    throw new StepFailure(known ? code : otherwise, message, { cause: error })
  }
}
