import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import { type StepData, translateFailure, toStepFailure } from '../step-failure.ts'

export function openApp(execution: EngineExecution, params: ActionParams<'open_app'>): Promise<StepData> {
  const { applicationId, retry } = params
  return withRetry(execution, retry, async () => {
    const opening = execution.command((driver, limits) => driver.openApp(applicationId, limits))
    const launch = await translateFailure(opening, (failure) =>
      toStepFailure(failure, { retryable: failure.code === 'APP_LAUNCH_FAILED' }),
    )
    return { application_id: applicationId, ...toComponentData(launch.component) }
  })
}

export function openUri(execution: EngineExecution, params: ActionParams<'open_uri'>): Promise<StepData> {
  const { uri, retry } = params
  return withRetry(execution, retry, async () => {
    const opening = execution.command((driver, limits) => driver.openUri(uri, limits))
    const launch = await translateFailure(opening, (failure) =>
      toStepFailure(failure, {
        retryable: failure.code === 'URI_NOT_HANDLED' && !NO_HANDLER.test(`${failure.message}\n${failure.detail}`),
      }),
    )
    return { uri, ...toComponentData(launch.component) }
  })
}

export function closeApp(execution: EngineExecution, params: ActionParams<'close_app'>): Promise<StepData> {
  const { applicationId, retry } = params
  return withRetry(execution, retry, async () => {
    const closing = execution.command((driver, limits) => driver.closeApp(applicationId, limits))
    await translateFailure(closing, (failure) =>
      toStepFailure(failure, { retryable: failure.code === 'COMMAND_FAILED' }),
    )
    return { application_id: applicationId }
  })
}

/** No app handles the link. A retry cannot help. */
const NO_HANDLER = /unable to resolve|no activity found/i

function toComponentData(name: string | undefined): StepData {
  return name === undefined ? {} : { component: name }
}
