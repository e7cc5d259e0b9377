import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import { type StepData, naming, refusedBy } from '../step-failure.ts'

export function openApp(run: EngineRun, params: ParamsOf<'open_app'>): Promise<StepData> {
  const { applicationId, retry } = params
  return retrying(run, retry, async () => {
    const opening = run.act((driver, limits) => driver.openApp(applicationId, limits))
    const launch = await naming(opening, (failure) =>
      refusedBy(failure, { retryable: failure.code === 'APP_LAUNCH_FAILED' }),
    )
    return { application_id: applicationId, ...component(launch.component) }
  })
}

export function openUri(run: EngineRun, params: ParamsOf<'open_uri'>): Promise<StepData> {
  const { uri, retry } = params
  return retrying(run, retry, async () => {
    const opening = run.act((driver, limits) => driver.openUri(uri, limits))
    const launch = await naming(opening, (failure) =>
      refusedBy(failure, {
        retryable:
          failure.code === 'URI_NOT_HANDLED' &&
          !NO_HANDLER.test(`${failure.message}\n${failure.detail}`),
      }),
    )
    return { uri, ...component(launch.component) }
  })
}

export function closeApp(run: EngineRun, params: ParamsOf<'close_app'>): Promise<StepData> {
  const { applicationId, retry } = params
  return retrying(run, retry, async () => {
    const closing = run.act((driver, limits) => driver.closeApp(applicationId, limits))
    await naming(closing, (failure) =>
      refusedBy(failure, { retryable: failure.code === 'COMMAND_FAILED' }),
    )
    return { application_id: applicationId }
  })
}

/** No app takes the link; none will appear while we wait. */
const NO_HANDLER = /unable to resolve|no activity found/i

function component(name: string | undefined): StepData {
  return name === undefined ? {} : { component: name }
}
