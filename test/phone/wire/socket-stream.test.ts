import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { SocketStream } from '@apprentice/phone/wire/socket-stream.ts'

test('close delivers all written bytes to a slow client', async () => {
  const { near, far } = await socketPair()
  const stream = new SocketStream(near)
  far.pause()
  let sent = 0
  while (near.writableLength === 0) {
    void stream.write(Buffer.alloc(64 * 1024))
    sent += 64 * 1024
    await sleep(1)
  }
  stream.close()
  await sleep(1300)
  let received = 0
  far.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  far.resume()
  await once(far, 'close')
  expect(received).toBe(sent)
})

test('a client that sends faster than the reader is paused', async () => {
  const { near, far } = await socketPair()
  const stream = new SocketStream(near)
  for (let count = 0; count < 400; count += 1) far.write(Buffer.alloc(64 * 1024))
  await expect.poll(() => near.isPaused()).toBe(true)
  expect(far.writableLength).toBeGreaterThan(0)
  far.end()
  let received = 0
  for (;;) {
    const chunk = await stream.read()
    if (chunk === undefined) break
    received += chunk.length
  }
  expect(received).toBe(400 * 64 * 1024)
  expect(stream.signal.aborted).toBe(true)
})

test('a write after the client left returns immediately', async () => {
  const { near, far } = await socketPair()
  const stream = new SocketStream(near)
  far.resetAndDestroy()
  expect(await stream.read()).toBeUndefined()
  await stream.write(Buffer.alloc(10_000_000))
  expect(stream.signal.aborted).toBe(true)
})

async function socketPair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [near] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    near.destroy()
    far.destroy()
    server.close()
  })
  return { near, far }
}
