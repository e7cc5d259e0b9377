import type { PhoneFiles } from '../host/host.ts'
import { ByteReader } from './chunk-queue.ts'
import type { ServiceStream } from './service-stream.ts'
import {
  END_OF_LIST,
  END_OF_LIST_V2,
  encodeEntry,
  encodeEntryV2,
  encodeStat,
  encodeStatV2,
  encodeData,
  encodeFailure,
  encodeFrame,
} from './sync-frame.ts'

/** Serves `sync:`: file requests in sequence, until `QUIT` or the end of the stream. */
export async function serveSync(files: PhoneFiles, stream: ServiceStream): Promise<void> {
  const reader = new ByteReader(() => stream.read())
  for (;;) {
    const request = await readRequest(reader)
    if (request === undefined) return
    const continues = await answerOrFail({ files, stream, reader }, request)
    if (!continues) return
  }
}

interface SyncSession {
  readonly files: PhoneFiles
  readonly stream: ServiceStream
  readonly reader: ByteReader
}

interface SyncRequest {
  readonly id: string
  readonly path: string
}

const MAX_PATH_BYTES = 1024
const MAX_DATA_BYTES = 64 * 1024
const MAX_FILE_BYTES = 256 * 1024 * 1024

async function readRequest(reader: ByteReader): Promise<SyncRequest | undefined> {
  const head = await reader.take(8)
  if (head === undefined) return undefined
  const length = head.readUInt32LE(4)
  const path = length > MAX_PATH_BYTES ? undefined : await reader.take(length)
  if (path === undefined) return undefined
  return { id: head.toString('latin1', 0, 4), path: path.toString() }
}

async function answerOrFail(session: SyncSession, request: SyncRequest): Promise<boolean> {
  try {
    return await answer(session, request)
  } catch (error) {
    await session.stream.write(encodeFailure(error instanceof Error ? error.message : String(error)))
    return false
  }
}

/** Returns false to end the service. */
async function answer(session: SyncSession, { id, path }: SyncRequest): Promise<boolean> {
  const { files, stream } = session
  switch (id) {
    case 'STAT':
      await stream.write(encodeStat(files.stat(path)))
      return true
    case 'STA2':
    case 'LST2':
      await stream.write(encodeStatV2(id, files.stat(path)))
      return true
    case 'LIST':
      await stream.write(Buffer.concat([...files.list(path).map(encodeEntry), END_OF_LIST]))
      return true
    case 'LIS2':
      await stream.write(Buffer.concat([...files.list(path).map(encodeEntryV2), END_OF_LIST_V2]))
      return true
    case 'RECV':
      await sendFile(session, path)
      return true
    case 'SEND':
      return receiveFile(session, path)
    case 'QUIT':
      return false
    default:
      await stream.write(encodeFailure(`unknown command '${id}'`))
      return false
  }
}

async function sendFile({ files, stream }: SyncSession, path: string): Promise<void> {
  const data = files.read(path)
  if (data === undefined) {
    const reason = files.stat(path) === undefined ? 'No such file or directory' : 'Is a directory'
    await stream.write(encodeFailure(`open failed: ${reason}`))
    return
  }
  let offset = 0
  while (data.length - offset > MAX_DATA_BYTES && !stream.signal.aborted) {
    await stream.write(encodeData(data.subarray(offset, offset + MAX_DATA_BYTES)))
    offset += MAX_DATA_BYTES
  }
  const last = data.length > 0 ? encodeData(data.subarray(offset)) : Buffer.alloc(0)
  await stream.write(Buffer.concat([last, encodeFrame('DONE', 0)]))
}

/** Reads the whole file before it answers, because the client reads only after it sent everything. */
async function receiveFile(session: SyncSession, target: string): Promise<boolean> {
  const upload = await readUpload(session.reader)
  if (upload === undefined) return false
  const comma = target.lastIndexOf(',')
  const path = comma < 0 ? target : target.slice(0, comma)
  const mode = comma < 0 ? Number.NaN : Number.parseInt(target.slice(comma + 1), 10)
  if (Number.isNaN(mode)) {
    await session.stream.write(encodeFailure('missing , in ID_SEND'))
    return false
  }
  if (upload.data === undefined) {
    await session.stream.write(encodeFailure('write failed: No space left on device'))
    return true
  }
  try {
    session.files.write(path, upload.data, { mode, mtime: upload.mtime })
    await session.stream.write(encodeFrame('OKAY', 0))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await session.stream.write(encodeFailure(`couldn't create file: ${reason}`))
  }
  return true
}

/** `data` is undefined for a file larger than MAX_FILE_BYTES. */
async function readUpload(reader: ByteReader): Promise<{ data: Buffer | undefined; mtime: number } | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    const head = await reader.take(8)
    if (head === undefined) return undefined
    const id = head.toString('latin1', 0, 4)
    const number = head.readUInt32LE(4)
    if (id === 'DONE') {
      return { data: size > MAX_FILE_BYTES ? undefined : Buffer.concat(parts), mtime: number }
    }
    if (id !== 'DATA' || number > MAX_DATA_BYTES) return undefined
    const data = await reader.take(number)
    if (data === undefined) return undefined
    size += data.length
    if (size <= MAX_FILE_BYTES) parts.push(data)
  }
}
