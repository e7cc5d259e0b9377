import type { Fonts, Weight } from './fonts.ts'

export interface TextStyle {
  readonly size: number
  readonly weight: Weight
}

export interface TextLine {
  readonly text: string
  readonly width: number
}

/** Breaks text at spaces, and inside a word only when the word is wider than a line. */
export function breakLines(fonts: Fonts, text: string, style: TextStyle, room: number): TextLine[] {
  const measure = (part: string): number => fonts.measure(part, style.size, style.weight)
  return text.split('\n').flatMap((paragraph) => {
    const width = measure(paragraph)
    if (width <= room) return [{ text: paragraph, width }]
    return breakParagraph(paragraph, room, measure).map((line) => ({ text: line, width: measure(line) }))
  })
}

type Measure = (part: string) => number

function breakParagraph(paragraph: string, room: number, measure: Measure): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of paragraph.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (measure(longer) <= room) {
      current = longer
      continue
    }
    if (current !== '') lines.push(current)
    const pieces = breakWord(word, room, measure)
    current = pieces.pop() ?? ''
    lines.push(...pieces)
  }
  return [...lines, current]
}

function breakWord(word: string, room: number, measure: Measure): string[] {
  if (measure(word) <= room) return [word]
  const pieces: string[] = []
  let current = ''
  for (const char of word) {
    if (current !== '' && measure(current + char) > room) {
      pieces.push(current)
      current = ''
    }
    current += char
  }
  return [...pieces, current]
}

/** Shortens a line that is too wide, and ends it with an ellipsis. */
export function shortenLine(fonts: Fonts, line: TextLine, style: TextStyle, room: number): TextLine {
  if (line.width <= room) return line
  const chars = Array.from(line.text)
  while (chars.length > 0) {
    chars.pop()
    const text = `${chars.join('').trimEnd()}…`
    const width = fonts.measure(text, style.size, style.weight)
    if (width <= room) return { text, width }
  }
  return { text: '', width: 0 }
}
