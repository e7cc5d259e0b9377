import { openShade } from '../model/device.ts'
import { printError, print, type Call, type Program } from '../shell/command.ts'
import { am } from './activity.ts'
import { input } from './input.ts'
import { packages } from './packages.ts'
import { appops } from './permissions.ts'
import { radioServices } from './radios.ts'
import { settings } from './settings.ts'

/** `cmd [-l] [-w] SERVICE ...` runs the program of the service. */
export function cmd(call: Call): number | Promise<number> {
  if (call.args[0] === '-l') {
    print(call, `Currently running services:\n${SERVICE_NAMES.map((name) => `  ${name}\n`).join('')}`)
    return 0
  }
  const [service = '', ...args] = call.args[0] === '-w' ? call.args.slice(1) : call.args
  const program = SERVICES[service]
  if (program !== undefined) return program({ ...call, args })
  if (SERVICE_NAMES.includes(service)) {
    printError(call, 'No shell command implementation.\n')
    return 255
  }
  printError(call, `cmd: Can't find service: ${service}\n`)
  return 20
}

function unknown(call: Call, verb: string): number {
  printError(call, `Unknown command: ${verb}\n`)
  return 255
}

/** `cmd statusbar`: opens and closes the notification shade. */
function statusbar(call: Call): number {
  const [verb = ''] = call.args
  if (verb === 'expand-notifications' || verb === 'expand-settings') openShade(call.device)
  else if (verb === 'collapse') call.device.shade = undefined
  else return unknown(call, verb)
  return 0
}

/** `cmd locale set-app-locales|get-app-locales PACKAGE --locales LIST`. */
function locale(call: Call): number {
  const [verb = '', packageName = ''] = call.args
  const { locales } = call.device.packageSettings
  if (verb === 'set-app-locales') {
    locales.set(packageName, call.args[call.args.indexOf('--locales') + 1] ?? '')
    return 0
  }
  if (verb !== 'get-app-locales') return unknown(call, verb)
  print(call, `Locales for ${packageName} for user 0 are [${locales.get(packageName) ?? ''}]\n`)
  return 0
}

const DISPLAY_ID = '4619827259835644672'

function display(call: Call): number {
  if (call.args[0] !== 'get-displays') return unknown(call, call.args[0] ?? '')
  const { screen, power } = call.device
  print(
    call,
    `Displays:\nDisplay id 0: DisplayInfo{"Built-in Screen", displayId 0, state ${power.awake ? 'ON' : 'OFF'}, ` +
      `type INTERNAL, uniqueId "local:${DISPLAY_ID}", app ${screen.width} x ${screen.height}, ` +
      `density ${screen.density}}, isValid=true\n`,
  )
  return 0
}

/** `locksettings` and `cmd lock_settings`: the phone has no credential, and none can be set. */
export function lockSettings(call: Call): number {
  const [verb = ''] = call.args
  switch (verb) {
    case 'get-disabled':
      print(call, `${call.device.settings.secure['lockscreen.disabled'] === '1'}\n`)
      return 0
    case 'set-disabled':
      call.device.settings.secure['lockscreen.disabled'] = call.args.at(-1) === 'true' ? '1' : '0'
      print(call, `Lock screen disabled set to ${call.args.at(-1) ?? ''}\n`)
      return 0
    case 'verify':
      print(call, 'Lock credential verified successfully\n')
      return 0
    case 'clear':
      print(call, 'Lock credential cleared\n')
      return 0
    default:
      return unknown(call, verb)
  }
}

const SERVICES: Readonly<Record<string, Program>> = {
  package: packages,
  activity: am,
  appops,
  display,
  input,
  locale,
  lock_settings: lockSettings,
  settings,
  statusbar,
  ...radioServices,
}

const SERVICE_NAMES = [
  ...new Set([
    ...Object.keys(SERVICES),
    ...'SurfaceFlinger accessibility alarm audio battery clipboard deviceidle dropbox input_method notification power'.split(
      ' ',
    ),
    ...'role telephony.registry usagestats user window'.split(' '),
  ]),
].toSorted()

/** `service list|check NAME`. Calls by transaction number are refused: they depend on the build of Android. */
export function service(call: Call): number {
  const [verb = '', name = ''] = call.args
  if (verb === 'list') {
    const lines = SERVICE_NAMES.map((one, at) => `${at}\t${one}: [${toInterface(one)}]\n`)
    print(call, `Found ${SERVICE_NAMES.length} services:\n${lines.join('')}`)
    return 0
  }
  const isKnown = SERVICE_NAMES.includes(name)
  if (verb === 'check') {
    print(call, `Service ${name}: ${isKnown ? 'found' : 'not found'}\n`)
    return 0
  }
  if (verb === 'call') {
    if (isKnown) printError(call, `service: the simulated phone has no transactions of ${name}\n`)
    else print(call, `service: Service ${name} does not exist\n`)
    return 10
  }
  printError(call, 'Usage: service [-h|-?]\n       service list\n       service check SERVICE\n')
  return 10
}

function toInterface(name: string): string {
  return INTERFACES[name] ?? `android.os.I${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll(/[._]/g, '')}`
}

const INTERFACES: Readonly<Record<string, string>> = {
  activity: 'android.app.IActivityManager',
  package: 'android.content.pm.IPackageManager',
  window: 'android.view.IWindowManager',
}
