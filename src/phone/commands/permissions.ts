import { printError, print, type Call } from '../shell/command.ts'

/** The permissions that a person grants while an app runs. `pm grant` changes no others. */
const RUNTIME = new Set(
  (
    'ACCESS_FINE_LOCATION ACCESS_COARSE_LOCATION ACCESS_BACKGROUND_LOCATION CAMERA RECORD_AUDIO READ_CONTACTS ' +
    'WRITE_CONTACTS GET_ACCOUNTS READ_CALENDAR WRITE_CALENDAR READ_PHONE_STATE READ_PHONE_NUMBERS CALL_PHONE ' +
    'ANSWER_PHONE_CALLS READ_CALL_LOG WRITE_CALL_LOG SEND_SMS RECEIVE_SMS READ_SMS RECEIVE_MMS BODY_SENSORS ' +
    'ACTIVITY_RECOGNITION READ_EXTERNAL_STORAGE WRITE_EXTERNAL_STORAGE READ_MEDIA_IMAGES READ_MEDIA_VIDEO ' +
    'READ_MEDIA_AUDIO ACCESS_MEDIA_LOCATION POST_NOTIFICATIONS BLUETOOTH_SCAN BLUETOOTH_CONNECT BLUETOOTH_ADVERTISE ' +
    'NEARBY_WIFI_DEVICES'
  )
    .split(' ')
    .map((name) => `android.permission.${name}`),
)
/** Permissions of development, which `pm grant` changes as well. */
const DEVELOPMENT = new Set(
  'WRITE_SECURE_SETTINGS READ_LOGS DUMP CHANGE_CONFIGURATION SET_ANIMATION_SCALE PACKAGE_USAGE_STATS'
    .split(' ')
    .map((name) => `android.permission.${name}`),
)

/** `pm grant` and `pm revoke`. */
export function changePermission(call: Call, verb: 'grant' | 'revoke', args: readonly string[]): number {
  const operands = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--user')
  const [packageName = '', permission = ''] = operands
  const problem = findProblem(call, packageName, permission)
  if (problem !== undefined) {
    printError(call, `\nException occurred while executing '${verb}':\n${problem}\n`)
    return 255
  }
  const { granted } = call.device.packageSettings
  const permissions = granted.get(packageName) ?? new Set()
  if (verb === 'grant') permissions.add(permission)
  else permissions.delete(permission)
  granted.set(packageName, permissions)
  return 0
}

function findProblem(call: Call, packageName: string, permission: string): string | undefined {
  if (!call.device.apps.has(packageName)) return `java.lang.IllegalArgumentException: Unknown package: ${packageName}`
  if (RUNTIME.has(permission) || DEVELOPMENT.has(permission)) return undefined
  if (!permission.startsWith('android.permission.')) {
    return `java.lang.IllegalArgumentException: Unknown permission: ${permission}`
  }
  return (
    `java.lang.SecurityException: Permission ${permission} requested by ${packageName} ` +
    'is not a changeable permission type'
  )
}

/** The sections of `dumpsys package` with permissions. */
export function formatPermissions(call: Call, packageName: string): readonly string[] {
  const granted = [...(call.device.packageSettings.granted.get(packageName) ?? [])].toSorted()
  return [
    '    requested permissions:',
    '      android.permission.INTERNET',
    ...granted.map((name) => `      ${name}`),
    '    install permissions:',
    '      android.permission.INTERNET: granted=true',
    '    User 0: ceDataInode=4242 installed=true hidden=false suspended=false stopped=false notLaunched=false enabled=0',
    '      runtime permissions:',
    ...granted.map((name) => `        ${name}: granted=true, flags=[ USER_SET ]`),
  ]
}

const MODES = new Set(['allow', 'ignore', 'deny', 'default', 'foreground'])

/** `appops get|set|reset|query-op`, and `cmd appops`. */
export function appops(call: Call): number {
  const args = call.args.filter((arg, at) => arg !== '--uid' && arg !== '--user' && call.args[at - 1] !== '--user')
  const [verb = '', packageName = '', operation, mode] = args
  const { operations } = call.device.packageSettings
  const isKnown = call.device.apps.has(packageName)
  if (verb === 'reset') {
    if (packageName === '') operations.clear()
    else operations.delete(packageName)
    print(call, 'Reset all modes to default.\n')
    return 0
  }
  if (verb !== 'get' && verb !== 'set') {
    printError(call, verb === '' ? 'AppOps service (appops) commands:\n' : `Unknown command: ${verb}\n`)
    return 255
  }
  if (!isKnown) {
    printError(call, `Error: No UID for ${packageName} in user 0\n`)
    return 255
  }
  const modes = operations.get(packageName) ?? new Map<string, string>()
  if (verb === 'get') return printModes(call, modes, operation)
  if (operation === undefined || mode === undefined || !MODES.has(mode)) {
    printError(call, `Error: Mode ${mode ?? ''} is not valid\n`)
    return 255
  }
  modes.set(toOperation(operation), mode)
  operations.set(packageName, modes)
  return 0
}

/** Operations have a name, and a name of the API: `android:camera`. */
function toOperation(text: string): string {
  return text.replace(/^android:/, '').toUpperCase()
}

function printModes(call: Call, modes: ReadonlyMap<string, string>, operation: string | undefined): number {
  const shown = [...modes].filter(([name]) => operation === undefined || name === toOperation(operation))
  if (shown.length === 0) print(call, 'No operations.\n')
  else print(call, shown.map(([name, mode]) => `${name}: ${mode}\n`).join(''))
  return 0
}
