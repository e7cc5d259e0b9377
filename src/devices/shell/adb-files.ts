import { PassThrough } from 'node:stream'
import type { Client } from '@devicefarmer/adbkit'
import { withAdbkit } from '../adb/adbkit-call.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { DeviceAddress } from './command-stream.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { withCommandSent, toTransportFailure, TransportFailure } from '../adb/transport-failure.ts'

/** Reads a file of the device. Fails if the byte count differs from the file size. */
export function pullFile(device: DeviceAddress, path: string, limits: CallLimits): Promise<Buffer> {
  return withSync(device, 'pulling a file', limits, async (sync) => {
    // A missing file must be detected first: pulling one briefly looks like an empty file.
    const size = await readFileSize(sync, path)
    const data = await receiveFile(sync.pull(path))
    if (data.length === size) return data
    throw new OperationFailure('TRANSFER_FAILED', `${data.length} of ${size} bytes arrived`, path)
  })
}

/** Writes a file on the device and checks its size afterwards. */
export function pushFile(device: DeviceAddress, path: string, data: Buffer, limits: CallLimits): Promise<void> {
  return withSync(device, 'pushing a file', limits, async (sync) => {
    // A byte stream, because the library must read it in the 64 KiB chunks a device accepts.
    const source = new PassThrough()
    source.end(data)
    await awaitTransfer(sync.push(source, path, 0o644))
    const size = await readFileSize(sync, path)
    if (size === data.length) return
    throw new OperationFailure('TRANSFER_FAILED', `${size} of ${data.length} bytes stored`, path)
  }).catch((error: unknown) => {
    throw error instanceof TransportFailure && INTERRUPTED_KINDS.has(error.kind) ? withCommandSent(error) : error
  })
}

/** Failures after which it is unknown how much of the file was written. */
const INTERRUPTED_KINDS: ReadonlySet<string> = new Set(['device_lost', 'deadline', 'aborted'])

type Sync = Awaited<ReturnType<ReturnType<Client['getDevice']>['syncService']>>

function withSync<T>(
  device: DeviceAddress,
  what: string,
  limits: CallLimits,
  work: (sync: Sync) => Promise<T>,
): Promise<T> {
  const { server, serial } = device
  return withAdbkit(server, limits, { serial, what }, async (client) =>
    work(await client.getDevice(serial).syncService()),
  )
}

async function readFileSize(sync: Sync, path: string): Promise<number> {
  try {
    return (await sync.stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new OperationFailure('FILE_NOT_FOUND', 'no such file on the device', path)
    }
    throw error
  }
}

async function receiveFile(transfer: ReturnType<Sync['pull']>): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    transfer.on('data', (chunk: Buffer) => chunks.push(chunk))
    transfer.on('error', (error: Error) => reject(translateSyncError(error)))
    transfer.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

function awaitTransfer(transfer: ReturnType<Sync['push']>): Promise<void> {
  return new Promise((resolve, reject) => {
    transfer.on('error', (error: Error) => reject(translateSyncError(error)))
    transfer.on('end', () => resolve())
  })
}

/** During a transfer a refusal concerns the file, e.g. a read-only folder, not the device. */
function translateSyncError(error: Error): Error {
  const text = /^Failure: '(.*)'$/s.exec(error.message)?.[1]
  if (text === undefined || toTransportFailure(text).kind !== 'stream_refused') return error
  return new OperationFailure('TRANSFER_FAILED', `the device refused the transfer: ${text}`, text)
}
