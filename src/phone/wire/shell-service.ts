import { setImmediate as turn } from 'node:timers/promises'
import type { PhoneHost, ShellIo } from '../host/host.ts'
import { ByteReader, ChunkQueue } from './chunk-queue.ts'
import type { FaultSwitch } from './faults.ts'
import type { ServiceStream } from './service-stream.ts'
import { pause } from './shaped-stream.ts'
import {
  encodeShellPacket,
  SHELL_PACKET_HEADER_BYTES,
  SHELL_PACKET_KIND,
  MAX_SHELL_PACKET_BYTES,
} from './shell-packet.ts'

export interface ShellRequest {
  readonly phone: PhoneHost
  readonly command: string
  readonly faults: FaultSwitch
}

/** Serves `shell,v2`: separate stdout, stderr and exit code. stdin can end before the stream. */
export async function serveShellV2(request: ShellRequest, stream: ServiceStream): Promise<void> {
  const output = new OutputPump(stream)
  const stdin = new StdinPipe()
  const run = async () => {
    const code = await runCommand(request, {
      stdout: (chunk) => output.push(encodeShellPacket(SHELL_PACKET_KIND.stdout, chunk)),
      stderr: (chunk) => output.push(encodeShellPacket(SHELL_PACKET_KIND.stderr, chunk)),
      stdin: stdin.chunks,
      drained: () => output.drained(),
      signal: stream.signal,
    })
    if (!request.faults.current.omitExit) {
      output.push(encodeShellPacket(SHELL_PACKET_KIND.exit, Buffer.of(code & 0xff)))
    }
    await output.finish()
    stream.close()
  }
  await Promise.all([run(), feedStdin(stream, stdin)])
}

/**
 * Serves `shell:` and `exec:`: stdout and stderr in one raw stream, no exit code. stdin ends with the
 * stream. A real phone uses a terminal; its echo, prompt and line discipline are not simulated.
 */
export async function serveRawShell(request: ShellRequest, stream: ServiceStream): Promise<void> {
  const output = new OutputPump(stream)
  const stdin = new StreamInput(stream)
  const ended = endAfterInput(stream, stdin)
  await runCommand(request, {
    stdout: (chunk) => output.push(chunk),
    stderr: (chunk) => output.push(chunk),
    stdin,
    drained: () => output.drained(),
    signal: ended,
  })
  await output.finish()
  stream.close()
}

/** How long a command that read its input to the end may go on without a client. */
const FINISH_MS = 5000

/**
 * Aborted after the client closed the stream. A command that reads its input gets the rest of it and some time first:
 * `adb exec-in` closes the stream to end the input.
 */
function endAfterInput(stream: ServiceStream, stdin: StreamInput): AbortSignal {
  const controller = new AbortController()
  const end = (): void => {
    if (stdin.isUsed) setTimeout(() => controller.abort(), FINISH_MS).unref()
    else controller.abort()
  }
  if (stream.signal.aborted) end()
  else stream.signal.addEventListener('abort', end, { once: true })
  return controller.signal
}

async function runCommand(request: ShellRequest, io: ShellIo): Promise<number> {
  const { phone, command, faults } = request
  if (faults.current.hangCommand) await waitForAbort(io.signal)
  if (faults.current.commandDelayMs > 0) await pause(faults.current.commandDelayMs, io.signal)
  if (io.signal.aborted) return 129
  try {
    return await phone.run(command, io)
  } catch (error) {
    io.stderr(Buffer.from(`sh: ${error instanceof Error ? error.message : String(error)}\n`))
    return 255
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Collects output until the end of the event-loop turn, so that the output and the exit code of a
 * fast command are sent in one write. Behind a real adb server, a second small write would wait for
 * the client's delayed acknowledgement.
 */
class OutputPump {
  private readonly stream: ServiceStream
  private pending: Buffer[] = []
  private pendingBytes = 0
  private draining: Promise<void> | undefined

  constructor(stream: ServiceStream) {
    this.stream = stream
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0 || this.stream.signal.aborted) return
    this.pending.push(chunk)
    this.pendingBytes += chunk.length
    this.draining ??= this.drain()
  }

  async finish(): Promise<void> {
    await this.draining
  }

  /** Resolves when the client took most of the output. Undefined if it did. */
  drained(): Promise<void> | undefined {
    return this.pendingBytes > MAX_PENDING_BYTES && !this.stream.signal.aborted ? this.draining : undefined
  }

  private async drain(): Promise<void> {
    await turn()
    while (this.pending.length > 0) {
      const chunks = this.pending.splice(0)
      await this.stream.write(Buffer.concat(chunks))
      this.pendingBytes -= chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
    }
    this.draining = undefined
  }
}

/** Output beyond this waits for the client. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

const STDIN_BUFFER_BYTES = 64 * 1024

/** stdin of a v2 command. When its buffer is full, the client has to wait. */
class StdinPipe {
  private onRoom: (() => void) | undefined
  readonly chunks = new ChunkQueue(() => this.onRoom?.())

  async push(chunk: Buffer, signal: AbortSignal): Promise<void> {
    if (chunk.length === 0) return
    this.chunks.push(chunk)
    if (this.chunks.bytes < STDIN_BUFFER_BYTES || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.onRoom = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

async function feedStdin(stream: ServiceStream, stdin: StdinPipe): Promise<void> {
  const reader = new ByteReader(() => stream.read())
  for (;;) {
    const header = await reader.take(SHELL_PACKET_HEADER_BYTES)
    const length = header?.readUInt32LE(1) ?? 0
    const data = length > MAX_SHELL_PACKET_BYTES ? undefined : await reader.take(length)
    if (header === undefined || data === undefined) break
    const kind = header.readUInt8(0)
    if (kind === SHELL_PACKET_KIND.stdin) await stdin.push(data, stream.signal)
    if (kind === SHELL_PACKET_KIND.closeStdin) stdin.chunks.end()
  }
  stdin.chunks.end()
  stream.close()
}

class StreamInput implements AsyncIterable<Buffer> {
  private readonly stream: ServiceStream
  /** True once the command has asked for input. */
  isUsed = false

  constructor(stream: ServiceStream) {
    this.stream = stream
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.isUsed = true
    for (;;) {
      const chunk = await this.stream.read()
      if (chunk === undefined) return
      yield chunk
    }
  }
}
