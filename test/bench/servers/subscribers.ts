import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// Many readers of one stream in one process. Tells its parent when the last of them has read an event.
const [, , address = '', path = '', token = '', wanted = ''] = process.argv
const { hostname, port, host } = new URL(address)
const count = Number(wanted)
const request = [
  `GET ${path} HTTP/1.1`,
  `host: ${host}`,
  `authorization: Bearer ${token}`,
  'accept: text/event-stream',
  '\r\n',
].join('\r\n')

const arrived = new Map<number, number>()
const keep: Socket[] = []

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
  socket.on('data', (chunk: Buffer) => take(chunk))
  socket.on('close', () => fail(new Error('a stream ended')))
  keep.push(socket)
}

/** An event is one small write to a quiet socket, so it comes in one piece. */
function take(chunk: Buffer): void {
  const at = process.hrtime.bigint()
  for (const [, id] of chunk.toString('latin1').matchAll(/^id: (\d+)$/gm)) {
    const number = Number(id)
    const readers = (arrived.get(number) ?? 0) + 1
    arrived.set(number, readers)
    if (readers === count) process.send?.({ id: number, at: String(at) })
  }
}

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
