import { connect } from 'node:net'
import request from 'supertest'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'

const url = '/api/learn/sessions'

test('over a real socket a session is created, listed and refused a second time', async () => {
  const daemon = await startDaemon()
  await daemon.listen()
  const agent = request(daemon.app.server)
  const auth = { authorization: `Bearer ${adminToken}` }
  const made = await agent.post(url).set(auth).send({ entry_mode: 'coaching_agent' })
  expect(made.status).toBe(201)
  expect(made.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  expect(made.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
  const listed = await agent.get(url).set(auth)
  expect(listed.body).toMatchObject({ total: 1 })
  const again = await agent.post(url).set(auth).send({ entry_mode: 'coaching_agent' })
  expect(again.status).toBe(409)
  expect(again.headers).not.toHaveProperty('x-powered-by')
})

test('two requests on one connection, sent without waiting, are answered in order', async () => {
  const daemon = await startDaemon()
  const { url: base } = await daemon.listen()
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  let heard = ''
  socket.on('data', (chunk) => {
    heard += String(chunk)
  })
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
  socket.write(ask('/healthz') + ask('/api/nothing'))
  await expect.poll(() => heard.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
})

test('a body that is cut off in the middle changes nothing', async () => {
  const daemon = await startDaemon()
  const { url: base } = await daemon.listen()
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(
    `POST ${url} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\n` +
      'content-type: application/json\r\ncontent-length: 500\r\n\r\n{"entry_mode":"coaching_agent"}',
  )
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
  const { body } = await request(daemon.app.server)
    .get(url)
    .set({ authorization: `Bearer ${adminToken}` })
  expect(body).toMatchObject({ total: 0 })
  expect(daemon.events()).toEqual([])
})
