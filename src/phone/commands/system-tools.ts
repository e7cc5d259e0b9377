import { setLocale } from '../model/device.ts'
import { ADB_KEYBOARD } from '../model/keyboard.ts'
import type { StateRecord } from '../documents/evaluation.ts'
import { formatValue } from '../documents/evaluation.ts'
import { printError, print, type Call, type Program } from '../shell/command.ts'

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
  if (call.args.length > 1) {
    printError(call, 'Error: the size and density of this phone cannot be changed\n')
    return 255
  }
  switch (call.args[0] ?? '') {
    case 'size':
      print(call, `Physical size: ${width}x${height}\n`)
      return 0
    case 'density':
      print(call, `Physical density: ${density}\n`)
      return 0
    case 'dismiss-keyguard':
      if (call.device.power.awake) call.device.power.locked = false
      return 0
    default:
      print(call, `Unknown command: ${call.args[0] ?? ''}\n`)
      return 255
  }
}

function settings(call: Call): number {
  const [verb = '', space = '', key = '', ...values] = call.args.filter(
    (arg, index, all) => arg !== '--user' && all[index - 1] !== '--user',
  )
  if (!isNamespace(space)) {
    printError(call, `Invalid namespace '${space}'\n`)
    return 255
  }
  const table = call.device.settings[space]
  switch (verb) {
    case 'get':
      print(call, `${Object.hasOwn(table, key) ? formatValue(table[key]) : 'null'}\n`)
      return 0
    case 'put':
      putSetting(call, space, key, values[0] ?? '')
      return 0
    case 'delete':
      print(call, `Deleted ${Object.hasOwn(table, key) ? 1 : 0} rows\n`)
      delete table[key]
      return 0
    case 'list':
      print(call, listSettings(table))
      return 0
    default:
      printError(call, `Invalid command: ${verb}\n`)
      return 255
  }
}

function isNamespace(name: string): name is 'system' | 'secure' | 'global' {
  return name === 'system' || name === 'secure' || name === 'global'
}

function putSetting(call: Call, space: 'system' | 'secure' | 'global', key: string, value: string): void {
  call.device.settings[space][key] = value
  if (space === 'secure' && key === 'default_input_method') selectKeyboard(call, value)
}

function listSettings(table: StateRecord): string {
  const keys = Object.keys(table).toSorted()
  return keys.map((key) => `${key}=${formatValue(table[key])}\n`).join('')
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

function selectKeyboard(call: Call, name: string): number {
  const { device } = call
  if (device.keyboard.installed.includes(name)) device.keyboard.current = name
  device.settings.secure['default_input_method'] = device.keyboard.current
  if (name === ADB_KEYBOARD) device.keyboard.page = 'letters'
  return 0
}

/** `svc`: supports only `power stayon`. */
function svc(call: Call): number {
  const [what, verb, value] = call.args
  if (what === 'power' && verb === 'stayon') {
    call.device.settings.global['stay_on_while_plugged_in'] = value === 'false' ? '0' : '7'
    return 0
  }
  printError(
    call,
    'Available commands:\n    help     Show information about the subcommands\n    power    Control the power manager\n',
  )
  return 1
}

export const systemTools: Readonly<Record<string, Program>> = {
  getprop,
  setprop,
  wm,
  settings,
  ime,
  svc,
}
