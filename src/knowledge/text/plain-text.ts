/** One line of visible text. Each group of line breaks, control and invisible characters becomes one space. */
export function toOneLine(text: string, max: number): string {
  const visible = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
  return clip(visible.trim(), max)
}

/** Cuts a text to `max` UTF-16 units with an ellipsis, at a space if one is near and never inside a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const room = text.slice(0, max - 1)
  const space = room.lastIndexOf(' ')
  const start = space > max / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, '')
  return `${start.trimEnd()}…`
}

export function takeFirstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0]?.replace(/(?<![.!?])[.!?]+$/, '') ?? text
}

export const capitalize = (text: string): string => {
  const [first = ''] = text
  return `${first.toUpperCase()}${text.slice(first.length)}`
}

/** The non-empty entries without duplicates, in order of first occurrence. */
export const distinct = (entries: readonly string[]): string[] => [...new Set(entries.filter((entry) => entry !== ''))]
