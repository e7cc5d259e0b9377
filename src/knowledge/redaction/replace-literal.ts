export interface ReplacedLiteral {
  readonly literal: string
  readonly by: string
}

/** A literal of fewer than four characters is replaced only as a whole word, so that `a` does not alter other words. */
export function replaceLiteral(text: string, { literal, by }: ReplacedLiteral): string {
  const trimmed = literal.normalize('NFC').trim()
  if (trimmed === '') return text
  const escaped = trimmed.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const alone = String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
  const pattern = new RegExp(trimmed.length >= 4 ? escaped : alone, 'gu')
  return text.normalize('NFC').replaceAll(pattern, () => by)
}
