import { expect, test } from 'vitest'
import { parseHelperReply } from '../../../src/devices/snapshot-helper/helper-reply.ts'

const XML = '<hierarchy rotation="0"><node text="ë" /></hierarchy>'

function buildReply(changes: Readonly<Record<string, string>> = {}, body = XML): Buffer {
  const headers = {
    agentDeviceProtocol: 'android-snapshot-helper-v1',
    requestId: 'r1',
    ok: 'true',
    byteLength: String(Buffer.byteLength(XML)),
    ...changes,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}=${value}\n`)
  return Buffer.from(`${lines.join('')}\n${body}`)
}

test('a complete answer has its headers and the tree, counted in bytes', () => {
  const { headers, body } = parseHelperReply(buildReply({ message: 'a=b' }), 'r1')
  expect([headers.get('message'), body]).toEqual(['a=b', XML])
})

test.each([
  ['nothing', Buffer.alloc(0), 'unreachable'],
  ['half of the headers', buildReply().subarray(0, 40), 'invalid_answer'],
  ['a shorter body, although it is well-formed', buildReply({}, '<hierarchy><node /></hierarchy>'), 'invalid_answer'],
  ['a longer body', buildReply({}, `${XML} `), 'invalid_answer'],
  ['another protocol', buildReply({ agentDeviceProtocol: 'android-snapshot-helper-v9' }), 'invalid_answer'],
  ['the answer to another request', buildReply({ requestId: 'r0' }), 'invalid_answer'],
  ['a failure', buildReply({ ok: 'false', errorType: 'java.lang.X', message: 'no' }), 'reported_error'],
])('%s is a failure of the helper', (_what, bytes, kind) => {
  expect(() => parseHelperReply(bytes, 'r1')).toThrow(expect.objectContaining({ name: 'HelperFailure', kind }))
})
