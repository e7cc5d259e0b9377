import type { AtomList } from './atoms.ts'
import type { Span } from './dates.ts'
import { parseGroups } from './number-groups.ts'

/** Phone numbers, card numbers, account numbers: digits that are not one quantity. `indexes` are those of its digits. */
export interface CodeToken extends Span {
  readonly indexes: readonly number[]
}

/** All codes of a text outside of dates and times. `isTaken` tells atoms that belong to those. */
export function scanCodes(list: AtomList, isTaken: (index: number) => boolean): CodeToken[] {
  const tokens: CodeToken[] = []
  for (let index = 0; index < list.length;) {
    const chain = list.isDigits(index) && !isTaken(index) ? readChain(list, index, isTaken) : undefined
    if (chain === undefined) {
      index++
      continue
    }
    if (isCode(list, chain)) {
      const last = chain.indexes.at(-1) ?? index
      tokens.push({ start: findStart(list, index), end: list.at(last).end, indexes: chain.indexes })
    }
    index = (chain.indexes.at(-1) ?? index) + 1
  }
  return tokens
}

interface Chain {
  readonly indexes: number[]
  /** What stands between the runs of digits. */
  readonly links: string[]
}

function readChain(list: AtomList, first: number, isTaken: (index: number) => boolean): Chain {
  const chain: Chain = { indexes: [first], links: [] }
  for (let last = first; ;) {
    let next = last + 1
    while (next <= last + 3 && (list.at(next).text === ' ' || list.isMark(next, '-./()'))) next++
    if (next === last + 1 || !list.isDigits(next) || isTaken(next)) return chain
    const link = list.atoms
      .slice(last + 1, next)
      .map(({ text }) => text)
      .join('')
    if (!LINKS.has(link)) return chain
    chain.indexes.push(next)
    chain.links.push(link)
    last = next
  }
}

const LINKS: ReadonlySet<string> = new Set([' ', '-', '.', '/', ')', '(', ') ', ' (', ')-', ' - ', ' / ', ')/'])

function isCode(list: AtomList, { indexes, links }: Chain): boolean {
  const first = indexes[0] ?? 0
  const runs = indexes.map((index) => list.at(index).text)
  const digits = runs.reduce((sum, run) => sum + run.length, 0)
  const hasPlus = list.isMark(first - 1, '+')
  const starts = hasPlus || runs[0]?.startsWith('0') === true || list.isMark(first - 1, '(')
  if (runs.length === 1) return digits >= 16 || (starts && digits >= (hasPlus ? 7 : 5) && !list.isMark(first - 1, '('))
  if (list.isWord(first - 1) && runs.length >= 3 && digits >= 10) return true
  if (digits < 7 || digits > 34 || isNumberChain(runs, links)) return false
  if (starts && digits <= 17) return !links.includes('/') || runs.length > 2
  if (links.every((link) => link === '-')) return (runs[0] ?? '').length >= 3 && (runs[1] ?? '').length >= 3
  return runs.length >= 3 && digits >= 9 && digits / runs.length >= 3 && links.every((link) => link === links[0])
}

function isNumberChain(runs: readonly string[], links: readonly string[]): boolean {
  return links.every((link) => link.length === 1) && parseGroups(runs, links) !== undefined
}

function findStart(list: AtomList, index: number): number {
  if (list.isMark(index - 1, '+(')) return list.at(index - 1).start
  return list.at(index).start
}
