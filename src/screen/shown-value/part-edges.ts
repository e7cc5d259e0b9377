/** Where parts of a label may start and end, by place. */
export interface PartEdges {
  readonly starts: Uint8Array
  readonly ends: Uint8Array
}

/**
 * Parts are lines, and segments between ` · `, ` • `, ` | `, `, `, `: `, ` - `, `; `, arrows, brackets and quotes. A
 * colon or comma between letters separates too, as texts in Chinese and Japanese have no spaces behind it. Punctuation
 * at the end of the label belongs to no part.
 */
export function findPartEdges(text: string): PartEdges {
  const starts = new Uint8Array(text.length + 1)
  const ends = new Uint8Array(text.length + 1)
  starts[0] = 1
  ends[text.length] = 1
  const mark = (from: number, to: number) => {
    ends[from] = 1
    starts[to] = 1
  }
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) mark(index, index + separator.length)
  const closing = /(?:(?<!\.)\.|[!?,;:\u3002]{1,3})$/.exec(text)
  if (closing !== null) ends[closing.index] = 1
  return { starts, ends }
}

const SEPARATOR = new RegExp(
  [
    '\\n',
    ' [\u00b7\u2022|\u2192\u203a>/\\-\u30fb] ',
    ' ?[()\\[\\]{}<>"\u300c\u300d\u300e\u300f\u3010\u3011] ?',
    '[,:;] ',
    '[\u3001\u3002\u30fb\uff5c\u00b7\u2022|]',
    '(?<=\\p{L})[,:;](?=\\p{L})',
    "(?<![\\p{L}\\p{N}])'|'(?![\\p{L}\\p{N}])",
  ].join('|'),
  'gu',
)
