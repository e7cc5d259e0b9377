import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type Packet,
  PacketDecoder,
  encodePacket,
  packetCommand,
  versionWithoutChecksum,
} from '@apprentice/phone/wire/packet.ts'

/** An adb server's side of a phone connection, spoken by hand. */
export interface PacketClient {
  readonly socket: Socket
  send(command: number, arg0: number, arg1: number, payload?: Buffer | string): void
  /** The next packet; undefined once the phone has closed the connection. */
  next(): Promise<Packet | undefined>
  /** Packets that arrived and nobody asked for yet. */
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

/** A connection past its handshake. */
export async function shakeHands(
  port: number,
  { version = versionWithoutChecksum, maxPayload = 256 * 1024 } = {},
): Promise<PacketClient> {
  const client = await openPackets(port)
  client.send(packetCommand.connect, version, maxPayload, 'host::features=shell_v2')
  const answer = await client.next()
  if (answer?.command !== packetCommand.connect) throw new Error('the phone did not greet back')
  return client
}
