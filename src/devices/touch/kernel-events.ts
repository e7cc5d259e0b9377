/** One line of `getevent -lt`. */
export interface KernelEvent {
  /** Since the device started. */
  readonly timeUs: number
  /** Empty when only one source was asked for. */
  readonly device: string
  readonly type: string
  readonly code: string
  /** Of keys: 1 down, 0 up, 2 repeated. */
  readonly value: number
}

/** Reads one line; lines that announce devices or say nothing are no event. */
export function parseKernelEvent(line: string): KernelEvent | undefined {
  const match = LINE.exec(line)
  if (match === null) return undefined
  const [, seconds = '', fraction = '', device = '', type = '', code = '', word = ''] = match
  const value = KEY_VALUES.get(word) ?? signed(word)
  if (value === undefined) return undefined
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6))
  return { timeUs: Number(seconds) * 1_000_000 + micros, device, type, code, value }
}

const LINE =
  /^\[\s*(\d{1,9})\.(\d{1,9})\]\s+(?:(\/dev\/input\/[\w.-]+):\s+)?(\w{1,40})\s+(\w{1,40})\s+(\w{1,16})\s*$/

const KEY_VALUES: ReadonlyMap<string, number> = new Map([
  ['UP', 0],
  ['DOWN', 1],
  ['REPEAT', 2],
])

/** Eight hexadecimal digits hold a signed number: all ones is the end of a contact. */
function signed(word: string): number | undefined {
  return /^[0-9a-f]{1,8}$/i.test(word) ? Number.parseInt(word, 16) | 0 : undefined
}
