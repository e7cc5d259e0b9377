import type { PhoneFiles } from '../host/host.ts'
import { ByteReader } from './chunk-queue.ts'
import type { ServiceStream } from './service-stream.ts'
import {
  endOfList,
  endOfListV2,
  entryFrame,
  entryV2Frame,
  statFrame,
  statV2Frame,
  syncData,
  syncFailure,
  syncFrame,
} from './sync-frame.ts'

/** `sync:`: several file requests, one after another, until `QUIT` or the end of the stream. */
export async function serveSync(files: PhoneFiles, stream: ServiceStream): Promise<void> {
  const reader = new ByteReader(() => stream.read())
  for (;;) {
    const request = await readRequest(reader)
    if (request === undefined) return
    const goOn = await answerOrFail({ files, stream, reader }, request)
    if (!goOn) return
  }
}

interface Conversation {
  readonly files: PhoneFiles
  readonly stream: ServiceStream
  readonly reader: ByteReader
}

interface SyncRequest {
  readonly word: string
  readonly path: string
}

const pathMaxBytes = 1024
const dataMaxBytes = 64 * 1024
const fileMaxBytes = 256 * 1024 * 1024

async function readRequest(reader: ByteReader): Promise<SyncRequest | undefined> {
  const head = await reader.take(8)
  if (head === undefined) return undefined
  const length = head.readUInt32LE(4)
  const path = length > pathMaxBytes ? undefined : await reader.take(length)
  if (path === undefined) return undefined
  return { word: head.toString('latin1', 0, 4), path: path.toString() }
}

async function answerOrFail(talk: Conversation, request: SyncRequest): Promise<boolean> {
  try {
    return await answer(talk, request)
  } catch (error) {
    await talk.stream.write(syncFailure(error instanceof Error ? error.message : String(error)))
    return false
  }
}

/** False ends the conversation. */
async function answer(talk: Conversation, { word, path }: SyncRequest): Promise<boolean> {
  const { files, stream } = talk
  switch (word) {
    case 'STAT':
      await stream.write(statFrame(files.stat(path)))
      return true
    case 'STA2':
    case 'LST2':
      await stream.write(statV2Frame(word, files.stat(path)))
      return true
    case 'LIST':
      await stream.write(Buffer.concat([...files.list(path).map(entryFrame), endOfList]))
      return true
    case 'LIS2':
      await stream.write(Buffer.concat([...files.list(path).map(entryV2Frame), endOfListV2]))
      return true
    case 'RECV':
      await sendFile(talk, path)
      return true
    case 'SEND':
      return receiveFile(talk, path)
    case 'QUIT':
      return false
    default:
      await stream.write(syncFailure(`unknown command '${word}'`))
      return false
  }
}

async function sendFile({ files, stream }: Conversation, path: string): Promise<void> {
  const data = files.read(path)
  if (data === undefined) {
    const reason = files.stat(path) === undefined ? 'No such file or directory' : 'Is a directory'
    await stream.write(syncFailure(`open failed: ${reason}`))
    return
  }
  let offset = 0
  while (data.length - offset > dataMaxBytes && !stream.signal.aborted) {
    await stream.write(syncData(data.subarray(offset, offset + dataMaxBytes)))
    offset += dataMaxBytes
  }
  const last = data.length > 0 ? syncData(data.subarray(offset)) : Buffer.alloc(0)
  await stream.write(Buffer.concat([last, syncFrame('DONE', 0)]))
}

/** A refused file is read to its end first, as the client only listens once it has sent it all. */
async function receiveFile(talk: Conversation, target: string): Promise<boolean> {
  const upload = await readUpload(talk.reader)
  if (upload === undefined) return false
  const comma = target.lastIndexOf(',')
  const path = comma < 0 ? target : target.slice(0, comma)
  const mode = comma < 0 ? Number.NaN : Number.parseInt(target.slice(comma + 1), 10)
  if (Number.isNaN(mode)) {
    await talk.stream.write(syncFailure('missing , in ID_SEND'))
    return false
  }
  if (upload.data === undefined) {
    await talk.stream.write(syncFailure('write failed: No space left on device'))
    return true
  }
  try {
    talk.files.write(path, upload.data, { mode, mtime: upload.mtime })
    await talk.stream.write(syncFrame('OKAY', 0))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await talk.stream.write(syncFailure(`couldn't create file: ${reason}`))
  }
  return true
}

/** `data` is undefined for a file beyond the size kept in memory. */
async function readUpload(
  reader: ByteReader,
): Promise<{ data: Buffer | undefined; mtime: number } | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    const head = await reader.take(8)
    if (head === undefined) return undefined
    const word = head.toString('latin1', 0, 4)
    const number = head.readUInt32LE(4)
    if (word === 'DONE') {
      return { data: size > fileMaxBytes ? undefined : Buffer.concat(parts), mtime: number }
    }
    if (word !== 'DATA' || number > dataMaxBytes) return undefined
    const data = await reader.take(number)
    if (data === undefined) return undefined
    size += data.length
    if (size <= fileMaxBytes) parts.push(data)
  }
}
