/** One line of `getevent -lt`. */
export interface KernelEvent {
  /** Time since the device started. */
  readonly timeUs: number
  /** Empty if only one device was requested. */
  readonly device: string
  readonly type: string
  readonly code: string
  /** For keys: 1 down, 0 up, 2 repeated. */
  readonly value: number
}

/** Parses one line. Undefined if the line is not an event. */
export function parseKernelEvent(line: string): KernelEvent | undefined {
  const match = EVENT_LINE.exec(line)
  if (match === null) return undefined
  const [, seconds = '', fraction = '', device = '', type = '', code = '', raw = ''] = match
  const value = KEY_VALUES.get(raw) ?? parseSigned(raw)
  if (value === undefined) return undefined
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6))
  return { timeUs: Number(seconds) * 1_000_000 + micros, device, type, code, value }
}

const EVENT_LINE =
  /^\[\s*(\d{1,9})\.(\d{1,9})\]\s+(?:(\/dev\/input\/[\w.-]+):\s+)?(\w{1,40})\s+(\w{1,40})\s+(\w{1,16})\s*$/

const KEY_VALUES: ReadonlyMap<string, number> = new Map([
  ['UP', 0],
  ['DOWN', 1],
  ['REPEAT', 2],
])

/** Parses a signed 32-bit hexadecimal number. */
function parseSigned(text: string): number | undefined {
  return /^[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) | 0 : undefined
}
