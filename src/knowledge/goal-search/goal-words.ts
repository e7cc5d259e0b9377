import { toSingular } from '../interpret/read/node-text.ts'

const STOP_WORDS = new Set(
  'a an and the to of in on off for at by with from my your our this that its it is please'.split(' '),
)

/** Normalizes case, diacritics and plurals, and removes stop words. */
export function splitWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[’']s\b/gu, '')
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map((word) => (word.length > 3 ? toSingular(word) : word))
}

/** The share of `expected` words in `actual`, from 0 to 1; 0 when `expected` is empty. */
export function measureOverlap(expected: readonly string[], actual: readonly string[]): number {
  if (expected.length === 0) return 0
  const known = new Set(actual)
  return expected.filter((word) => known.has(word)).length / expected.length
}

/** False when `expected` is empty. */
export const containsAll = (expected: readonly string[], actual: readonly string[]): boolean =>
  expected.length > 0 && measureOverlap(expected, actual) === 1
