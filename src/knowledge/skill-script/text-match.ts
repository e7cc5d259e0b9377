/**
 * Whether a shown text is the expected one: the same but for white space, or followed only by signs that are neither
 * letters nor digits (a percent sign, a degree, the glyph of an icon).
 */
export function showsText(observed: string, expected: string): boolean {
  const [shown, wanted] = [collapse(observed), collapse(expected)]
  if (wanted === '' || !shown.startsWith(wanted)) return false
  return !/[\p{L}\p{N}]/u.test(shown.slice(wanted.length))
}

const collapse = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')
