/** The colors of the phone's own parts. Apps bring their own. */
export const INK = '#1d1b20'
export const INK_VARIANT = '#5f6368'
export const OUTLINE = '#79747e'
export const DISABLED_FILL = '#e4e2e6'
export const DISABLED_INK = '#9e9ca1'
export const SURFACE = '#fafafa'

type Rgb = readonly [red: number, green: number, blue: number]

function parseColor(color: string): Rgb {
  const digits = color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, '$&$&') : color
  const value = Number.parseInt(digits.slice(1, 7), 16)
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]
}

/** Mixes two colors. A share of 0 is the first, 1 the second. */
export function mixColors(first: string, second: string, share: number): string {
  const [from, to] = [parseColor(first), parseColor(second)]
  const parts = from.map((part, index) => Math.round(part + ((to[index] ?? 0) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export function isDark(color: string): boolean {
  const [red, green, blue] = parseColor(color)
  return red * 0.299 + green * 0.587 + blue * 0.114 < 150
}

/** White or black, whichever is readable on the color. */
export function pickInk(background: string): string {
  return isDark(background) ? '#ffffff' : INK
}

/** A light tone of a color, for containers. */
export function toTone(color: string): string {
  return mixColors(color, '#ffffff', 0.82)
}

const TILE_COLORS = ['#1a73e8', '#00796b', '#d93025', '#7b1fa2', '#e8710a', '#188038', '#3949ab', '#c2185b', '#00838f']

/** A color for a word. Equal words have equal colors. */
export function pickTileColor(word: string): string {
  let sum = 0
  for (const char of word) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973
  return TILE_COLORS[sum % TILE_COLORS.length] ?? '#1a73e8'
}
