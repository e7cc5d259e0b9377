import type { StateRecord } from '../documents/evaluation.ts'
import { formatValue } from '../documents/evaluation.ts'
import { ADB_KEYBOARD } from '../model/keyboard.ts'
import { printError, print, type Call } from '../shell/command.ts'

/** `settings get|put|delete|list|reset NAMESPACE ...`, and `cmd settings`. */
export function settings(call: Call): number {
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

export function putSetting(call: Call, space: 'system' | 'secure' | 'global', key: string, value: string): void {
  call.device.settings[space][key] = value
  if (space === 'secure' && key === 'default_input_method') selectKeyboard(call, value)
}

function listSettings(table: StateRecord): string {
  const keys = Object.keys(table).toSorted()
  return keys.map((key) => `${key}=${formatValue(table[key])}\n`).join('')
}

export function selectKeyboard(call: Call, name: string): number {
  const { device } = call
  if (device.keyboard.installed.includes(name)) device.keyboard.current = name
  device.settings.secure['default_input_method'] = device.keyboard.current
  if (name === ADB_KEYBOARD) device.keyboard.page = 'letters'
  return 0
}
