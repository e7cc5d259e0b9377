import * as library from '@devicefarmer/adbkit'
import type { Client } from '@devicefarmer/adbkit'
import type { Socket } from 'node:net'
import type { ServerAddress } from './adb-socket.ts'
import { withLimits } from './call-limits.ts'
import type { CallLimits } from './call-limits.ts'
import { OperationFailure } from './operation-failure.ts'
import { toTransportFailure, TransportFailure } from './transport-failure.ts'

// The package is CommonJS and its exports are getters. Node does not see their names, the bundle does.
const adbkit = ('Client' in (library as object) ? library : library.default) as { readonly Client: typeof Client }

/** The client of the library and the sockets it opened. The library has neither time limits nor cancellation. */
export interface AdbkitSession {
  readonly client: Client
  /** Closes every socket the session has opened or will open. */
  close(): void
}

/** `closed` is called when either side closes a socket of the session. */
export function openAdbkit(server: ServerAddress, closed: () => void = () => {}): AdbkitSession {
  const client = new adbkit.Client({ host: server.host, port: server.port, bin: NO_BINARY })
  const sockets = new Set<Socket>()
  let isClosed = false
  // Errors of unused sockets are emitted here. Without a listener they would end the process.
  client.on('error', () => {})
  const connection = client.connection.bind(client)
  client.connection = () =>
    connection().then((opened) => {
      sockets.add(opened.socket)
      opened.socket.once('close', closed)
      if (isClosed) opened.socket.destroy()
      return opened
    })
  return {
    client,
    close() {
      isClosed = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** One call through the library within limits. Its promises may never settle once the socket is closed. */
export function withAdbkit<T>(
  server: ServerAddress,
  limits: CallLimits,
  subject: { readonly serial?: string; readonly what: string },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return withLimits(limits, subject, (scope) => {
    return new Promise<T>((resolve, reject) => {
      let graceTimer: NodeJS.Timeout | undefined
      let isClosed = false
      const lost = toClosedFailure(`${subject.what}: connection closed`, subject)
      // The library settles shortly after its socket closes. The call is lost only if it does not.
      const session = openAdbkit(server, () => {
        if (!isClosed) graceTimer = setTimeout(reject, GRACE_MS, lost)
      })
      scope.onEnd(() => {
        isClosed = true
        clearTimeout(graceTimer)
        session.close()
      })
      work(session.client).then(resolve, (error: unknown) => reject(translateError(error, subject.serial)))
    })
  })
}

/** The library tries to start a server if none answers. This path makes that fail. */
const NO_BINARY = '/dev/null/adb'
const GRACE_MS = 50

function translateError(error: unknown, serial: string | undefined): unknown {
  if (error instanceof TransportFailure || error instanceof OperationFailure) return error
  if (!(error instanceof Error)) return error
  const { name, message } = error
  const failText = /^Failure: '(.*)'$/s.exec(message)?.[1]
  if (failText !== undefined) return toTransportFailure(failText, serial)
  const facts = { serial, cause: error }
  if (name === 'PrematureEOFError') return toClosedFailure(message, facts)
  if (name === 'UnexpectedDataError') return new TransportFailure('protocol_error', message, facts)
  // If the server is unreachable, the library tries to start one and fails with a system error.
  if ('code' in error) return new TransportFailure('server_down', 'the adb server is not reachable', facts)
  return error
}

function toClosedFailure(message: string, facts: { serial?: string | undefined; cause?: unknown }) {
  const kind = facts.serial === undefined ? 'server_down' : 'device_lost'
  return new TransportFailure(kind, message, facts)
}
