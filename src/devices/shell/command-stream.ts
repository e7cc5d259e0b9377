import { randomUUID } from 'node:crypto'
import { AdbSocket } from '../adb/adb-socket.ts'
import type { ServerAddress, StreamListener } from '../adb/adb-socket.ts'
import { within } from '../adb/call-limits.ts'
import type { CallLimits, Scope } from '../adb/call-limits.ts'
import { MarkedOutput } from './marked-output.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder, whole } from './shell-v2.ts'
import type { ShellPacketSink } from './shell-v2.ts'
import { afterSending, TransportFailure } from '../adb/transport-failure.ts'

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

/** Opens a service on the device. Its socket ends with the call, or stays open if the call succeeds. */
export async function openService(
  device: DeviceAddress,
  service: string,
  scope: Scope,
  lifetime: 'call' | 'kept' = 'call',
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
    throw refused ? error : sent(error)
  }
  return socket
}

/** Runs one command on a fresh shell_v2 stream. An end without the exit packet is a lost device. */
export function runShellV2(
  device: DeviceAddress,
  commandLine: string,
  limits: CallLimits,
): Promise<CommandResult> {
  const subject = { serial: device.serial, what: 'device command' }
  return within(limits, subject, async (scope) => {
    const socket = await openService(device, `shell,v2,raw:${commandLine}`, scope)
    // The end of its input concerns only a command that reads, so one that is quicker is spared it.
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
 * Runs one command on a device without shell_v2. Nothing there says how a command ended, so the
 * shell prints a marker with the exit code after it; no marker means the device was lost.
 */
export function runMarked(
  device: DeviceAddress,
  commandLine: string,
  limits: CallLimits,
): Promise<CommandResult> {
  const subject = { serial: device.serial, what: 'device command' }
  return within(limits, subject, async (scope) => {
    const nonce = newNonce()
    // In a shell of its own and without input, as on shell_v2: it may exit, and must not wait. Both
    // outputs go one way, so that nothing arrives behind the marker.
    const service = `exec:(${commandLine}) </dev/null 2>&1; echo ${nonce}:$?`
    return collectMarked(await openService(device, service, scope), nonce)
  })
}

export function newNonce(): string {
  return randomUUID()
}

/** More than any answer this driver asks for; a runaway command must not fill the memory. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export function outputTooLarge(): OperationFailure {
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
    this.#keep(this.#out, data)
  }

  stderr(data: Buffer): void {
    this.#keep(this.#err, data)
  }

  exit(exitCode: number): void {
    this.#finish({ exitCode, stdout: whole(this.#out), stderr: whole(this.#err) })
  }

  #keep(list: Buffer[], data: Buffer): void {
    this.#bytes += data.length
    if (this.#bytes > MAX_OUTPUT_BYTES) throw outputTooLarge()
    list.push(data)
  }
}

function collectMarked(socket: AdbSocket, nonce: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const output = new MarkedOutput(nonce)
    const push = (chunk: Buffer) => {
      output.push(chunk)
      if (output.bytes > MAX_OUTPUT_BYTES) throw outputTooLarge()
      if (!output.ended) return
      resolve({ exitCode: output.code, stdout: output.output(), stderr: Buffer.alloc(0) })
    }
    socket.listen(new AnswerListener(socket, push, reject))
  })
}

/** Reads the answer of a command that has been handed to the device. */
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
      this.#reject(sent(error))
    }
  }

  end(failure: TransportFailure): void {
    this.#reject(sent(failure))
  }
}

function sent(error: unknown): unknown {
  return error instanceof TransportFailure ? afterSending(error) : error
}
