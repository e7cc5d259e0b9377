/**
 * True when the texts are equal apart from white space. The observed text may end with characters that are neither
 * letters nor digits, such as a percent sign or the glyph of an icon.
 */
export function matchesText(observed: string, expected: string): boolean {
  const [text, prefix] = [collapse(observed), collapse(expected)]
  if (prefix === '' || !text.startsWith(prefix)) return false
  return !/[\p{L}\p{N}]/u.test(text.slice(prefix.length))
}

const collapse = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')
