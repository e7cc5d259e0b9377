import { replaceQuoted } from '../text/quoted-spans.ts'

export const mask = '•••'

const email = /[^\s@]+@[^\s@]+/gu
const digits = /\p{Nd}{4,}/gu
const named =
  /(\b(?:password|passcode|passwd|pwd|pin|otp|token|secret|api[_-]?key)\s*[:=]\s*|\bbearer\s+)\S+/giu
const word = /[A-Za-z0-9_-]{12,}/g
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Takes out what may be private (quotations, addresses, numbers, keys) and leaves the sentence standing. Masking
 * one thing can bring another to light, so it goes on until nothing is left to mask.
 */
export function maskText(text: string): string {
  let before = text
  // Each round that changes anything masks at least one more character, so there are never more than these.
  for (let round = 0; round <= text.length; round += 1) {
    const after = maskOnce(before)
    if (after === before) break
    before = after
  }
  return before
}

/** Cuts to a length without leaving half a character or half a token behind. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$|‹[^›]{0,8}$/, '')
}

function maskOnce(text: string): string {
  return replaceQuoted(text, () => mask)
    .replaceAll(named, `$1${mask}`)
    .replaceAll(email, mask)
    .replaceAll(word, (found) => (isTokenLike(found) ? mask : found))
    .replaceAll(digits, mask)
}

/** Names are made of words; a long part that mixes letters and digits is a key, an id or a password. */
function isTokenLike(found: string): boolean {
  if (uuid.test(found)) return true
  return found
    .split(/[_-]/)
    .some((part) => part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part))
}
