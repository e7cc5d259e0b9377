import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type Packet,
  PacketDecoder,
  encodePacket,
  PACKET_COMMAND,
  VERSION_WITHOUT_CHECKSUM,
} from '@apprentice/phone/wire/packet.ts'

/** The adb server's side of a connection to an adbd device, for tests. */
export interface PacketClient {
  readonly socket: Socket
  send(command: number, arg0: number, arg1: number, payload?: Buffer | string): void
  /** The next packet; undefined once the phone has closed the connection. */
  next(): Promise<Packet | undefined>
  /** Number of received packets that `next` has not returned. */
  readonly waiting: number
}

export async function openPackets(port: number): Promise<PacketClient> {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const decoder = new PacketDecoder()
  const packets: (Packet | undefined)[] = []
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    packets.push(...decoder.push(chunk))
    wake()
  })
  socket.on('close', () => {
    packets.push(undefined)
    wake()
  })
  await once(socket, 'connect')
  return {
    socket,
    send: (command, arg0, arg1, payload = '') => {
      socket.write(encodePacket({ command, arg0, arg1, payload: Buffer.from(payload) }))
    },
    next: async () => {
      while (packets.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return packets.shift()
    },
    get waiting() {
      return packets.length
    },
  }
}

/** Opens a connection and completes the handshake. */
export async function openConnected(
  port: number,
  { version = VERSION_WITHOUT_CHECKSUM, maxPayload = 256 * 1024 } = {},
): Promise<PacketClient> {
  const client = await openPackets(port)
  client.send(PACKET_COMMAND.connect, version, maxPayload, 'host::features=shell_v2')
  const answer = await client.next()
  if (answer?.command !== PACKET_COMMAND.connect) throw new Error('the phone did not answer CONNECT')
  return client
}
