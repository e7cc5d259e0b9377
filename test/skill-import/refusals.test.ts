import { Buffer } from 'node:buffer'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { adminToken, shareDaemon } from '../kit/daemon.ts'
import { buildForm, FORM_TYPE } from './import-kit.ts'

const daemon = shareDaemon()
const MEGABYTE = 1 << 20
const PATH = '/api/skills/import/uploads'
const large = buildForm(Buffer.alloc(24 * MEGABYTE, 1), { filename: 'notes.exe', type: 'text/plain' })
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': FORM_TYPE }

/** Refused before, while and after the body is read. */
const CASES: readonly (readonly [name: string, path: string, headers: Record<string, string>, status: number])[] = [
  ['a wrong type', PATH, headers, 415],
  ['no token', PATH, { 'content-type': FORM_TYPE }, 401],
  ['an unknown route', '/api/no-such-route', headers, 404],
  ['a body that is too large', '/api/learn/sessions', { ...headers, 'content-type': 'application/json' }, 413],
]

let url = ''
beforeAll(async () => {
  url = (await daemon().listen()).url
})

test.each(CASES)('with %s, all of many clients read the refusal', async (_name, path, sent, status) => {
  for (let round = 0; round < 5; round += 1) {
    const reply = await fetch(url + path, { method: 'POST', headers: sent, body: large })
    expect(reply.status).toBe(status)
    expect(await reply.json()).toMatchObject({ error: { code: expect.any(String) } })
  }
  expect(await sendRaw(path, sent)).toContain(`HTTP/1.1 ${status} `)
})

/** Sends head and body at once and only then reads, as simple clients do. */
async function sendRaw(path: string, sent: Record<string, string>): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, 'content-length': String(large.length), ...sent })
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const socket = connect(Number(port), hostname)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    socket.on('error', reject)
    socket.on('data', (piece) => received.push(piece))
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    socket.write(head)
    socket.write(large)
  })
}
