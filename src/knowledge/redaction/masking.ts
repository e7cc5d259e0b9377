import { replaceQuoted } from '../text/quoted-spans.ts'

export const MASK = '•••'

const EMAIL = /(?<![^\s@])[^\s@]+@[^\s@]+/gu
const DIGITS = /\p{Nd}{4,}/gu
const NAMED_SECRET = /(\b(?:password|passcode|passwd|pwd|pin|otp|token|secret|api[_-]?key)\s*[:=]\s*|\bbearer\s+)\S+/giu
const LONG_TOKEN = /[A-Za-z0-9_-]{12,}/g
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Masks what may be private: quotations, email addresses, numbers and keys. Masking one part can expose another, so
 * it repeats until nothing changes.
 */
export function maskText(text: string): string {
  let before = text
  // Each round masks at least one more character, so the number of rounds is bounded by the length.
  for (let round = 0; round <= text.length; round += 1) {
    const after = maskOnce(before)
    if (after === before) break
    before = after
  }
  return before
}

/** Cuts a text to a length, never inside a character or a placeholder. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$|‹[^›]{0,8}$/, '')
}

function maskOnce(text: string): string {
  return replaceQuoted(text, () => MASK)
    .replaceAll(NAMED_SECRET, `$1${MASK}`)
    .replaceAll(EMAIL, MASK)
    .replaceAll(LONG_TOKEN, (found) => (isTokenLike(found) ? MASK : found))
    .replaceAll(DIGITS, MASK)
}

/** A part of 12 or more characters with letters and digits is probably a key, an id or a password. */
function isTokenLike(found: string): boolean {
  if (UUID.test(found)) return true
  return found.split(/[_-]/).some((part) => part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part))
}
