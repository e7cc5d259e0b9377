import { existsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, serve } from './program.ts'

const TOKEN = 'a-token-for-this-test-only'

/** Opens a connection, sends a part of a request and keeps it open. */
async function sendPart(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve) => socket.write(text, () => resolve()))
}

test('half a request and a request that waits do not make a stop a hard one', async () => {
  const home = createHome()
  const daemon = await serve(home, { APPRENTICE_TOKEN: TOKEN })
  const { host } = new URL(daemon.url)
  await sendPart(daemon.url, 'POST /api/learn/sessions HTTP/1.1\r\nhost: ')
  const head = `POST /api/learn/sessions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${TOKEN}\r\n`
  await sendPart(daemon.url, `${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"entry`)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const devices = (await (await fetch(`${daemon.url}/api/devices`, { headers })).json()) as {
    devices: { serial: string }[]
  }
  const payload = {
    commandId: 'c',
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 100_000,
    actions: [{ id: 'a', type: 'sleep', params: { durationMs: 60_000 } }],
  }
  const body = JSON.stringify({ serial: devices.devices[0]?.serial, execution: payload, wait_ms: 60_000 })
  const waiting = fetch(`${daemon.url}/api/executions`, { method: 'POST', headers, body })
  await expect
    .poll(async () => (await (await fetch(`${daemon.url}/api/executions`, { headers })).json()) as object)
    .toMatchObject({ total: 1 })

  expect(await daemon.stop()).toBe(0)
  expect((await waiting).status).toBe(202)
  const log = join(home, 'apprentice.db-wal')
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0)
})
