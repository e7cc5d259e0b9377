import { type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { ByteReader } from '@apprentice/phone/wire/chunk-queue.ts'
import { SocketStream } from '@apprentice/phone/wire/socket-stream.ts'
import { encodeShellPacket, SHELL_PACKET_KIND } from '@apprentice/phone/wire/shell-packet.ts'

/** A client connection to an adb server, for tests. */
export interface HostConnection {
  readonly socket: Socket
  readonly reader: ByteReader
  send(request: string): void
  /** Undefined after OKAY, the message after FAIL, `eof` if the connection was closed. */
  status(): Promise<string | undefined>
  /** Reads a text with a length prefix. */
  counted(): Promise<string>
  close(): void
}

export async function openHost(port: number): Promise<HostConnection> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const stream = new SocketStream(socket)
  const reader = new ByteReader(() => stream.read())
  const counted = async () => {
    const digits = await reader.take(4)
    if (digits === undefined) return 'eof'
    return (await reader.take(Number.parseInt(digits.toString(), 16)))?.toString() ?? 'eof'
  }
  return {
    socket,
    reader,
    send: (request) => {
      const bytes = Buffer.from(request)
      socket.write(Buffer.concat([Buffer.from(bytes.length.toString(16).padStart(4, '0')), bytes]))
    },
    status: async () => {
      const reply = (await reader.take(4))?.toString()
      if (reply === 'OKAY') return undefined
      return reply === 'FAIL' ? counted() : 'eof'
    },
    counted,
    close: () => socket.destroy(),
  }
}

/** Sends a request and returns the answer. Throws the message of a FAIL. */
export async function askHost(port: number, request: string): Promise<string> {
  const host = await openHost(port)
  try {
    host.send(request)
    const failure = await host.status()
    if (failure !== undefined) throw new Error(failure)
    return await host.counted()
  } finally {
    host.close()
  }
}

export interface ServiceTarget {
  readonly port: number
  readonly serial: string
}

/** Opens a service of a phone. Throws the message of a FAIL. */
export async function openPhone(target: ServiceTarget, service: string): Promise<HostConnection> {
  const host = await openHost(target.port)
  for (const request of [`host:transport:${target.serial}`, service]) {
    host.send(request)
    const failure = await host.status()
    if (failure !== undefined) {
      host.close()
      throw new Error(failure)
    }
  }
  return host
}

export interface ShellResult {
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Undefined when the stream ended without an exit packet. */
  readonly code: number | undefined
}

/** Runs a command over shell_v2 until its stream ends. */
export async function shell(target: ServiceTarget, command: string, input?: Buffer): Promise<ShellResult> {
  const host = await openPhone(target, `shell,v2,raw:${command}`)
  if (input !== undefined) host.socket.write(encodeShellPacket(SHELL_PACKET_KIND.stdin, input))
  host.socket.write(encodeShellPacket(SHELL_PACKET_KIND.closeStdin, Buffer.alloc(0)))
  const result = await readShell(host)
  host.close()
  return result
}

/** Reads shell_v2 packets until the exit packet or the end of the stream. */
export async function readShell({ reader }: HostConnection): Promise<ShellResult> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  let code: number | undefined
  while (code === undefined) {
    const head = await reader.take(5)
    const data = head === undefined ? undefined : await reader.take(head.readUInt32LE(1))
    if (head === undefined || data === undefined) break
    if (head[0] === SHELL_PACKET_KIND.stdout) out.push(data)
    if (head[0] === SHELL_PACKET_KIND.stderr) err.push(data)
    if (head[0] === SHELL_PACKET_KIND.exit) code = data[0]
  }
  return { stdout: Buffer.concat(out), stderr: Buffer.concat(err), code }
}

/** Reads all bytes of a service until it closes. */
export async function readAll({ reader }: HostConnection): Promise<Buffer> {
  const parts: Buffer[] = []
  for (;;) {
    const chunk = await reader.takeAny()
    if (chunk === undefined) return Buffer.concat(parts)
    parts.push(chunk)
  }
}
