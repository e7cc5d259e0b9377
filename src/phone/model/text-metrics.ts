/** Sizes of the built-in bitmap font: every character is as wide as the next. */
export const GLYPH_COLUMNS = 5
export const GLYPH_ROWS = 9
const ADVANCE_COLUMNS = 6
const LINE_ROWS = 12

export function glyphScale(size: number): number {
  return Math.max(1, Math.round(size / 10))
}

export function advanceOf(size: number): number {
  return ADVANCE_COLUMNS * glyphScale(size)
}

export function lineHeightOf(size: number): number {
  return LINE_ROWS * glyphScale(size)
}

/** Breaks text at spaces, and inside a word only when the word alone is too wide. */
export function wrapText(text: string, size: number, maxWidth: number): string[] {
  const room = Math.max(1, Math.floor(maxWidth / advanceOf(size)))
  return text.split('\n').flatMap((line) => wrapLine(line, room))
}

function wrapLine(line: string, room: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (lengthOf(longer) <= room) {
      current = longer
      continue
    }
    if (current !== '') lines.push(current)
    const pieces = chunks(word, room)
    current = pieces.pop() ?? ''
    lines.push(...pieces)
  }
  lines.push(current)
  return lines
}

function chunks(word: string, room: number): string[] {
  const letters = Array.from(word)
  const pieces: string[] = []
  for (let at = 0; at < letters.length; at += room)
    pieces.push(letters.slice(at, at + room).join(''))
  return pieces
}

export function lengthOf(text: string): number {
  return Array.from(text).length
}
