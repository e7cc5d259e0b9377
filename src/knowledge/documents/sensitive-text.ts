import { findCards, findEmails, findIbans, findPhones } from './sensitive-numbers.ts'

/** What a part of a text is. The end is after its last character. */
export interface TextMatch {
  readonly kind: 'email' | 'phone' | 'iban' | 'card' | 'name' | 'term'
  readonly start: number
  readonly end: number
}

type Finder = (text: string) => TextMatch[]

const FINDERS: Readonly<Record<string, Finder>> = {
  iban: (text) => label('iban', findIbans(text)),
  card: (text) => label('card', findCards(text)),
  email: (text) => label('email', findEmails(text)),
  phone: (text) => label('phone', findPhones(text)),
}

const label = (kind: TextMatch['kind'], places: readonly (readonly [number, number])[]): TextMatch[] =>
  places.map(([start, end]) => ({ kind, start, end }))

/**
 * Finds what the patterns name. Of matches that lie in each other only the largest stays, so that the digits of an account
 * are not also a phone number.
 */
export function findSensitive(text: string, patterns: readonly string[]): TextMatch[] {
  const lower = lowerCase(text)
  const found = patterns.flatMap((pattern) => {
    const finder = FINDERS[pattern]
    if (finder !== undefined) return finder(text)
    const at = pattern.indexOf(':')
    const kind = pattern.slice(0, at) === 'name' ? 'name' : 'term'
    const words = pattern.slice(at + 1)
    const variants = kind === 'name' ? listNameVariants(words) : [words]
    return variants.flatMap((variant) => label(kind, findWords(lower, variant)))
  })
  const largestFirst = found.toSorted((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
  const kept: TextMatch[] = []
  for (const match of largestFirst) {
    if (!kept.some(({ start, end }) => start <= match.start && end >= match.end)) kept.push(match)
  }
  return kept.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** `Ada Lovelace`, `Lovelace, Ada`, `Lovelace Ada` and `A. Lovelace`. */
function listNameVariants(name: string): string[] {
  const parts = name.trim().split(/\s+/)
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  if (parts.length < 2) return [first]
  const others = parts.slice(0, -1).join(' ')
  return [...new Set([parts.join(' '), `${last}, ${others}`, `${last} ${others}`, `${first[0] ?? ''}. ${last}`])]
}

/** Finds whole words without regard to case; any white space in them fits any other. */
function findWords(lower: string, wanted: string): [number, number][] {
  const needle = lowerCase(wanted.trim().replaceAll(/\s+/g, ' '))
  const places: [number, number][] = []
  if (needle === '') return places
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, at + 1)) {
    const end = at + needle.length
    if (!isWordPart(lower[at - 1], lower[at]) && !isWordPart(lower[end], lower[end - 1])) places.push([at, end])
  }
  return places
}

/** Letters whose lower case has another length stay, because they would move the places of others. */
const lowerCase = (text: string): string =>
  Array.from(text, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join('')

const isWordPart = (outside: string | undefined, inside: string | undefined): boolean =>
  outside !== undefined && inside !== undefined && /[\p{L}\p{N}]/u.test(outside) && /[\p{L}\p{N}]/u.test(inside)
