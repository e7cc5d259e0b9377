import { setImmediate as turn } from 'node:timers/promises'
import type { PhoneHost, ShellIo } from '../host/host.ts'
import { ByteReader, ChunkQueue } from './chunk-queue.ts'
import type { FaultSwitch } from './faults.ts'
import type { ServiceStream } from './service-stream.ts'
import { pause } from './shaped-stream.ts'
import {
  encodeShellPacket,
  shellPacketHeaderBytes,
  shellPacketKind,
  shellPacketMaxBytes,
} from './shell-packet.ts'

export interface ShellRequest {
  readonly phone: PhoneHost
  readonly command: string
  readonly faults: FaultSwitch
}

/** `shell,v2`: stdout, stderr and the exit code apart, stdin that can end before the stream does. */
export async function serveShellV2(request: ShellRequest, stream: ServiceStream): Promise<void> {
  const output = new OutputPump(stream)
  const stdin = new StdinPipe()
  const run = async () => {
    const code = await runCommand(request, {
      stdout: (chunk) => output.push(encodeShellPacket(shellPacketKind.stdout, chunk)),
      stderr: (chunk) => output.push(encodeShellPacket(shellPacketKind.stderr, chunk)),
      stdin: stdin.chunks,
      signal: stream.signal,
    })
    if (!request.faults.current.omitExit) {
      output.push(encodeShellPacket(shellPacketKind.exit, Buffer.of(code & 0xff)))
    }
    await output.finish()
    stream.close()
  }
  await Promise.all([run(), feedStdin(stream, stdin)])
}

/**
 * `shell:` and `exec:`: one raw pipe for stdout and stderr, no exit code, stdin ends with the
 * stream. A real phone runs both on a terminal; echo, prompt and line discipline are not imitated.
 */
export async function serveRawShell(request: ShellRequest, stream: ServiceStream): Promise<void> {
  const output = new OutputPump(stream)
  await runCommand(request, {
    stdout: (chunk) => output.push(chunk),
    stderr: (chunk) => output.push(chunk),
    stdin: new ByteStreamReader(stream),
    signal: stream.signal,
  })
  await output.finish()
  stream.close()
}

async function runCommand(request: ShellRequest, io: ShellIo): Promise<number> {
  const { phone, command, faults } = request
  if (faults.current.hangCommand) await closed(io.signal)
  if (faults.current.commandDelayMs > 0) await pause(faults.current.commandDelayMs, io.signal)
  if (io.signal.aborted) return 129
  try {
    return await phone.run(command, io)
  } catch (error) {
    io.stderr(Buffer.from(`sh: ${error instanceof Error ? error.message : String(error)}\n`))
    return 255
  }
}

function closed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Output waits for the end of the turn, so that a quick command's output and exit code leave in one
 * write: a second small write would wait for the client's delayed acknowledgement behind a real
 * adb server.
 */
class OutputPump {
  private readonly stream: ServiceStream
  private pending: Buffer[] = []
  private draining: Promise<void> | undefined

  constructor(stream: ServiceStream) {
    this.stream = stream
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0 || this.stream.signal.aborted) return
    this.pending.push(chunk)
    this.draining ??= this.drain()
  }

  async finish(): Promise<void> {
    await this.draining
  }

  private async drain(): Promise<void> {
    await turn()
    while (this.pending.length > 0) {
      await this.stream.write(Buffer.concat(this.pending.splice(0)))
    }
    this.draining = undefined
  }
}

const stdinRoomBytes = 64 * 1024

/** stdin of a v2 command: holds as much as a pipe does, then makes the client wait. */
class StdinPipe {
  private onRoom: (() => void) | undefined
  readonly chunks = new ChunkQueue(() => this.onRoom?.())

  async push(chunk: Buffer, signal: AbortSignal): Promise<void> {
    if (chunk.length === 0) return
    this.chunks.push(chunk)
    if (this.chunks.bytes < stdinRoomBytes || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.onRoom = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

async function feedStdin(stream: ServiceStream, stdin: StdinPipe): Promise<void> {
  const reader = new ByteReader(() => stream.read())
  for (;;) {
    const header = await reader.take(shellPacketHeaderBytes)
    const length = header?.readUInt32LE(1) ?? 0
    const data = length > shellPacketMaxBytes ? undefined : await reader.take(length)
    if (header === undefined || data === undefined) break
    const kind = header.readUInt8(0)
    if (kind === shellPacketKind.stdin) await stdin.push(data, stream.signal)
    if (kind === shellPacketKind.closeStdin) stdin.chunks.end()
  }
  stdin.chunks.end()
  stream.close()
}

class ByteStreamReader implements AsyncIterable<Buffer> {
  private readonly stream: ServiceStream

  constructor(stream: ServiceStream) {
    this.stream = stream
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = await this.stream.read()
      if (chunk === undefined) return
      yield chunk
    }
  }
}
