/** Decodes the bytes of a dump. Some shells save output as UTF-16; the byte order mark, or zero bytes, tell which. */
export function decodeDump(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return decodeBigEndian(bytes.subarray(2))
  if (second === 0 && first !== 0) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0 && second !== 0 && second !== undefined) return decodeBigEndian(bytes)
  return new TextDecoder('utf-8').decode(bytes)
}

/** Node without full ICU has no decoder for big-endian UTF-16. */
function decodeBigEndian(bytes: Uint8Array): string {
  const swapped = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return swapped.swap16().toString('utf16le')
}
