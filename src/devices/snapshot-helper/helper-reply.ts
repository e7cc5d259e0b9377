import { HelperFailure } from './helper-failure.ts'

const PROTOCOL = 'android-snapshot-helper-v1'
const HEADER_END = Buffer.from('\n\n')

export interface HelperReply {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Parses an answer of the session. Throws a `HelperFailure` unless it is complete, successful and to this request. */
export function parseHelperReply(bytes: Buffer, requestId: string): HelperReply {
  const end = bytes.indexOf(HEADER_END)
  if (end === -1) {
    throw new HelperFailure(bytes.length === 0 ? 'unreachable' : 'invalid_answer', 'the answer ends in its headers')
  }
  const headers = readHeaders(bytes.toString('utf8', 0, end))
  const body = bytes.subarray(end + HEADER_END.length)
  if (headers.get('agentDeviceProtocol') !== PROTOCOL || headers.get('requestId') !== requestId) {
    throw new HelperFailure('invalid_answer', 'the answer is of another protocol or to another request')
  }
  if (headers.get('ok') !== 'true') {
    const message = `${headers.get('errorType') ?? ''} ${headers.get('message') ?? ''}`.trim()
    throw new HelperFailure('reported_error', message)
  }
  if (body.length !== Number(headers.get('byteLength') ?? 0)) {
    throw new HelperFailure('invalid_answer', `${body.length} of ${headers.get('byteLength') ?? 0} bytes arrived`)
  }
  return { headers, body: body.toString('utf8') }
}

function readHeaders(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
    }),
  )
}
