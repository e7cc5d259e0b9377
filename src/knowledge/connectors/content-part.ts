const MAX_TRAILING_BYTES = 3

interface ContentPart {
  readonly encoding: 'utf8' | 'base64'
  readonly data: string
  /** How many of the bytes are in it. A character that is cut off at the end is left to the next part. */
  readonly taken: number
}

/** Encodes a part of a content as text if it is UTF-8 without zero bytes, else as base64. */
export function encodePart(bytes: Buffer): ContentPart {
  for (let taken = bytes.length; taken >= Math.max(1, bytes.length - MAX_TRAILING_BYTES); taken -= 1) {
    const data = decodeText(bytes.subarray(0, taken))
    if (data !== undefined) return { encoding: 'utf8', data, taken }
  }
  return { encoding: 'base64', data: bytes.toString('base64'), taken: bytes.length }
}

function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
