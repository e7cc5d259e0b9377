import type { FileStat } from '../host/host.ts'

/** Frames of the sync service: a four-letter word, then little-endian numbers, then perhaps bytes. */
export function syncFrame(word: string, ...numbers: number[]): Buffer {
  const frame = Buffer.alloc(4 + 4 * numbers.length)
  frame.write(word, 0, 'latin1')
  numbers.forEach((number, at) => frame.writeUInt32LE(number >>> 0, 4 + 4 * at))
  return frame
}

export function syncData(data: Buffer): Buffer {
  return Buffer.concat([syncFrame('DATA', data.length), data])
}

export function syncFailure(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([syncFrame('FAIL', bytes.length), bytes])
}

/** The answer to `STAT`; a missing file is all zeros. */
export function statFrame(stat: FileStat | undefined): Buffer {
  return syncFrame('STAT', stat?.mode ?? 0, stat?.size ?? 0, stat?.mtime ?? 0)
}

/** The answer to `STA2` and `LST2`, and the head of a `DNT2`. */
export function statV2Frame(word: string, stat: FileStat | undefined): Buffer {
  const frame = Buffer.alloc(statV2Bytes)
  frame.write(word, 0, 'latin1')
  if (stat === undefined) {
    frame.writeUInt32LE(errorNoEntry, 4)
    return frame
  }
  frame.writeUInt32LE(stat.mode, 24)
  frame.writeUInt32LE(1, 28)
  frame.writeUInt32LE(shellUser, 32)
  frame.writeUInt32LE(shellUser, 36)
  frame.writeBigUInt64LE(BigInt(stat.size), 40)
  for (const at of [48, 56, 64]) frame.writeBigInt64LE(BigInt(Math.trunc(stat.mtime)), at)
  return frame
}

export function entryFrame(entry: FileStat & { readonly name: string }): Buffer {
  const name = Buffer.from(entry.name)
  return Buffer.concat([syncFrame('DENT', entry.mode, entry.size, entry.mtime, name.length), name])
}

export function entryV2Frame(entry: FileStat & { readonly name: string }): Buffer {
  const name = Buffer.from(entry.name)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(name.length)
  return Buffer.concat([statV2Frame('DNT2', entry), length, name])
}

/** The end of a listing is as long as an entry without a name. */
export const endOfList = Buffer.concat([Buffer.from('DONE'), Buffer.alloc(16)])
export const endOfListV2 = Buffer.concat([Buffer.from('DONE'), Buffer.alloc(72)])

const statV2Bytes = 72
const errorNoEntry = 2
const shellUser = 2000
