import { singular } from '../interpret/read/words.ts'

/** Words that say nothing about what is meant. */
const empty = new Set(
  'a an and the to of in on off for at by with from my your our this that its it is please'.split(
    ' ',
  ),
)

/** The words of a text as they are compared: without case, marks, endings of the plural and empty words. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[’']s\b/gu, '')
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !empty.has(word))
    .map((word) => (word.length > 3 ? singular(word) : word))
}

/** How much of what is wanted a text says, 0 to 1. */
export function overlap(wanted: readonly string[], said: readonly string[]): number {
  if (wanted.length === 0) return 0
  const heard = new Set(said)
  return wanted.filter((word) => heard.has(word)).length / wanted.length
}

/** Does the text say all of it? Of no words nothing is said. */
export const saysAll = (wanted: readonly string[], said: readonly string[]): boolean =>
  wanted.length > 0 && overlap(wanted, said) === 1
