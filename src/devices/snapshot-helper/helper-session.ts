import { randomInt, randomUUID } from 'node:crypto'
import { withLimits } from '../adb/call-limits.ts'
import type { CallLimits, Scope } from '../adb/call-limits.ts'
import type { AdbSocket } from '../adb/adb-socket.ts'
import { buildCommand } from '../adb/quoting.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { openService } from '../shell/command-stream.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'
import { HelperFailure } from './helper-failure.ts'
import { parseHelperReply } from './helper-reply.ts'
import type { HelperReply } from './helper-reply.ts'
import { SNAPSHOT_HELPER } from '../driver/pinned-helpers.ts'

/** The same as the package itself uses: the helper waits at most half a second for a quiet screen. */
const VALUES = {
  waitForIdleTimeoutMs: 500,
  waitForIdleQuietMs: 100,
  timeoutMs: 5000,
  maxDepth: 128,
  maxNodes: 5000,
  emitChunks: 'false',
} as const

const [FIRST_PORT, END_PORT] = [41_000, 61_000]
const MAX_REPLY_BYTES = 32 * 1024 * 1024
const MAX_STATUS_BYTES = 64 * 1024

/**
 * The helper while it runs on a device. It listens on a port of the device, which is reached through the adb server, so
 * that no port of this machine is forwarded. While it runs, no other program can read screens: stop it after use.
 */
export class HelperSession {
  readonly #device: DeviceAddress
  readonly #port: number
  readonly #process: AdbSocket
  #ended = false

  private constructor(device: DeviceAddress, port: number, process: AdbSocket) {
    this.#device = device
    this.#port = port
    this.#process = process
  }

  /** Starts the helper and waits until it listens. One that still runs is ended by Android. */
  static start(device: DeviceAddress, limits: CallLimits): Promise<HelperSession> {
    const subject = { serial: device.serial, what: 'starting the snapshot helper' }
    return withLimits(limits, subject, async (scope) => {
      const port = randomInt(FIRST_PORT, END_PORT)
      const values = Object.entries({ ...VALUES, sessionPort: port }).flatMap(([name, value]) => ['-e', name, value])
      const line = buildCommand('am', 'instrument', '-w', ...values, SNAPSHOT_HELPER.component)
      const process = await openService(device, `exec:${line}`, scope, 'persistent')
      const session = new HelperSession(device, port, process)
      await session.#waitUntilReady()
      return session
    })
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Sends one command over a connection of its own and reads the answer to its end. */
  ask(command: 'snapshot' | 'viewport' | 'quit', limits: CallLimits): Promise<HelperReply> {
    const subject = { serial: this.#device.serial, what: `the command ${command} of the snapshot helper` }
    return withLimits(limits, subject, async (scope) => {
      const requestId = randomUUID()
      const socket = await this.#connect(scope)
      socket.write(Buffer.from(`${command} ${requestId}\n`))
      return parseHelperReply(await collectReply(socket), requestId)
    })
  }

  /** Ends the helper, so that others can read screens. Never rejects. */
  async stop(limits: CallLimits): Promise<void> {
    if (!this.#ended) await this.ask('quit', limits).catch(() => {})
    this.#ended = true
    // With its command the helper ends, should it not have quit.
    this.#process.destroy()
  }

  async #connect(scope: Scope): Promise<AdbSocket> {
    try {
      return await openService(this.#device, `tcp:${this.#port}`, scope)
    } catch (error) {
      const isRefused = error instanceof TransportFailure && error.kind === 'stream_refused'
      throw isRefused ? new HelperFailure('unreachable', 'the port of the helper is closed') : error
    }
  }

  #waitUntilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      let status = ''
      this.#process.listen({
        data: (chunk) => {
          if (status.length < MAX_STATUS_BYTES) status += chunk.toString('latin1')
          if (/^INSTRUMENTATION_STATUS: sessionReady=true\r?$/m.test(status)) resolve()
        },
        end: () => {
          this.#ended = true
          reject(toStartFailure(status))
        },
      })
    })
  }
}

function toStartFailure(status: string): HelperFailure {
  const isMissing = /Unable to find instrumentation info/.test(status)
  const reason = /^INSTRUMENTATION_RESULT: (?:shortMsg|message)=(.*)$/m.exec(status)?.[1]?.trim()
  const text = isMissing ? 'the helper is not installed' : (reason ?? 'the helper ended before it was ready')
  return new HelperFailure(isMissing ? 'not_installed' : 'not_started', text)
}

function collectReply(socket: AdbSocket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    socket.listen({
      data: (chunk) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > MAX_REPLY_BYTES) reject(new HelperFailure('invalid_answer', 'the answer is too long'))
      },
      // The helper ends the connection after its answer; the length in the answer tells whether it is complete.
      end: () => resolve(Buffer.concat(chunks)),
    })
  })
}
