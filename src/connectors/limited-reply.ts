/** A reply, or one event of a stream, is larger than the daemon reads. */
export class ReplyTooLarge extends Error {}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]

/** The reply, whose body ends with an error when it gets too large. In a stream of events each event may have the size. */
export function limitReply(reply: Response, maxBytes: number): Response {
  if (reply.body === null) return reply
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
  let bytes = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      const end = isStream ? findLastEnd(piece) : -1
      bytes = end === -1 ? bytes + piece.byteLength : piece.byteLength - end
      if (bytes > maxBytes) throw new ReplyTooLarge(`The server sent more than ${maxBytes} bytes.`)
      controller.enqueue(piece)
    },
  })
  const { status, statusText, headers } = reply
  return new Response(reply.body.pipeThrough(count), { status, statusText, headers })
}

/** Where the last event in a piece ends: after an empty line. -1 if none ends in it. */
function findLastEnd(piece: Uint8Array): number {
  for (let at = piece.length - 1; at > 0; at -= 1) {
    if (piece[at] !== LINE_FEED) continue
    const before = piece[at - 1] === CARRIAGE_RETURN ? piece[at - 2] : piece[at - 1]
    if (before === LINE_FEED) return at + 1
  }
  return -1
}
