/** One line of visible text: line breaks, control and invisible characters become blanks, runs of them one. */
export function oneLine(text: string, max: number): string {
  const visible = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
  return clip(visible.trim(), max)
}

/** At most `max` UTF-16 units, cut between words where one is near and never inside a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const room = text.slice(0, max - 1)
  const blank = room.lastIndexOf(' ')
  const kept = blank > max / 2 ? room.slice(0, blank) : room.replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}

export function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0]?.replace(/[.!?]+$/, '') ?? text
}

export const capitalised = (text: string): string => {
  const [first = ''] = text
  return `${first.toUpperCase()}${text.slice(first.length)}`
}

/** The distinct non-empty entries, in their first order. */
export const distinct = (entries: readonly string[]): string[] => [
  ...new Set(entries.filter((entry) => entry !== '')),
]
