import { PassThrough } from 'node:stream'
import type { Client } from '@devicefarmer/adbkit'
import { withAdbkit } from '../adb/adbkit-call.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { DeviceAddress } from './command-stream.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { afterSending, refusal, TransportFailure } from '../adb/transport-failure.ts'

/** Reads a file of the device. The byte count is compared with the file's size before and after. */
export function pullFile(device: DeviceAddress, path: string, limits: CallLimits): Promise<Buffer> {
  return overSync(device, 'pulling a file', limits, async (sync) => {
    // A missing file must be found out first: pulling one looks like an empty file for a moment.
    const size = await fileSize(sync, path)
    const data = await received(sync.pull(path))
    if (data.length === size) return data
    throw new OperationFailure('TRANSFER_FAILED', `${data.length} of ${size} bytes arrived`, path)
  })
}

/** Writes a file on the device and checks that all of it is there. */
export function pushFile(
  device: DeviceAddress,
  path: string,
  data: Buffer,
  limits: CallLimits,
): Promise<void> {
  return overSync(device, 'pushing a file', limits, async (sync) => {
    // A byte stream, which the library can read in the 64 KiB pieces a device accepts.
    const source = new PassThrough()
    source.end(data)
    await transferred(sync.push(source, path, 0o644))
    const size = await fileSize(sync, path)
    if (size === data.length) return
    throw new OperationFailure('TRANSFER_FAILED', `${size} of ${data.length} bytes stored`, path)
  }).catch((error: unknown) => {
    throw error instanceof TransportFailure && MIDWAY.has(error.kind) ? afterSending(error) : error
  })
}

/** Failures that leave open how much of the file the device has by now. */
const MIDWAY: ReadonlySet<string> = new Set(['device_lost', 'deadline', 'aborted'])

type Sync = Awaited<ReturnType<ReturnType<Client['getDevice']>['syncService']>>

function overSync<T>(
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

async function fileSize(sync: Sync, path: string): Promise<number> {
  try {
    return (await sync.stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new OperationFailure('FILE_NOT_FOUND', 'no such file on the device', path)
    }
    throw error
  }
}

async function received(transfer: ReturnType<Sync['pull']>): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    transfer.on('data', (chunk: Buffer) => chunks.push(chunk))
    transfer.on('error', (error: Error) => reject(deviceSaid(error)))
    transfer.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

function transferred(transfer: ReturnType<Sync['push']>): Promise<void> {
  return new Promise((resolve, reject) => {
    transfer.on('error', (error: Error) => reject(deviceSaid(error)))
    transfer.on('end', () => resolve())
  })
}

/** Within sync a refusal is about the file, e.g. a read-only folder, not about the device. */
function deviceSaid(error: Error): Error {
  const text = /^Failure: '(.*)'$/s.exec(error.message)?.[1]
  if (text === undefined || refusal(text).kind !== 'stream_refused') return error
  return new OperationFailure('TRANSFER_FAILED', `the device refused the transfer: ${text}`, text)
}
