import { hash } from 'node:crypto'

/** The names of the keys in Redis. Every key begins with the prefix of the installation. */
export interface HostKeys {
  /** Identifies the running daemon. It expires soon after the daemon has died. */
  readonly epoch: string
  /** The stream of messages from all hosts to the daemon. */
  readonly up: string
  /** What the names of the queues of BullMQ begin with. */
  readonly queues: string
  /** The stream of messages to one connected host. */
  down(connectionId: string): string
  /** The current connection of a host. */
  current(hostId: string): string
  /** The token of the only job that may act on a device. */
  gate(connectionId: string, serial: string): string
}

export const createKeys = (prefix: string): HostKeys => ({
  epoch: `${prefix}:epoch`,
  up: `${prefix}:up`,
  queues: `${prefix}:queues`,
  down: (connectionId) => `${prefix}:down:${connectionId}`,
  current: (hostId) => `${prefix}:host:${hostId}`,
  gate: (connectionId, serial) => `${prefix}:gate:${connectionId}:${serial}`,
})

/** The queue of one device on one connection. Its jobs end with the connection: nothing of it is run later. */
export const queueName = (connectionId: string, serial: string): string =>
  `${connectionId}.${hash('sha256', serial, 'hex').slice(0, 16)}`
