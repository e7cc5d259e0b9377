export interface QuotedSpan {
  readonly start: number
  /** After the closing mark, or the end of the text when nothing closes it. */
  readonly end: number
  /** What stands between the marks; absent when the marks do not pair up. */
  readonly inner?: string
}

/** The quoted parts of a text. In doubt a part counts as quoted: a mark without its partner quotes the rest. */
function quotedSpans(text: string): QuotedSpan[] {
  const spans: QuotedSpan[] = []
  let at = 0
  while (at < text.length) {
    const span = spanAt(text, at)
    if (span !== undefined) spans.push(span)
    at = span?.end ?? at + 1
  }
  return spans
}

export function replaceQuoted(text: string, replace: (span: QuotedSpan) => string): string {
  let out = ''
  let at = 0
  for (const span of quotedSpans(text)) {
    out += text.slice(at, span.start) + replace(span)
    at = span.end
  }
  return out + text.slice(at)
}

/** Opening mark to the marks that close it. A closing mark that comes first opens: some languages quote ”so” or »so«. */
const closers: ReadonlyMap<string, string> = new Map([
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
const symmetric = '"＂`'

/** Stands for a typed text already taken out; not a quotation. */
const ownToken = /‹text:\d{1,3}›/y
const wordEnd = /[\p{L}\p{N}\p{M}]$/u
const wordStart = /^[\p{L}\p{N}\p{M}]/u

function spanAt(text: string, start: number): QuotedSpan | undefined {
  const mark = text.charAt(start)
  if (mark === "'" || mark === '‘') return singleSpan(text, start)
  const closing = closers.get(mark)
  if (closing === undefined) return undefined
  if (mark === '‹' && isOwnToken(text, start)) return undefined
  if (mark === '›' && isEndOfOwnToken(text, start)) return undefined
  const content = symmetric.includes(mark) ? afterRun(text, start) : start + 1
  const close = symmetric.includes(mark)
    ? symmetricClose(text, content, mark)
    : directedClose(text, content, { mark, closing })
  return spanOf(text, { start, content, close })
}

function spanOf(
  text: string,
  { start, content, close }: { start: number; content: number; close: number },
): QuotedSpan | undefined {
  if (close !== -1) {
    const end = afterRun(text, close)
    return { start, end, inner: text.slice(content, close) }
  }
  // Nothing follows, so nothing is quoted.
  return content >= text.length ? undefined : { start, end: text.length }
}

/** Several marks in a row, as in `""so""`, are one. */
function afterRun(text: string, at: number): number {
  let end = at + 1
  while (symmetric.includes(text.charAt(at)) && text.charAt(end) === text.charAt(at)) end += 1
  return end
}

/** An odd mark (5" wide) or an escaped one leaves open which belong together; then nothing closes. */
function symmetricClose(text: string, from: number, mark: string): number {
  const rest = text.slice(from)
  const runs = rest.split(new RegExp(`${mark}+`, 'u')).length - 1
  return runs % 2 === 0 || rest.includes(`\\${mark}`) ? -1 : text.indexOf(mark, from)
}

function directedClose(
  text: string,
  from: number,
  { mark, closing }: { mark: string; closing: string },
): number {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (closing.includes(text.charAt(at))) depth -= 1
    else if (text.charAt(at) === mark) depth += 1
    if (depth === 0) return at
  }
  return -1
}

/** A single mark inside a word is an apostrophe. */
function singleSpan(text: string, start: number): QuotedSpan | undefined {
  if (wordEnd.test(text.slice(0, start))) return undefined
  for (let at = start + 2; at < text.length; at += 1) {
    const closes = "'’".includes(text.charAt(at)) && !wordStart.test(text.slice(at + 1))
    if (closes) return { start, end: at + 1, inner: text.slice(start + 1, at) }
  }
  return start + 1 >= text.length ? undefined : { start, end: text.length }
}

function isOwnToken(text: string, at: number): boolean {
  ownToken.lastIndex = at
  return ownToken.test(text)
}

/** The closing mark of such a token opens nothing either. */
const isEndOfOwnToken = (text: string, at: number): boolean =>
  /‹text:\d{1,3}›$/.test(text.slice(Math.max(0, at - 9), at + 1))
