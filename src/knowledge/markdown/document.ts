/** A Markdown text, split into header and body. All line ends are converted to line feeds. */
export interface MarkdownDocument {
  /** The lines between the `---` fences; absent if the text has no header. */
  readonly header?: string | undefined
  /** The text after the header, or the whole text. */
  readonly body: string
  /** The line number of the first line of the body, counted from 1. */
  readonly bodyLine: number
  /** Whether the text starts with a byte order mark, which is part of neither header nor body. */
  readonly hasByteOrderMark: boolean
}

/** The line number of the first line of a header. */
export const HEADER_LINE = 2

/** A header must start on the first line. `readFields` or `readYaml` parse its text. */
export function splitDocument(text: string): MarkdownDocument {
  const hasByteOrderMark = text.startsWith('\uFEFF')
  const lines = (hasByteOrderMark ? text.slice(1) : text).split(/\r?\n/)
  const end = isFence(lines[0]) ? lines.findIndex((line, at) => at > 0 && isFence(line)) : -1
  if (end < 0) return { body: lines.join('\n'), bodyLine: 1, hasByteOrderMark }
  const header = lines.slice(1, end).join('\n')
  return { header, body: lines.slice(end + 1).join('\n'), bodyLine: end + 2, hasByteOrderMark }
}

/** Where the body starts in the text, after the closing fence of the header; 0 without a header. */
export function findBodyOffset(text: string): number {
  if (!startsWithHeader(text)) return 0
  let at = text.indexOf('\n') + 1
  while (at > 0 && at < text.length) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? undefined : end).replace(/\r$/, '')
    const next = end < 0 ? text.length : end + 1
    if (isFence(line)) return next
    at = next
  }
  return 0
}

/** Whether the first line is a fence, with or without a closing one. */
export const startsWithHeader = (text: string): boolean => /^\uFEFF?---[ \t]*(?:\r?\n|$)/.test(text)

const isFence = (line: string | undefined): boolean => line !== undefined && /^---[ \t]*$/.test(line)
