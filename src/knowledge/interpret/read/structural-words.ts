import { isClockText, isDynamicText } from '../../../screen/fingerprint.ts'

/**
 * Whether words can be part of the app itself: nothing that counts or ticks, nothing that looks like
 * somebody's own, and short enough to be a label.
 */
export function canBeStructural(words: string): boolean {
  const text = words.trim()
  if (text === '' || text.length > 60 || /[\r\n‹›$]/.test(text)) return false
  if (isDynamicText(text) || isClockText(text) || /\d/.test(text)) return false
  return !PERSONAL.some((pattern) => pattern.test(text))
}

const PERSONAL: readonly RegExp[] = [
  /[\w.+-]+@[\w-]+\.[\w.-]+/u,
  /\p{Lu}\p{L}+['’]s\b/u,
  /:\/\/|\bwww\./u,
]
