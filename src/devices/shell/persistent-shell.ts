import type { AdbSocket } from '../adb/adb-socket.ts'
import { withLimits } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { MAX_OUTPUT_BYTES, createNonce, openService, toOutputTooLarge } from './command-stream.ts'
import type { CommandResult, DeviceAddress } from './command-stream.ts'
import { MarkedOutput } from './marked-output.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder } from './shell-v2.ts'
import { withCommandSent, TransportFailure } from '../adb/transport-failure.ts'

/**
 * A long-lived `sh` on the device that runs one command at a time, without opening a stream for each. An
 * unknown state (a hung or abandoned command, invalid packets) ends the shell; a new one is opened.
 */
export class PersistentShell {
  readonly #socket: AdbSocket
  readonly #serial: string
  readonly #events: ShellEvents
  readonly #decoder: ShellV2Decoder
  #running: RunningCommand | undefined
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

  static open(device: DeviceAddress, limits: CallLimits, events: ShellEvents): Promise<PersistentShell> {
    const subject = { serial: device.serial, what: 'opening the device shell' }
    return withLimits(limits, subject, async (scope) => {
      const socket = await openService(device, 'shell,v2,raw:', scope, 'persistent')
      return new PersistentShell(socket, device.serial, events)
    })
  }

  get idle(): boolean {
    return this.#open && !this.#running
  }

  /** Whether the shell can run the command: only single lines. */
  static accepts(commandLine: string): boolean {
    return !/[\r\n]/.test(commandLine)
  }

  run(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    const subject = { serial: this.#serial, what: 'device command' }
    return withLimits(limits, subject, (scope) => {
      if (!this.idle) throw new TransportFailure('stream_refused', 'the device shell is busy')
      const running = new RunningCommand()
      scope.onEnd(() => this.#release(running))
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
      // An adb server forwards small chunks slowly unless each is acknowledged at once. An empty stdin
      // packet carries the acknowledgement and is ignored by the device. It is not sent after the last
      // chunk, because the next command would have to wait for it.
      if (this.#running?.settled === false) this.#socket.write(EMPTY_STDIN_PACKET)
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
    this.#running?.fail(reason instanceof TransportFailure ? withCommandSent(reason) : reason)
    this.#events.lost(failure)
  }

  /** An abandoned command may still run and print, so its shell is closed. */
  #release(running: RunningCommand): void {
    this.#running = undefined
    if (running.settled || !this.#open) return
    this.#open = false
    this.#socket.destroy()
    this.#events.abandoned()
  }
}

/** One of these is called at most once, and none after `close()`. */
export interface ShellEvents {
  /** The device ended the shell. */
  lost(failure: TransportFailure): void
  /** The shell was closed because a command did not settle in time. */
  abandoned(): void
}

const EMPTY_STDIN_PACKET = encodeShellPacket(SHELL_PACKET.stdin)

/** One command in the shell. It ends when both streams contain its marker. */
class RunningCommand {
  readonly #nonce = createNonce()
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

  /** The stdin of the command is empty; otherwise it would consume the following command lines. */
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

  /** The command ended the shell, e.g. with `exit`. Its output is complete. */
  shellExited(code: number): void {
    this.#finish(code)
  }

  fail(error: unknown): void {
    this.settled = true
    this.#reject(error)
  }

  #check(): void {
    if (this.#out.bytes + this.#err.bytes > MAX_OUTPUT_BYTES) throw toOutputTooLarge()
    if (this.#out.ended && this.#err.ended) this.#finish(this.#out.code)
  }

  #finish(exitCode: number): void {
    this.settled = true
    this.#resolve({ exitCode, stdout: this.#out.output(), stderr: this.#err.output() })
  }
}
