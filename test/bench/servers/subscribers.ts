import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// Many subscribers of one stream in one process. Notifies the parent when the last one has received an event.
const [, , address = '', path = '', token = '', countText = ''] = process.argv
const { hostname, port, host } = new URL(address)
const count = Number(countText)
const request = [
  `GET ${path} HTTP/1.1`,
  `host: ${host}`,
  `authorization: Bearer ${token}`,
  'accept: text/event-stream',
  '\r\n',
].join('\r\n')

const arrived = new Map<number, number>()
const sockets: Socket[] = []

for (let opened = 0; opened < count; opened += 50) {
  await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open))
}
process.send?.({ ready: true })

async function open(): Promise<void> {
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  socket.on('error', fail)
  await once(socket, 'connect')
  socket.write(request)
  await once(socket, 'data')
  socket.on('data', (chunk: Buffer) => countEvents(chunk))
  socket.on('close', () => fail(new Error('a stream ended')))
  sockets.push(socket)
}

/** An event is one small write to an idle socket, so it arrives in one chunk. */
function countEvents(chunk: Buffer): void {
  const at = process.hrtime.bigint()
  for (const [, id] of chunk.toString('latin1').matchAll(/^id: (\d+)$/gm)) {
    const number = Number(id)
    const received = (arrived.get(number) ?? 0) + 1
    arrived.set(number, received)
    if (received === count) process.send?.({ id: number, at: String(at) })
  }
}

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
