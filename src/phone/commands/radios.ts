import { printError, print, type Call, type Program } from '../shell/command.ts'

/** Settings that a switch of the phone is kept in. */
const SWITCHES = {
  wifi: 'wifi_on',
  data: 'mobile_data',
  bluetooth: 'bluetooth_on',
  nfc: 'nfc_on',
} as const

function turn(call: Call, setting: string, on: boolean): number {
  call.device.settings.global[setting] = on ? '1' : '0'
  return 0
}

function isOn(call: Call, setting: string): boolean {
  return call.device.settings.global[setting] === '1'
}

function toState(word: string | undefined): boolean | undefined {
  if (/^enabled?$|^on$|^true$/.test(word ?? '')) return true
  return /^disabled?$|^off$|^false$/.test(word ?? '') ? false : undefined
}

/** `svc wifi|data|bluetooth|nfc enable|disable`, `svc power stayon`. */
export function svc(call: Call): number {
  const [what = '', verb = '', value] = call.args
  const setting = Object.hasOwn(SWITCHES, what) ? SWITCHES[what as keyof typeof SWITCHES] : undefined
  const state = verb === 'enable' ? true : verb === 'disable' ? false : undefined
  if (setting !== undefined && state !== undefined) return turn(call, setting, state)
  if (what === 'power' && verb === 'stayon') {
    call.device.settings.global['stay_on_while_plugged_in'] = value === 'false' ? '0' : '7'
    return 0
  }
  printError(call, SVC_HELP)
  return 1
}

const SVC_HELP =
  'Available commands:\n    help     Show information about the subcommands\n    power    Control the power manager\n' +
  '    data     Control mobile data connectivity\n    wifi     Control the Wi-Fi manager\n' +
  '    nfc      Control NFC functions\n    bluetooth Control Bluetooth service\n'

function wifi(call: Call): number {
  const [verb, word] = call.args
  const state = toState(word)
  if (verb === 'set-wifi-enabled' && state !== undefined) return turn(call, 'wifi_on', state)
  if (verb !== 'status') return refuse(call, verb)
  const on = isOn(call, 'wifi_on')
  print(call, on ? 'Wifi is enabled\nWifi scanning is only available when wifi is enabled\n' : 'Wifi is disabled\n')
  if (on) print(call, '==== Primary ClientModeManager instance ====\nWifi is not connected\n')
  return 0
}

function phone(call: Call): number {
  const [verb, word] = call.args
  const state = toState(word)
  return verb === 'data' && state !== undefined ? turn(call, 'mobile_data', state) : refuse(call, verb)
}

function bluetooth(call: Call): number {
  const state = toState(call.args[0])
  return state === undefined ? refuse(call, call.args[0]) : turn(call, 'bluetooth_on', state)
}

function connectivity(call: Call): number {
  const [verb, word] = call.args
  if (verb !== 'airplane-mode') return refuse(call, verb)
  const state = toState(word)
  if (state !== undefined) return turn(call, 'airplane_mode_on', state)
  print(call, isOn(call, 'airplane_mode_on') ? 'enabled\n' : 'disabled\n')
  return 0
}

function location(call: Call): number {
  const words = call.args.filter((arg, at) => arg !== '--user' && call.args[at - 1] !== '--user')
  const [verb, word] = words
  const mode = call.device.settings.secure
  if (verb === 'is-location-enabled') {
    print(call, `${mode['location_mode'] !== '0'}\n`)
    return 0
  }
  const state = toState(word)
  if (verb !== 'set-location-enabled' || state === undefined) return refuse(call, verb)
  mode['location_mode'] = state ? '3' : '0'
  return 0
}

function uimode(call: Call): number {
  const [verb, word] = call.args
  if (verb !== 'night') return refuse(call, verb)
  const { secure } = call.device.settings
  if (word === 'yes' || word === 'no') secure['ui_night_mode'] = word === 'yes' ? '2' : '1'
  print(call, `Night mode: ${secure['ui_night_mode'] === '2' ? 'yes' : 'no'}\n`)
  return 0
}

function refuse(call: Call, verb: string | undefined): number {
  printError(call, `Unknown command: ${verb ?? ''}\n`)
  return 255
}

/** The services of `cmd` that switch parts of the phone. */
export const radioServices: Readonly<Record<string, Program>> = {
  wifi,
  phone,
  bluetooth_manager: bluetooth,
  connectivity,
  location,
  uimode,
}
