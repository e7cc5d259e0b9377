import type { CallLimits } from '../adb/call-limits.ts'
import { buildCommand } from '../adb/quoting.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { HELPER_VERSION, PINNED_HELPERS, PREPARED_SETTING, SNAPSHOT_HELPER } from '../driver/pinned-helpers.ts'

export interface HelperState {
  /** The version that this program prepared the phone with. */
  readonly preparedVersion: string | undefined
  /** The installed versions by the names of the helpers. */
  readonly installed: Readonly<Partial<Record<'snapshot' | 'keyboard', number>>>
}

/** Reads what is installed on a phone, in one round trip. */
export async function readHelperState(runner: CommandRunner, limits: CallLimits): Promise<HelperState> {
  const line = [
    buildCommand('settings', 'get', 'global', PREPARED_SETTING),
    buildCommand('pm', 'list', 'packages', '--show-versioncode', 'com.callstack.agentdevice'),
  ].join('; ')
  const [setting = '', ...packages] = (await runner.run(line, limits)).stdout.toString('utf8').split('\n')
  const installed = PINNED_HELPERS.flatMap(({ name, packageName }) => {
    const listed = packages.find((text) => text.startsWith(`package:${packageName} `))
    const version = /versionCode:(\d+)/.exec(listed ?? '')?.[1]
    return version === undefined ? [] : [[name, Number(version)] as const]
  })
  const preparedVersion = /^\d[\w.-]*$/.exec(setting.trim())?.[0]
  return { preparedVersion, installed: Object.fromEntries(installed) }
}

/** Whether this program prepared the phone and the helper is still there in the version it speaks with. */
export async function isSnapshotHelperReady(runner: CommandRunner, limits: CallLimits): Promise<boolean> {
  const { preparedVersion, installed } = await readHelperState(runner, limits)
  return preparedVersion === HELPER_VERSION && installed.snapshot === SNAPSHOT_HELPER.versionCode
}
