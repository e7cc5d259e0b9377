import { isClockText, isDynamicText } from '../../../screen/fingerprint.ts'

/**
 * Whether a text can belong to the app itself and not to its data: short enough for a label, no counter
 * or clock, nothing that seems personal.
 */
export function isStructuralText(label: string): boolean {
  const text = label.trim()
  if (text === '' || text.length > 60 || /[\r\n‹›$]/.test(text)) return false
  if (isDynamicText(text) || isClockText(text) || /\d/.test(text)) return false
  return !PERSONAL_PATTERNS.some((pattern) => pattern.test(text))
}

const PERSONAL_PATTERNS: readonly RegExp[] = [
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/u,
  /\p{Lu}\p{L}{1,40}['’]s\b/u,
  /:\/\/|\bwww\./u,
]
