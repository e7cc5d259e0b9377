/** A Markdown text and the header it may begin with. Lines end with a line feed, whatever they ended with before. */
export interface MarkdownDocument {
  /** The lines between the fences; absent when the text does not begin with a fence, or no other follows. */
  readonly header?: string | undefined
  /** What follows the header, or all there is. */
  readonly body: string
  /** The line of the text the body begins on, counted from one. */
  readonly bodyLine: number
  /** Whether a byte order mark stands before everything; it is part of neither. */
  readonly marked: boolean
}

/** The line of the text a header begins on. */
export const headerLine = 2

/** A header begins with the very first line. It is text until `readFields` or `readYaml` has read it. */
export function splitDocument(text: string): MarkdownDocument {
  const marked = text.startsWith('\uFEFF')
  const lines = (marked ? text.slice(1) : text).split(/\r?\n/)
  const end = isFence(lines[0]) ? lines.findIndex((line, at) => at > 0 && isFence(line)) : -1
  if (end < 0) return { body: lines.join('\n'), bodyLine: 1, marked }
  const header = lines.slice(1, end).join('\n')
  return { header, body: lines.slice(end + 1).join('\n'), bodyLine: end + 2, marked }
}

/** Whether a header is begun, be it ended or not. */
export const opensHeader = (text: string): boolean => /^\uFEFF?---[ \t]*(?:\r?\n|$)/.test(text)

const isFence = (line: string | undefined): boolean =>
  line !== undefined && /^---[ \t]*$/.test(line)
