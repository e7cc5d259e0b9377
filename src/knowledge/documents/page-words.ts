import type { Word } from '../tables/geometry.ts'

/** The words of one page, in the order of reading, by their blocks. Blocks are what a match may go across the lines of. */
export interface PageWords {
  readonly page: number
  readonly blocks: readonly (readonly Word[])[]
}

const WORD =
  /^<word xMin="(-?\d{1,9}(?:\.\d{1,9})?)" yMin="(-?\d{1,9}(?:\.\d{1,9})?)" xMax="(-?\d{1,9}(?:\.\d{1,9})?)" yMax="(-?\d{1,9}(?:\.\d{1,9})?)">(.*)<\/word>$/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the output of `pdftotext -bbox-layout`. Each element is on a line of its own, and `<` of texts is escaped, so
 * that lines are enough; texts may have characters that XML does not allow.
 */
export function parsePageWords(text: string, firstPage: number): PageWords[] {
  const pages: { page: number; blocks: Word[][] }[] = []
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line.startsWith('<page ')) pages.push({ page: firstPage + pages.length, blocks: [] })
    else if (line.startsWith('<block ')) pages.at(-1)?.blocks.push([])
    else if (line.startsWith('<word ')) {
      const word = parseWord(line)
      if (word !== undefined) pages.at(-1)?.blocks.at(-1)?.push(word)
    }
  }
  return pages.map(({ page, blocks }) => ({ page, blocks: blocks.filter((block) => block.length > 0) }))
}

function parseWord(line: string): Word | undefined {
  const match = WORD.exec(line)
  if (match === null) return undefined
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = match.slice(1, 5).map(Number)
  const text = cleanText(
    (match[5] ?? '').replaceAll(/&(amp|lt|gt|quot|apos);/g, (_all, name: string) => ENTITIES[name] ?? ''),
  )
  return text === '' || x1 < x0 || y1 < y0 ? undefined : { x0, y0, x1, y1, text }
}

/** Removes characters that control a terminal or a parser. */
export function cleanText(text: string): string {
  let clean = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (!isRemoved(text.charCodeAt(at))) continue
    clean += text.slice(from, at)
    from = at + 1
  }
  return from === 0 ? text : clean + text.slice(from)
}

/** None of these is a half of a longer character. */
const isRemoved = (code: number): boolean =>
  code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0xfffe || code === 0xffff

export interface RecognizedWord extends Word {
  /** From 0 to 100. */
  readonly confidence: number
}

/** What OCR read on a page. The boxes are in points of the picture. */
export interface RecognizedPage {
  readonly width: number
  readonly height: number
  readonly lines: readonly (readonly RecognizedWord[])[]
}

const PAGE_LEVEL = 1
const WORD_LEVEL = 5

/** Reads the TSV output of tesseract, one entry for each page of the picture. */
export function parseRecognizedPages(text: string): RecognizedPage[] {
  const pages: { width: number; height: number; lines: Map<string, RecognizedWord[]> }[] = []
  for (const row of text.split('\n').slice(1)) {
    const fields = row.split('\t')
    const [
      level = 0,
      ,
      block = 0,
      paragraph = 0,
      line = 0,
      ,
      left = 0,
      top = 0,
      width = 0,
      height = 0,
      confidence = 0,
    ] = fields.slice(0, 11).map(Number)
    if (level === PAGE_LEVEL) pages.push({ width, height, lines: new Map() })
    const word = cleanText(fields[11] ?? '').trim()
    if (level !== WORD_LEVEL || word === '' || confidence < 0) continue
    const key = `${block}.${paragraph}.${line}`
    const lines = pages.at(-1)?.lines
    const words = lines?.get(key) ?? []
    words.push({ x0: left, y0: top, x1: left + width, y1: top + height, text: word, confidence })
    lines?.set(key, words)
  }
  return pages.map(({ lines, ...size }) => ({ ...size, lines: [...lines.values()] }))
}

/** Converts boxes from points of a picture to those of the page. */
export const scaleWords = <W extends Word>(words: readonly W[], scale: number): W[] =>
  words.map((word) => ({
    ...word,
    x0: word.x0 * scale,
    y0: word.y0 * scale,
    x1: word.x1 * scale,
    y1: word.y1 * scale,
  }))

export const formatRecognizedText = ({ lines }: RecognizedPage): string =>
  lines.map((words) => words.map(({ text }) => text).join(' ')).join('\n')
