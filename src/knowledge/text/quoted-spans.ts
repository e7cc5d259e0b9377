export interface QuotedSpan {
  readonly start: number
  /** The index after the closing mark, or the end of the text if there is none. */
  readonly end: number
  /** The text between the marks; undefined if there is no closing mark. */
  readonly inner?: string
}

/** The quoted parts of a text. A mark without a closing mark quotes the rest of the text. */
function findQuotedSpans(text: string): QuotedSpan[] {
  const spans: QuotedSpan[] = []
  let at = 0
  while (at < text.length) {
    const span = findSpanAt(text, at)
    if (span !== undefined) spans.push(span)
    at = span?.end ?? at + 1
  }
  return spans
}

export function replaceQuoted(text: string, replace: (span: QuotedSpan) => string): string {
  let out = ''
  let at = 0
  for (const span of findQuotedSpans(text)) {
    out += text.slice(at, span.start) + replace(span)
    at = span.end
  }
  return out + text.slice(at)
}

/** The closing marks of each opening mark. Closing marks can also open, because some languages quote ”so” or »so«. */
const CLOSING_MARKS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['＂', '＂'],
  ['`', '`'],
  ['“', '”'],
  ['”', '”“'],
  ['„', '“”'],
  ['«', '»'],
  ['»', '«»'],
  ['‹', '›'],
  ['›', '‹›'],
  ['「', '」'],
  ['『', '』'],
])
const SYMMETRIC_MARKS = '"＂`'

/** The placeholder of a typed text; not a quotation. */
const TEXT_TOKEN = /‹text:\d{1,3}›/y
const WORD_END = /[\p{L}\p{N}\p{M}]$/u
const WORD_START = /^[\p{L}\p{N}\p{M}]/u

function findSpanAt(text: string, start: number): QuotedSpan | undefined {
  const mark = text.charAt(start)
  if (mark === "'" || mark === '‘') return findSingleQuotedSpan(text, start)
  const closing = CLOSING_MARKS.get(mark)
  if (closing === undefined) return undefined
  if (mark === '‹' && isTextToken(text, start)) return undefined
  if (mark === '›' && isEndOfTextToken(text, start)) return undefined
  const content = SYMMETRIC_MARKS.includes(mark) ? skipRepeatedMarks(text, start) : start + 1
  const close = SYMMETRIC_MARKS.includes(mark)
    ? findSymmetricClose(text, content, mark)
    : findDirectedClose(text, content, { mark, closing })
  return buildSpan(text, { start, content, close })
}

function buildSpan(
  text: string,
  { start, content, close }: { start: number; content: number; close: number },
): QuotedSpan | undefined {
  if (close !== -1) {
    const end = skipRepeatedMarks(text, close)
    return { start, end, inner: text.slice(content, close) }
  }
  // A mark at the end of the text quotes nothing.
  return content >= text.length ? undefined : { start, end: text.length }
}

/** Repeated marks, as in `""so""`, count as one. */
function skipRepeatedMarks(text: string, at: number): number {
  let end = at + 1
  while (SYMMETRIC_MARKS.includes(text.charAt(at)) && text.charAt(end) === text.charAt(at)) end += 1
  return end
}

/** Returns -1 if the pairing is ambiguous: an odd number of marks (5" wide) or an escaped mark. */
function findSymmetricClose(text: string, from: number, mark: string): number {
  const rest = text.slice(from)
  const runs = rest.split(new RegExp(`${mark}+`, 'u')).length - 1
  return runs % 2 === 0 || rest.includes(`\\${mark}`) ? -1 : text.indexOf(mark, from)
}

function findDirectedClose(text: string, from: number, { mark, closing }: { mark: string; closing: string }): number {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (closing.includes(text.charAt(at))) depth -= 1
    else if (text.charAt(at) === mark) depth += 1
    if (depth === 0) return at
  }
  return -1
}

/** A single mark inside a word is an apostrophe. */
function findSingleQuotedSpan(text: string, start: number): QuotedSpan | undefined {
  if (WORD_END.test(text.slice(0, start))) return undefined
  for (let at = start + 2; at < text.length; at += 1) {
    const closes = "'’".includes(text.charAt(at)) && !WORD_START.test(text.slice(at + 1))
    if (closes) return { start, end: at + 1, inner: text.slice(start + 1, at) }
  }
  return start + 1 >= text.length ? undefined : { start, end: text.length }
}

function isTextToken(text: string, at: number): boolean {
  TEXT_TOKEN.lastIndex = at
  return TEXT_TOKEN.test(text)
}

/** The closing mark of a placeholder does not open a quotation. */
const isEndOfTextToken = (text: string, at: number): boolean =>
  /‹text:\d{1,3}›$/.test(text.slice(Math.max(0, at - 9), at + 1))
