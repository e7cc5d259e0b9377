import { setLocale } from '../model/device.ts'
import { formatValue } from '../documents/evaluation.ts'
import { printError, print, type Call, type Program } from '../shell/command.ts'
import { content } from './content.ts'
import { appops } from './permissions.ts'
import { svc } from './radios.ts'
import { cmd, lockSettings, service } from './cmd.ts'
import { selectKeyboard, settings } from './settings.ts'

function getprop(call: Call): number {
  const [key, otherwise = ''] = call.args
  const { props } = call.device
  if (key !== undefined) {
    print(call, `${props.get(key) ?? otherwise}\n`)
    return 0
  }
  const lines = [...props].toSorted(([a], [b]) => (a < b ? -1 : 1))
  print(call, lines.map(([name, value]) => `[${name}]: [${value}]\n`).join(''))
  return 0
}

function setprop(call: Call): number {
  const [key, value = ''] = call.args
  if (key === undefined || !/^(debug|log|persist\.sys)\./.test(key)) {
    printError(call, `Failed to set property '${key ?? ''}' to '${value}'.\nSee dmesg for error reason.\n`)
    return 1
  }
  if (key === 'persist.sys.locale') setLocale(call.device, value)
  else call.device.props.set(key, value)
  return 0
}

function wm(call: Call): number {
  const { width, height, density } = call.device.naturalScreen
  const [verb = '', value] = call.args
  switch (verb) {
    case 'size':
    case 'density':
      if (value !== undefined && value !== 'reset') {
        printError(call, 'Error: the size and density of this phone cannot be changed\n')
        return 255
      }
      print(
        call,
        value === 'reset'
          ? ''
          : verb === 'size'
            ? `Physical size: ${width}x${height}\n`
            : `Physical density: ${density}\n`,
      )
      return 0
    case 'dismiss-keyguard':
      if (call.device.power.awake) call.device.power.locked = false
      return 0
    case 'user-rotation':
    case 'set-user-rotation':
      return userRotation(call, call.args.slice(1))
    default:
      print(call, `Unknown command: ${verb}\n`)
      return 255
  }
}

/** `wm user-rotation [free|lock [ROTATION]]`. */
function userRotation(call: Call, args: readonly string[]): number {
  const [mode, rotation = '0'] = args.filter((arg, at) => arg !== '-d' && args[at - 1] !== '-d')
  const { system } = call.device.settings
  if (mode === undefined) {
    print(call, system['accelerometer_rotation'] === '1' ? 'free\n' : `lock ${formatValue(system['user_rotation'])}\n`)
    return 0
  }
  if ((mode !== 'free' && mode !== 'lock') || !/^[0-3]$/.test(rotation)) {
    printError(call, `Error: argument needs to be either -d, free or lock.\n`)
    return 255
  }
  system['accelerometer_rotation'] = mode === 'free' ? '1' : '0'
  if (mode === 'lock') system['user_rotation'] = rotation
  return 0
}

function ime(call: Call): number {
  const [verb = '', name = ''] = call.args
  const { installed, enabled } = call.device.keyboard
  if (verb === 'list') {
    const short = call.args.includes('-s')
    const listed = call.args.includes('-a') ? installed : installed.filter((id) => enabled.has(id))
    print(call, listed.map((id) => (short ? `${id}\n` : `${id}:\n  mId=${id}\n`)).join(''))
    return 0
  }
  if (!['set', 'enable', 'disable', 'reset'].includes(verb)) {
    print(call, `Unknown command: ${verb}\n`)
    return 255
  }
  if (verb === 'reset') return selectKeyboard(call, installed[0] ?? '')
  const isRefused = verb !== 'disable' && call.device.faults.consume('keyboardRefused')
  const isKnown = installed.includes(name) && (verb !== 'set' || enabled.has(name))
  if (!isKnown || isRefused) {
    printError(call, `Unknown input method ${name} cannot be ${verb === 'set' ? 'selected' : `${verb}d`} for user #0\n`)
    return 255
  }
  if (verb === 'set') {
    selectKeyboard(call, name)
    print(call, `Input method ${name} selected for user #0\n`)
  } else {
    if (verb === 'enable') enabled.add(name)
    else disableKeyboard(call, name)
    print(call, `Input method ${name}: now ${verb}d for user #0\n`)
  }
  return 0
}

/** Android selects another keyboard when the selected one is disabled. */
function disableKeyboard(call: Call, name: string): void {
  const { keyboard } = call.device
  keyboard.enabled.delete(name)
  if (keyboard.current === name) selectKeyboard(call, keyboard.installed[0] ?? '')
}

export const systemTools: Readonly<Record<string, Program>> = {
  getprop,
  setprop,
  wm,
  settings,
  ime,
  svc,
  appops,
  content,
  locksettings: lockSettings,
  service,
  cmd,
}
