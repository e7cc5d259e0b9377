import type { InputDevice, KernelEvent } from '../model/touch-panel.ts'
import { aborted } from '../host/clock.ts'
import { printError, print, type Call } from '../shell/command.ts'

interface Options {
  readonly labels: boolean
  readonly times: boolean
  readonly possible: boolean
  readonly quiet: boolean
  readonly count: number
  readonly path: string | undefined
}

/** `getevent`: prints the kernel's input events until its stream is closed. */
export async function getevent(call: Call): Promise<number> {
  const options = parseOptions(call.args)
  const { panel } = call.device
  const devices = call.device.faults.consume('noTouchPanel')
    ? []
    : panel.devices.filter(({ path }) => options.path === undefined || path === options.path)
  if (devices.length === 0) {
    printError(call, `could not open ${options.path ?? ''}, No such file or directory\n`)
    return 1
  }
  if (options.possible || (options.path === undefined && !options.quiet)) {
    print(call, devices.map((device, index) => formatDevice(device, index + 1, options)).join(''))
  }
  if (options.possible) return 0
  return streamEvents(call, options)
}

function parseOptions(args: readonly string[]): Options {
  const flags = args.filter((arg) => /^-[a-z]+$/.test(arg)).join('')
  const count = args.includes('-c') ? Number(args[args.indexOf('-c') + 1]) : Number.POSITIVE_INFINITY
  return {
    labels: flags.includes('l'),
    times: flags.includes('t'),
    possible: flags.includes('p') || flags.includes('i'),
    quiet: flags.includes('q'),
    count,
    path: args.find((arg) => arg.startsWith('/dev/input/')),
  }
}

async function streamEvents(call: Call, options: Options): Promise<number> {
  const limitReached = new AbortController()
  let remaining = options.count
  const stop = call.device.panel.follow((event) => {
    if (options.path !== undefined && event.device !== options.path) return
    if (remaining <= 0) return
    remaining -= 1
    print(call, formatEvent(event, options))
    if (remaining === 0) limitReached.abort()
  })
  try {
    await Promise.race([aborted(call.signal), aborted(limitReached.signal)])
  } finally {
    stop()
  }
  return call.signal.aborted ? 129 : 0
}

function formatEvent(event: KernelEvent, { labels, times, path }: Options): string {
  const seconds = String(Math.floor(event.timeUs / 1_000_000)).padStart(8)
  const micros = String(event.timeUs % 1_000_000).padStart(6, '0')
  const time = times ? `[${seconds}.${micros}] ` : ''
  const source = path === undefined ? `${event.device}: ` : ''
  const value = (event.value >>> 0).toString(16).padStart(8, '0')
  if (!labels) {
    const type = TYPE_CODES[event.type].toString(16).padStart(4, '0')
    const code = findCode(event.code).toString(16).padStart(4, '0')
    return `${time}${source}${type} ${code} ${value}\n`
  }
  const valueText = event.type === 'EV_KEY' ? (event.value === 0 ? 'UP' : 'DOWN') : value
  return `${time}${source}${event.type.padEnd(12)} ${event.code.padEnd(20)} ${valueText.padEnd(20)}\n`
}

const TYPE_CODES = { EV_SYN: 0, EV_KEY: 1, EV_ABS: 3 }

const CODES: Readonly<Record<string, number>> = {
  SYN_REPORT: 0,
  ABS_MT_SLOT: 0x2f,
  ABS_MT_TOUCH_MAJOR: 0x30,
  ABS_MT_POSITION_X: 0x35,
  ABS_MT_POSITION_Y: 0x36,
  ABS_MT_TRACKING_ID: 0x39,
  ABS_MT_PRESSURE: 0x3a,
  BTN_TOUCH: 0x14a,
  KEY_ESC: 1,
  KEY_MINUS: 12,
  KEY_EQUAL: 13,
  KEY_BACKSPACE: 14,
  KEY_TAB: 15,
  KEY_LEFTBRACE: 26,
  KEY_RIGHTBRACE: 27,
  KEY_ENTER: 28,
  KEY_SEMICOLON: 39,
  KEY_APOSTROPHE: 40,
  KEY_GRAVE: 41,
  KEY_LEFTSHIFT: 42,
  KEY_BACKSLASH: 43,
  KEY_COMMA: 51,
  KEY_DOT: 52,
  KEY_SLASH: 53,
  KEY_SPACE: 57,
  KEY_VOLUMEDOWN: 114,
  KEY_VOLUMEUP: 115,
  KEY_POWER: 116,
  KEY_BACK: 158,
  KEY_HOMEPAGE: 172,
  KEY_APPSELECT: 580,
}
/** Scan codes follow the rows of a keyboard. */
const ROWS = [
  ['1234567890', 2],
  ['QWERTYUIOP', 16],
  ['ASDFGHJKL', 30],
  ['ZXCVBNM', 44],
] as const

function findCode(name: string): number {
  const letter = /^KEY_(.)$/.exec(name)?.[1]
  const row = letter === undefined ? undefined : ROWS.find(([keys]) => keys.includes(letter))
  if (row !== undefined && letter !== undefined) return row[1] + row[0].indexOf(letter)
  return CODES[name] ?? 0
}

function formatDevice(device: InputDevice, number: number, options: Options): string {
  const head = `add device ${number}: ${device.path}\n  name:     "${device.name}"\n`
  if (!options.possible) return head
  const label = (name: string): string =>
    options.labels ? name.padEnd(21) : `${findCode(name).toString(16).padStart(4, '0')} `
  const keys = `    KEY (0001): ${device.keys.map(label).join(' ')}\n`
  const axes = device.axes.map(
    ({ code, max }, index) =>
      `${index === 0 ? '    ABS (0003):' : ' '.repeat(15)} ${label(code)} : value 0, min 0, max ${max}, fuzz 0, flat 0, resolution 0\n`,
  )
  const props = device.isTouchscreen ? (options.labels ? 'INPUT_PROP_DIRECT' : '0001') : '<none>'
  return `${head}  events:\n${keys}${axes.join('')}  input props:\n    ${props}\n`
}
