import { Buffer } from 'node:buffer'

/** One part of a form. Its body must be read, or left, before the next part is asked for. */
export interface FormPart {
  readonly name: string
  readonly filename?: string | undefined
  readonly type?: string | undefined
  readonly body: AsyncIterable<Buffer>
}

/** The form breaks the rules of multipart bodies. */
export class BrokenForm extends Error {}

const longestHeaders = 8192
const mostParts = 20
const newline = Buffer.from('\r\n')
const blankLine = Buffer.from('\r\n\r\n')

/** The boundary a content type names; undefined for anything but a form. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
      contentType ?? '',
    ) ?? []
  return quoted ?? plain
}

/** Reads a form as it comes in; never more than a piece of it is in memory. */
export async function* readForm(
  source: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const form = new FormReader(source, boundary)
  await form.skipBody()
  for (let part = 0; await form.hasNext(); part += 1) {
    if (part === mostParts) throw new BrokenForm('There are too many parts.')
    yield { ...(await form.headers()), body: form.body() }
    await form.skipBody()
  }
}

class FormReader {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #delimiter: Buffer
  // So that the first delimiter, which has no line before it, looks like the others.
  #held: Buffer = newline
  #inBody = true
  #atStart = false

  constructor(source: AsyncIterable<Buffer>, boundary: string) {
    this.#pieces = source[Symbol.asyncIterator]()
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** After a delimiter: another part, or the end of the form. */
  async hasNext(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more()
    const mark = this.#held.toString('latin1', 0, 2)
    if (mark === '--') return false
    if (mark !== '\r\n') throw new BrokenForm('A part does not begin on a line of its own.')
    return true
  }

  async headers(): Promise<Omit<FormPart, 'body'>> {
    let end = this.#held.indexOf(blankLine)
    while (end < 0) {
      if (this.#held.length > longestHeaders) throw new BrokenForm('The headers are too long.')
      await this.#more()
      end = this.#held.indexOf(blankLine)
    }
    const lines = this.#held.toString('utf8', 2, Math.max(2, end)).split('\r\n')
    this.#held = this.#held.subarray(end + blankLine.length - 2)
    // The line break before a body also is the one before a delimiter that follows at once.
    this.#inBody = true
    this.#atStart = true
    return readHeaders(lines)
  }

  async *body(): AsyncGenerator<Buffer> {
    while (this.#inBody) {
      const piece = await this.#next()
      if (piece.length > 0) yield piece
    }
  }

  async skipBody(): Promise<void> {
    while (this.#inBody) await this.#next()
  }

  async #next(): Promise<Buffer> {
    const at = this.#held.indexOf(this.#delimiter)
    const start = this.#atStart ? newline.length : 0
    if (at >= 0) {
      const piece = this.#held.subarray(Math.min(start, at), at)
      this.#held = this.#held.subarray(at + this.#delimiter.length)
      this.#inBody = false
      this.#atStart = false
      return piece
    }
    const sure = this.#held.length - this.#delimiter.length
    if (sure > start) {
      const piece = this.#held.subarray(start, sure)
      this.#held = this.#held.subarray(sure)
      this.#atStart = false
      return piece
    }
    await this.#more()
    return Buffer.alloc(0)
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#pieces.next()
    if (done === true) throw new BrokenForm('The form ends in the middle of a part.')
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
  }
}

function readHeaders(lines: readonly string[]): Omit<FormPart, 'body'> {
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const
    }),
  )
  const disposition = headers.get('content-disposition') ?? ''
  const name = parameter(disposition, 'name')
  if (name === undefined || !/^form-data\b/i.test(disposition)) {
    throw new BrokenForm('A part has no name.')
  }
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return { name, filename: parameter(disposition, 'filename'), type }
}

function parameter(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? []
  return quoted?.replaceAll(/\\(.)/g, '$1').replaceAll(/%22/g, '"') ?? plain
}
