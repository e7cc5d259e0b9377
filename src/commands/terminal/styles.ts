/** The part of an output that decides on colors. */
export interface StyledOutput {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const CODES: Readonly<Record<Style, readonly [start: number, end: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

/**
 * Styles text for a terminal with colors and leaves it as it is for files, pipes and terminals without. Node reads
 * NO_COLOR, FORCE_COLOR and TERM for `hasColors`.
 */
export function styleText(text: string, style: Style, out: StyledOutput = process.stdout): string {
  if (text === '' || out.isTTY !== true || out.hasColors?.() !== true) return text
  const [start, end] = CODES[style]
  return `\u001B[${start}m${text}\u001B[${end}m`
}

const WORD_STYLES: Readonly<Record<string, Style>> = {
  ok: 'green',
  pass: 'green',
  success: 'green',
  succeeded: 'green',
  done: 'green',
  device: 'green',
  active: 'green',
  available: 'green',
  healthy: 'green',
  warn: 'yellow',
  skip: 'yellow',
  indeterminate: 'yellow',
  degraded: 'yellow',
  unauthorized: 'yellow',
  unknown: 'yellow',
  FAIL: 'red',
  fail: 'red',
  failed: 'red',
  quarantined: 'red',
  offline: 'red',
  revoked: 'red',
  blocked: 'red',
}

/** Styles a word for a state: green if it is well, yellow if it is doubtful, red if it is bad. */
export function styleState(word: string, out: StyledOutput = process.stdout): string {
  const style = WORD_STYLES[word.trim()]
  return style === undefined ? word : styleText(word, style, out)
}
