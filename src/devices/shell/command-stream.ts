import { randomUUID } from 'node:crypto'
import { AdbSocket } from '../adb/adb-socket.ts'
import type { ServerAddress, StreamListener } from '../adb/adb-socket.ts'
import { withLimits } from '../adb/call-limits.ts'
import type { CallLimits, Scope } from '../adb/call-limits.ts'
import { MarkedOutput } from './marked-output.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder, concatChunks } from './shell-v2.ts'
import type { ShellPacketSink } from './shell-v2.ts'
import { withCommandSent, TransportFailure } from '../adb/transport-failure.ts'

/** How a command ended on the device. A non-zero exit code is an answer, not a transport failure. */
export interface CommandResult {
  readonly exitCode: number
  readonly stdout: Buffer
  /** Empty on devices without shell_v2: there both streams arrive mixed in `stdout`. */
  readonly stderr: Buffer
}

export interface DeviceAddress {
  readonly server: ServerAddress
  readonly serial: string
}

/** Opens a service on the device. With lifetime `persistent` the socket stays open after a successful call. */
export async function openService(
  device: DeviceAddress,
  service: string,
  scope: Scope,
  lifetime: 'call' | 'persistent' = 'call',
): Promise<AdbSocket> {
  const socket = AdbSocket.open(device.server, device.serial)
  if (lifetime === 'call') scope.onEnd(() => socket.destroy())
  else scope.onFailure(() => socket.destroy())
  await socket.selectDevice()
  scope.commandSent()
  try {
    await socket.request(service)
  } catch (error) {
    const refused = error instanceof TransportFailure && error.kind !== 'device_lost'
    throw refused ? error : markSent(error)
  }
  return socket
}

/** Runs one command on a new shell_v2 stream. A stream that ends without an exit packet means a lost device. */
export function runShellV2(device: DeviceAddress, commandLine: string, limits: CallLimits): Promise<CommandResult> {
  const subject = { serial: device.serial, what: 'device command' }
  return withLimits(limits, subject, async (scope) => {
    const socket = await openService(device, `shell,v2,raw:${commandLine}`, scope)
    // Only commands that read need the end of their input. Quick commands end before it is sent.
    const closing = setTimeout(closeStdin, INPUT_GRACE_MS, socket)
    scope.onEnd(() => clearTimeout(closing))
    return collectShellV2(socket)
  })
}

const INPUT_GRACE_MS = 5

function closeStdin(socket: AdbSocket): void {
  socket.write(encodeShellPacket(SHELL_PACKET.closeStdin))
}

/**
 * Runs one command on a device without shell_v2. The protocol has no exit code, so the shell prints a
 * marker with the exit code after the output. A missing marker means a lost device.
 */
export function runWithMarker(device: DeviceAddress, commandLine: string, limits: CallLimits): Promise<CommandResult> {
  const subject = { serial: device.serial, what: 'device command' }
  return withLimits(limits, subject, async (scope) => {
    const nonce = createNonce()
    // In a subshell and without input, as with shell_v2: the command may exit and must not wait for
    // input. Both outputs are merged, so that nothing arrives after the marker.
    const service = `exec:(${commandLine}) </dev/null 2>&1; echo ${nonce}:$?`
    return collectMarked(await openService(device, service, scope), nonce)
  })
}

export function createNonce(): string {
  return randomUUID()
}

/** More than any command of the driver prints. Protects the memory from runaway commands. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export function toOutputTooLarge(): OperationFailure {
  return new OperationFailure('OUTPUT_TOO_LARGE', 'the device sent more output than is accepted')
}

function collectShellV2(socket: AdbSocket): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const decoder = new ShellV2Decoder(new ShellV2Output(resolve))
    socket.listen(new AnswerListener(socket, (chunk) => decoder.push(chunk), reject))
  })
}

class ShellV2Output implements ShellPacketSink {
  readonly #finish: (result: CommandResult) => void
  readonly #out: Buffer[] = []
  readonly #err: Buffer[] = []
  #bytes = 0

  constructor(finish: (result: CommandResult) => void) {
    this.#finish = finish
  }

  stdout(data: Buffer): void {
    this.#append(this.#out, data)
  }

  stderr(data: Buffer): void {
    this.#append(this.#err, data)
  }

  exit(exitCode: number): void {
    this.#finish({ exitCode, stdout: concatChunks(this.#out), stderr: concatChunks(this.#err) })
  }

  #append(list: Buffer[], data: Buffer): void {
    this.#bytes += data.length
    if (this.#bytes > MAX_OUTPUT_BYTES) throw toOutputTooLarge()
    list.push(data)
  }
}

function collectMarked(socket: AdbSocket, nonce: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const output = new MarkedOutput(nonce)
    const push = (chunk: Buffer) => {
      output.push(chunk)
      if (output.bytes > MAX_OUTPUT_BYTES) throw toOutputTooLarge()
      if (!output.ended) return
      resolve({ exitCode: output.code, stdout: output.output(), stderr: Buffer.alloc(0) })
    }
    socket.listen(new AnswerListener(socket, push, reject))
  })
}

/** Reads the answer of a command that was sent to the device. */
class AnswerListener implements StreamListener {
  readonly #socket: AdbSocket
  readonly #push: (chunk: Buffer) => void
  readonly #reject: (error: unknown) => void

  constructor(socket: AdbSocket, push: (chunk: Buffer) => void, reject: (error: unknown) => void) {
    this.#socket = socket
    this.#push = push
    this.#reject = reject
  }

  data(chunk: Buffer): void {
    try {
      this.#push(chunk)
    } catch (error) {
      this.#socket.destroy()
      this.#reject(markSent(error))
    }
  }

  end(failure: TransportFailure): void {
    this.#reject(markSent(failure))
  }
}

function markSent(error: unknown): unknown {
  return error instanceof TransportFailure ? withCommandSent(error) : error
}
