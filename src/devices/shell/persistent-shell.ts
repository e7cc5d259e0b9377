import type { AdbSocket } from '../adb/adb-socket.ts'
import { within } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { MAX_OUTPUT_BYTES, newNonce, openService, outputTooLarge } from './command-stream.ts'
import type { CommandResult, DeviceAddress } from './command-stream.ts'
import { MarkedOutput } from './marked-output.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder } from './shell-v2.ts'
import { afterSending, TransportFailure } from '../adb/transport-failure.ts'

/**
 * One long-lived `sh` on the device that runs command after command without opening a stream each
 * time. It takes one command at a time. Whatever leaves it in an unknown state (a hung or abandoned
 * command, broken packets) ends it: it is never reused, a new one is opened.
 */
export class PersistentShell {
  readonly #socket: AdbSocket
  readonly #serial: string
  readonly #events: ShellEvents
  readonly #decoder: ShellV2Decoder
  #running: Running | undefined
  #open = true

  constructor(socket: AdbSocket, serial: string, events: ShellEvents) {
    this.#socket = socket
    this.#serial = serial
    this.#events = events
    this.#decoder = new ShellV2Decoder({
      stdout: (data) => this.#running?.stdout(data),
      stderr: (data) => this.#running?.stderr(data),
      exit: (code) => this.#exit(code),
    })
    socket.listen({ data: (chunk) => this.#receive(chunk), end: (failure) => this.#end(failure) })
  }

  static open(
    device: DeviceAddress,
    limits: CallLimits,
    events: ShellEvents,
  ): Promise<PersistentShell> {
    const subject = { serial: device.serial, what: 'opening the device shell' }
    return within(limits, subject, async (scope) => {
      const socket = await openService(device, 'shell,v2,raw:', scope, 'kept')
      return new PersistentShell(socket, device.serial, events)
    })
  }

  get idle(): boolean {
    return this.#open && !this.#running
  }

  /** Whether this shell can take the command at all: it reads command lines, so one line only. */
  static accepts(commandLine: string): boolean {
    return !/[\r\n]/.test(commandLine)
  }

  run(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    const subject = { serial: this.#serial, what: 'device command' }
    return within(limits, subject, (scope) => {
      if (!this.idle) throw new TransportFailure('stream_refused', 'the device shell is taken')
      const running = new Running()
      scope.onEnd(() => this.#leave(running))
      this.#running = running
      scope.commandSent()
      this.#socket.write(encodeShellPacket(SHELL_PACKET.stdin, running.line(commandLine)))
      return running.result
    })
  }

  close(reason: 'device_lost' | 'aborted'): void {
    this.#open = false
    this.#socket.destroy()
    const facts = { serial: this.#serial, commandSent: true }
    this.#running?.fail(new TransportFailure(reason, 'the device shell was closed', facts))
  }

  #receive(chunk: Buffer): void {
    try {
      this.#decoder.push(chunk)
      // An adb server passes on small pieces slowly unless each is acknowledged at once; an empty
      // stdin packet carries that acknowledgement and means nothing to the device. After the last
      // piece there is nothing to hurry, and the next command would have to wait for the packet.
      if (this.#running?.settled === false) this.#socket.write(NUDGE)
    } catch (error) {
      this.#socket.destroy()
      const broken = error instanceof TransportFailure
      this.#end(broken ? error : new TransportFailure('protocol_error', String(error)), error)
    }
  }

  #exit(code: number): void {
    this.#running?.shellExited(code)
    this.#socket.destroy()
    const message = 'the device shell ended'
    this.#end(new TransportFailure('device_lost', message, { serial: this.#serial }))
  }

  #end(failure: TransportFailure, reason: unknown = failure): void {
    if (!this.#open) return
    this.#open = false
    this.#running?.fail(reason instanceof TransportFailure ? afterSending(reason) : reason)
    this.#events.lost(failure)
  }

  /** A command given up midway may still run and print: the shell goes with it. */
  #leave(running: Running): void {
    this.#running = undefined
    if (running.settled || !this.#open) return
    this.#open = false
    this.#socket.destroy()
    this.#events.abandoned()
  }
}

/** One of these is called at most once, and none after `close()`. */
export interface ShellEvents {
  /** The far side ended the shell. */
  lost(failure: TransportFailure): void
  /** This side ended the shell, together with a command that did not settle in time. */
  abandoned(): void
}

const NUDGE = encodeShellPacket(SHELL_PACKET.stdin)

/** One command in the shell: ended when both streams have shown its marker. */
class Running {
  readonly #nonce = newNonce()
  readonly #out = new MarkedOutput(this.#nonce)
  readonly #err = new MarkedOutput(this.#nonce)
  readonly result: Promise<CommandResult>
  #resolve: (result: CommandResult) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  settled = false

  constructor() {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** The command's stdin is empty: it would otherwise eat the command lines that follow. */
  line(commandLine: string): Buffer {
    const nonce = this.#nonce
    return Buffer.from(`{ ${commandLine}; } </dev/null; echo ${nonce}:$?; echo ${nonce}:0 >&2\n`)
  }

  stdout(data: Buffer): void {
    this.#out.push(data)
    this.#check()
  }

  stderr(data: Buffer): void {
    this.#err.push(data)
    this.#check()
  }

  /** The command ended the shell itself, e.g. by `exit`: its output is complete by then. */
  shellExited(code: number): void {
    this.#finish(code)
  }

  fail(error: unknown): void {
    this.settled = true
    this.#reject(error)
  }

  #check(): void {
    if (this.#out.bytes + this.#err.bytes > MAX_OUTPUT_BYTES) throw outputTooLarge()
    if (this.#out.ended && this.#err.ended) this.#finish(this.#out.code)
  }

  #finish(exitCode: number): void {
    this.settled = true
    this.#resolve({ exitCode, stdout: this.#out.output(), stderr: this.#err.output() })
  }
}
