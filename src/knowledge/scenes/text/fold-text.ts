/**
 * Text as it is compared: full-width and half-width forms are the same, and so are upper and lower case. Several blanks
 * are one.
 */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()

const WORD_CHARACTER = /[a-z0-9_]/

/**
 * Whether a phrase of the text stands alone. Words of Latin letters and digits must not continue; Chinese has no such
 * limits.
 */
export function isWholePhrase(text: string, start: number, length: number): boolean {
  const end = start + length
  return !joins(text[start - 1], text[start]) && !joins(text[end - 1], text[end])
}

const joins = (left: string | undefined, right: string | undefined): boolean =>
  left !== undefined && right !== undefined && WORD_CHARACTER.test(left) && WORD_CHARACTER.test(right)
