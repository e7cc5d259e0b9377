import type { DocumentMedia } from '@apprentice/contracts/documents/fields.ts'

/** How many bytes of a file are needed to find its type. */
export const HEAD_BYTES = 1024

const SIGNATURES: readonly (readonly [DocumentMedia, string])[] = [
  ['image/png', '\u0089PNG\r\n\u001A\n'],
  ['image/jpeg', '\u00FF\u00D8\u00FF'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
]

/** The type of a document, from its first bytes. Readers of PDF accept other bytes before the header. */
export function sniffMediaType(head: Uint8Array): DocumentMedia | undefined {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES))
  const known = SIGNATURES.find(([, signature]) => text.startsWith(signature))
  if (known !== undefined) return known[0]
  return /%PDF-\d\.\d/.test(text) ? 'application/pdf' : undefined
}
