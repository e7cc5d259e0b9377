import { toActivityName, toShortComponent } from '../model/app.ts'
import type { Call } from '../shell/command.ts'
import { formatPermissions } from './permissions.ts'

/** Hashes a name to a stable hexadecimal id. */
export function hashName(name: string): string {
  let hash = 2_166_136_261
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return (hash & 0xf_ff_ff_ff).toString(16)
}

/** `dumpsys package PACKAGE` and `pm dump PACKAGE`. */
export function formatPackage(call: Call, name: string): string {
  const app = call.device.apps.get(name)
  if (app === undefined) return `Unable to find package: ${name}\n`
  const { version } = app.document
  const installed = new Date(app.installedAtMs).toISOString().slice(0, 19).replace('T', ' ')
  const launch = toShortComponent(name, toActivityName(app, app.document.launch_screen))
  return [
    'Activity Resolver Table:',
    '  Non-Data Actions:',
    '      android.intent.action.MAIN:',
    `        ${hashName(name)} ${launch} filter ${hashName(launch)}`,
    '          Action: "android.intent.action.MAIN"',
    '          Category: "android.intent.category.LAUNCHER"',
    '',
    'Packages:',
    `  Package [${name}] (${hashName(name)}):`,
    `    userId=${app.userId}`,
    `    versionCode=${version.code} minSdk=26 targetSdk=34`,
    `    versionName=${version.name}`,
    `    firstInstallTime=${installed}`,
    `    lastUpdateTime=${installed}`,
    '    flags=[ HAS_CODE ALLOW_CLEAR_USER_DATA ]',
    ...formatPermissions(call, name),
    '',
  ].join('\n')
}
