import type { FileStat } from '../host/host.ts'

/** Encodes a frame of the sync service: a four-letter id, then little-endian numbers. */
export function encodeFrame(id: string, ...numbers: number[]): Buffer {
  const frame = Buffer.alloc(4 + 4 * numbers.length)
  frame.write(id, 0, 'latin1')
  numbers.forEach((number, at) => frame.writeUInt32LE(number >>> 0, 4 + 4 * at))
  return frame
}

export function encodeData(data: Buffer): Buffer {
  return Buffer.concat([encodeFrame('DATA', data.length), data])
}

export function encodeFailure(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([encodeFrame('FAIL', bytes.length), bytes])
}

/** The answer to `STAT`. All zeros for a missing file. */
export function encodeStat(stat: FileStat | undefined): Buffer {
  return encodeFrame('STAT', stat?.mode ?? 0, stat?.size ?? 0, stat?.mtime ?? 0)
}

/** The answer to `STA2` and `LST2`, and the head of a `DNT2`. */
export function encodeStatV2(id: string, stat: FileStat | undefined): Buffer {
  const frame = Buffer.alloc(STAT_V2_BYTES)
  frame.write(id, 0, 'latin1')
  if (stat === undefined) {
    frame.writeUInt32LE(ERROR_NO_ENTRY, 4)
    return frame
  }
  frame.writeUInt32LE(stat.mode, 24)
  frame.writeUInt32LE(1, 28)
  frame.writeUInt32LE(SHELL_USER, 32)
  frame.writeUInt32LE(SHELL_USER, 36)
  frame.writeBigUInt64LE(BigInt(stat.size), 40)
  for (const at of [48, 56, 64]) frame.writeBigInt64LE(BigInt(Math.trunc(stat.mtime)), at)
  return frame
}

export function encodeEntry(entry: FileStat & { readonly name: string }): Buffer {
  const name = Buffer.from(entry.name)
  return Buffer.concat([encodeFrame('DENT', entry.mode, entry.size, entry.mtime, name.length), name])
}

export function encodeEntryV2(entry: FileStat & { readonly name: string }): Buffer {
  const name = Buffer.from(entry.name)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(name.length)
  return Buffer.concat([encodeStatV2('DNT2', entry), length, name])
}

/** The end of a listing has the length of an entry without a name. */
export const END_OF_LIST = Buffer.concat([Buffer.from('DONE'), Buffer.alloc(16)])
export const END_OF_LIST_V2 = Buffer.concat([Buffer.from('DONE'), Buffer.alloc(72)])

const STAT_V2_BYTES = 72
const ERROR_NO_ENTRY = 2
const SHELL_USER = 2000
