/** Characters on which many patterns repeat. */
const COMMON = [
  ' ',
  '\t',
  '\n',
  'a',
  'A',
  '0',
  '-',
  '_',
  '.',
  ',',
  '/',
  '"',
  "'",
  '<',
  '[',
  '(',
  '{',
  '=',
  ':',
  'é',
  '…',
  '\u200b',
]
/** Pairs in which one part may end another. */
const COMMON_PAIRS = [
  'a ',
  'a.',
  'a-',
  'a=',
  '0.',
  '0,',
  'a\n',
  '\\a',
  '- ',
  ' ,',
  '{}',
  '[]',
  '()',
  '<a',
  '..',
  'A a',
  'ab',
]
const MAX_WORDS = 12

/**
 * Texts that are repeated to make a pattern slow: common characters, the characters that the pattern names, its words,
 * and words with a character between them.
 */
export function listPumps(source: string): string[] {
  const plain = source
    .replaceAll(
      /\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})/g,
      (_all, a?: string, b?: string, c?: string) => String.fromCodePoint(Number.parseInt(a ?? b ?? c ?? '20', 16)),
    )
    .replaceAll(/\(\?(?:<?[=!]|:|<\w+>)/g, '(')
    .replaceAll(/\\[pP]\{[^}]*\}|\\[bBdDsSwW]|\{\d+,?\d*\}/g, '~')
  const characters = [...new Set(plain.replaceAll(/[~()|?*+^$]/g, ''))].filter((one) => one !== '\\')
  const escaped = [...plain.matchAll(/\\([^\w\s])/g)].map(([, one = '']) => one)
  const words = [...new Set([...plain.matchAll(/[\p{L}\p{N}_]{2,}/gu)].map(([word]) => word))].slice(0, MAX_WORDS)
  return [
    ...new Set([
      ...COMMON,
      ...COMMON_PAIRS,
      ...characters,
      ...escaped,
      ...words,
      ...words.flatMap((word) => [`${word} `, `${word}=`, `${word}\n`]),
      ...escaped.map((one) => `${one}a`),
    ]),
  ]
}

/** What follows the repeated text, so that the pattern fails at the end. */
export const ENDINGS = ['', '\u0000'] as const
