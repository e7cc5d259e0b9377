const BLOCK_BYTES = 512

/** Reads one file of a tar file. Undefined if it is missing. Checks nothing: what is read must be checked by its hash. */
export function readTarEntry(tar: Buffer, path: string): Buffer | undefined {
  for (let at = 0; at + BLOCK_BYTES <= tar.length;) {
    const size = Number.parseInt(readField(tar, at + 124, 12), 8)
    if (!(size >= 0)) return undefined
    const start = at + BLOCK_BYTES
    if (readField(tar, at, 100) === path) return tar.subarray(start, start + size)
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
  return undefined
}

function readField(tar: Buffer, at: number, length: number): string {
  const [text = ''] = tar.toString('latin1', at, at + length).split('\0')
  return text.trim()
}
