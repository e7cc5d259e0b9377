import { readOutput } from '../shell/checked-command.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandResult } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import type { OperationFailureCode } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'

export interface Launch {
  /** The started `package/activity`, as the device reports it. */
  readonly component: string | undefined
  /** The app was already running and was only brought to the front. */
  readonly wasRunning: boolean
  readonly totalTimeMs: number | undefined
}

/** The activity behind an app's icon. */
export async function resolveLauncher(runner: CommandRunner, packageId: string, limits: CallLimits): Promise<string> {
  const line = buildCommand(
    ...(['cmd', 'package', 'resolve-activity', '--brief'] as const),
    ...(['-a', 'android.intent.action.MAIN', '-c', 'android.intent.category.LAUNCHER'] as const),
    packageId,
  )
  const result = await runner.run(line, limits)
  const component = result.stdout.toString('utf8').trim().split('\n').at(-1)?.trim() ?? ''
  // A chooser means several activities; another package means none of this app.
  if (component.startsWith(`${packageId}/`) && !component.includes('ResolverActivity')) {
    return component
  }
  throw new OperationFailure(
    'APP_NOT_FOUND',
    `${packageId} is not installed or has no launcher activity`,
    readOutput(result).slice(0, 500),
  )
}

export function startComponent(runner: CommandRunner, component: string, limits: CallLimits): Promise<Launch> {
  return startIntent(runner, ['-n', component], 'APP_LAUNCH_FAILED', limits)
}

export function startView(runner: CommandRunner, uri: string, limits: CallLimits): Promise<Launch> {
  const intent = ['-a', 'android.intent.action.VIEW', '-d', uri]
  return startIntent(runner, intent, 'URI_NOT_HANDLED', limits)
}

async function startIntent(
  runner: CommandRunner,
  intent: readonly string[],
  code: OperationFailureCode,
  limits: CallLimits,
): Promise<Launch> {
  const result = await runner.run(buildCommand('am', 'start', '-W', ...intent), limits)
  const outcome = parseStartOutput(result)
  if (outcome.launch) return outcome.launch
  throw new OperationFailure(code, `am start: ${outcome.error}`, readOutput(result).slice(0, 500))
}

/** Parses the output of `am start -W`, which always exits with 0. */
export function parseStartOutput(
  result: CommandResult,
): { readonly launch: Launch } | { readonly launch?: undefined; readonly error: string } {
  const text = readOutput(result)
  const error = /^(?:Error\b|.*Exception\b|Aborted\b).*/m.exec(text)?.[0]
  if (error !== undefined) return { error: error.trim() }
  const status = /^Status: (\w+)/m.exec(text)?.[1]
  if (result.exitCode !== 0 || status !== 'ok') {
    return { error: `status ${status ?? 'missing'}, exit code ${result.exitCode}` }
  }
  const totalTime = /^TotalTime: (\d+)/m.exec(text)?.[1]
  return {
    launch: {
      component: /^Activity: (\S+)/m.exec(text)?.[1],
      wasRunning: /brought to the front|intent has been delivered/.test(text),
      totalTimeMs: totalTime === undefined ? undefined : Number(totalTime),
    },
  }
}
