/** A reply, or one event of a stream, is more than the daemon reads. */
export class ReplyTooLarge extends Error {}

export interface ReplyLimits {
  readonly bytes: number
  /** How many values the JSON may have. Small values take much longer to read than one long text. Default: any number. */
  readonly values?: number
  /** How many lists and objects may be inside each other. */
  readonly depth?: number
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE, BACKSLASH] = [10, 13, 34, 92]
const [COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [44, 58, 91, 93, 123, 125]

/** The reply, whose body ends with an error when it gets too large. In a stream of events each event may have the size. */
export function limitReply(reply: Response, limits: ReplyLimits): Response {
  if (reply.body === null) return reply
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
  const meter = new ReplyMeter(limits, isStream)
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      meter.read(piece)
      controller.enqueue(piece)
    },
  })
  const { status, statusText, headers } = reply
  return new Response(reply.body.pipeThrough(count), { status, statusText, headers })
}

/** Measures JSON while it arrives, before it is parsed as a whole. */
class ReplyMeter {
  readonly #limits: Required<ReplyLimits>
  readonly #isStream: boolean
  #bytes = 0
  #values = 0
  #depth = 0
  #isLineEmpty = true
  #isInText = false
  #isEscaped = false

  constructor({ bytes, values = Infinity, depth = Infinity }: ReplyLimits, isStream: boolean) {
    this.#limits = { bytes, values, depth }
    this.#isStream = isStream
  }

  read(piece: Uint8Array): void {
    for (const byte of piece) {
      this.#bytes += 1
      if (byte === LINE_FEED) this.#endLine()
      else if (byte !== CARRIAGE_RETURN) this.#readInLine(byte)
    }
    this.#check()
  }

  /** A text of JSON has no line ends, so whatever a line is, the next one begins outside of texts. */
  #endLine(): void {
    if (this.#isStream && this.#isLineEmpty) {
      this.#check()
      this.#bytes = 0
      this.#values = 0
      this.#depth = 0
    }
    this.#isLineEmpty = true
    this.#isInText = false
    this.#isEscaped = false
  }

  #readInLine(byte: number): void {
    this.#isLineEmpty = false
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInText = false
    } else if (byte === QUOTE) this.#isInText = true
    else if (byte === COMMA || byte === COLON) this.#values += 1
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#enter()
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1
  }

  #enter(): void {
    this.#values += 1
    this.#depth += 1
    const { depth } = this.#limits
    if (this.#depth > depth) throw new ReplyTooLarge(`The server sent lists in more than ${depth} others.`)
  }

  #check(): void {
    const { bytes, values } = this.#limits
    if (this.#bytes > bytes) throw new ReplyTooLarge(`The server sent more than ${bytes} bytes.`)
    if (this.#values > values) throw new ReplyTooLarge(`The server sent more than ${values} values.`)
  }
}
