/** Sizes of the built-in monospaced bitmap font. */
export const GLYPH_COLUMNS = 5
export const GLYPH_ROWS = 9
const ADVANCE_COLUMNS = 6
const LINE_ROWS = 12

export function glyphScale(size: number): number {
  return Math.max(1, Math.round(size / 10))
}

export function measureAdvance(size: number): number {
  return ADVANCE_COLUMNS * glyphScale(size)
}

export function measureLineHeight(size: number): number {
  return LINE_ROWS * glyphScale(size)
}

/** Breaks text at spaces. Breaks inside a word only when the word is wider than a line. */
export function wrapText(text: string, size: number, maxWidth: number): string[] {
  const room = Math.max(1, Math.floor(maxWidth / measureAdvance(size)))
  return text.split('\n').flatMap((line) => wrapLine(line, room))
}

function wrapLine(line: string, room: number): string[] {
  if (line.length <= room && !line.startsWith(' ')) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (countCharacters(longer) <= room) {
      current = longer
      continue
    }
    if (current !== '') lines.push(current)
    const pieces = splitWord(word, room)
    current = pieces.pop() ?? ''
    lines.push(...pieces)
  }
  lines.push(current)
  return lines
}

function splitWord(word: string, room: number): string[] {
  const letters = Array.from(word)
  const pieces: string[] = []
  for (let at = 0; at < letters.length; at += room) pieces.push(letters.slice(at, at + room).join(''))
  return pieces
}

export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
