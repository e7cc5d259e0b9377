import { createRequire } from 'node:module'
import type { Client } from '@devicefarmer/adbkit'
import type { Socket } from 'node:net'
import type { ServerAddress } from './adb-socket.ts'
import { within } from './call-limits.ts'
import type { CallLimits } from './call-limits.ts'
import { OperationFailure } from './operation-failure.ts'
import { refusal, TransportFailure } from './transport-failure.ts'

// A CommonJS package whose exports are getters: an `import` yields them, or not, depending on who
// loads this file. `require` is the same everywhere.
const adbkit = createRequire(import.meta.url)('@devicefarmer/adbkit') as {
  readonly Client: typeof Client
}

/** The library's client, plus the sockets it opened: it has no deadline and no cancel of its own. */
export interface AdbkitSession {
  readonly client: Client
  /** Ends every socket the session opened or is about to open. */
  close(): void
}

/** `closed` is called when a socket of the session ends, by whichever side. */
export function openAdbkit(server: ServerAddress, closed: () => void = () => {}): AdbkitSession {
  const client = new adbkit.Client({ host: server.host, port: server.port, bin: NO_BINARY })
  const sockets = new Set<Socket>()
  let over = false
  // Errors of a socket nobody reads any more end up here; without a listener they end the process.
  client.on('error', () => {})
  const connection = client.connection.bind(client)
  client.connection = () =>
    connection().then((opened) => {
      sockets.add(opened.socket)
      opened.socket.once('close', closed)
      if (over) opened.socket.destroy()
      return opened
    })
  return {
    client,
    close() {
      over = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** One bounded call through the library. Its promises may never settle once its socket is gone. */
export function withAdbkit<T>(
  server: ServerAddress,
  limits: CallLimits,
  subject: { readonly serial?: string; readonly what: string },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return within(limits, subject, (scope) => {
    return new Promise<T>((resolve, reject) => {
      let quiet: NodeJS.Timeout | undefined
      let over = false
      const lost = closedFailure(`${subject.what}: connection closed`, subject)
      // The library settles a turn or two after its socket closed; only silence counts as lost.
      const session = openAdbkit(server, () => {
        if (!over) quiet = setTimeout(reject, GRACE_MS, lost)
      })
      scope.onEnd(() => {
        over = true
        clearTimeout(quiet)
        session.close()
      })
      work(session.client).then(resolve, (error: unknown) =>
        reject(translate(error, subject.serial)),
      )
    })
  })
}

/** The library tries to start a server when none answers; this path can never be one. */
const NO_BINARY = '/dev/null/adb'
const GRACE_MS = 50

function translate(error: unknown, serial: string | undefined): unknown {
  if (error instanceof TransportFailure || error instanceof OperationFailure) return error
  if (!(error instanceof Error)) return error
  const { name, message } = error
  const failText = /^Failure: '(.*)'$/s.exec(message)?.[1]
  if (failText !== undefined) return refusal(failText, serial)
  const facts = { serial, cause: error }
  if (name === 'PrematureEOFError') return closedFailure(message, facts)
  if (name === 'UnexpectedDataError') return new TransportFailure('protocol_error', message, facts)
  // An unreachable server ends in the library's vain attempt to start one.
  if ('code' in error)
    return new TransportFailure('server_down', 'the adb server is not there', facts)
  return error
}

function closedFailure(message: string, facts: { serial?: string | undefined; cause?: unknown }) {
  const kind = facts.serial === undefined ? 'server_down' : 'device_lost'
  return new TransportFailure(kind, message, facts)
}
