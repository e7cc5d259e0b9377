import { distinct } from '../text/plain-text.ts'
import {
  isGenericVerb,
  isSmallWord,
  isSpecific,
  keepContent,
  listForms,
  splitClauses,
  toBaseForm,
} from './content-words.ts'

/** What is known about a skill that has no trigger phrases of its own. */
export interface SkillWords {
  /** The slug, or the last part of a dotted id. */
  readonly name: string
  readonly description: string
  /** Words by which its author wants it to be found. */
  readonly keywords?: readonly string[] | undefined
  readonly headings?: readonly string[] | undefined
}

const MAX_PHRASES = 40
const MAX_LENGTH = 120
const MAX_TERMS = 8
const MAX_BAGS = 4

/**
 * Trigger phrases from the name, the description and the headings of a skill. The lookup adds most for a phrase that
 * the request contains and less for two words of one phrase, and the first phrase that matches decides. So short
 * phrases that say what the skill is about come first and collections of its words last. No phrase contains small
 * words, because two of those would match any request.
 */
export function deriveTriggers(skill: SkillWords): string[] {
  const { wanted } = splitConditions(skill.description)
  const name = toPhrase(skill.name)
  const clauses = splitClauses(wanted).map(keepContent)
  const keywords = (skill.keywords ?? []).map(toPhrase)
  const headings = (skill.headings ?? []).flatMap(splitClauses).map(keepContent)
  const phrases = [
    ...(isGenericVerb(name) ? [] : [name]),
    ...keywords.filter((phrase) => phrase.includes(' ') || isSpecific(phrase)),
    ...listQuoted(skill.description),
    ...listTerms(wanted),
    ...clauses.flatMap(listPairs),
    ...listLongWords(clauses.flat()),
    ...buildBags([name.split(' '), ...keywords.map((phrase) => phrase.split(' ')), ...clauses, ...headings]),
  ]
  const found = distinct(phrases.map((phrase) => phrase.slice(0, MAX_LENGTH).trim())).filter(isUsable)
  return found.length === 0
    ? [name]
    : [...found.slice(0, MAX_PHRASES - MAX_BAGS), ...found.slice(-MAX_BAGS)].filter(isFirst)
}

const isFirst = (phrase: string, at: number, all: readonly string[]): boolean => all.indexOf(phrase) === at

/** No phrase of one generic verb, of small words only, or too short to select anything. */
const isUsable = (phrase: string): boolean =>
  phrase.length >= 3 && !isGenericVerb(phrase) && phrase.split(' ').some((word) => !isSmallWord(word))

/** Phrases for which the skill must not be used, from sentences such as "Do not use when ...". */
export function deriveNegativeTriggers(skill: SkillWords): string[] {
  const { unwanted } = splitConditions(skill.description)
  const own = new Set(toPhrase(skill.name).split(' '))
  const phrases = unwanted.flatMap((clause) =>
    clause
      .split(/[,;]|\bor\b|\band\b/i)
      .map((part) => trimSmallWords(splitClauses(part).flat()))
      .filter((words) => words.length > 0 && words.length <= 5)
      // A phrase of the skill's own words would refuse its own requests.
      .filter((words) => words.some((word) => isSpecific(word) && !own.has(word)))
      .map((words) => words.join(' ')),
  )
  return distinct(phrases.filter((phrase) => phrase.length >= 4)).slice(0, 12)
}

function trimSmallWords(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !isSmallWord(word))
  const last = words.findLastIndex((word) => !isSmallWord(word))
  return first < 0 ? [] : words.slice(first, last + 1)
}

const UNWANTED =
  /(?:\b(?:do not|don't|never|not to be|should not be|must not be) (?:use|used|trigger|invoke|apply|activate)[^\n.:]{0,30}?\b(?:when|for|if|to|on|with)\b|\b(?:not (?:intended |meant |suitable )?for|not for use (?:with|in)|avoid (?:using )?(?:when|for|if)|skip (?:when|for|if))\b):?\s*([^.\n]{1,300})/gi

/** Separates what a skill is for from what it is not for. */
export function splitConditions(description: string): { readonly wanted: string; readonly unwanted: string[] } {
  const unwanted = [...description.matchAll(UNWANTED)].map(([, clause = '']) => clause)
  return { wanted: description.replaceAll(UNWANTED, ' '), unwanted }
}

/** The words of a name or a keyword, without small words. */
function toPhrase(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
  const content = words.filter((word) => !isSmallWord(word))
  return (content.length === 0 ? words : content).join(' ')
}

/** Texts in quotation marks are often requests as people phrase them. */
function listQuoted(description: string): string[] {
  const { unwanted } = splitConditions(description)
  const quoted = [...description.matchAll(/["“„«]([^"“”«»\n]{4,80})["”»]/g)].map(([, inside = '']) => inside)
  return quoted
    .filter((text) => !unwanted.some((clause) => clause.includes(text)))
    .map((text) => trimSmallWords(splitClauses(text).flat()).join(' '))
    .filter((phrase) => phrase.includes(' ') || isSpecific(phrase))
}

/** Names of products, formats and methods: words with an upper-case letter inside a sentence, and file extensions. */
function listTerms(text: string): string[] {
  const named = [...text.matchAll(/(?<=[^\s.!?:]\s|\(|\/|")(?:\p{Lu}[\p{L}\p{N}+#.-]{1,30}|\.[a-z]{2,5}\b)/gu)].map(
    ([word]) => word,
  )
  const marked = [...text.matchAll(/\b(?:\p{Lu}{2,}[\p{N}]*s?|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*)\b/gu)].map(
    ([word]) => word,
  )
  const terms = distinct(
    [...named, ...marked].map((word) => word.toLowerCase().replace(/^\.|(?<![.,;:])[.,;:]+$/g, '')),
  )
  return terms.filter(isSpecific).slice(0, MAX_TERMS)
}

const MIN_LONG_WORD = 8

/** Long words are rare enough to select a skill alone: "umbrella", "changelog", "subtitles". */
const listLongWords = (words: readonly string[]): string[] =>
  distinct(words.filter((word) => word.length >= MIN_LONG_WORD && isSpecific(word)).map(toBaseForm)).slice(0, MAX_TERMS)

/** Neighbouring content words, such as "merge files". */
function listPairs(words: readonly string[]): string[] {
  return words.slice(1).flatMap((word, at) => {
    const before = words[at] ?? ''
    if (!isSpecific(before) && !isSpecific(word)) return []
    return [`${before} ${word}`]
  })
}

/** All content words with their other forms, as few long phrases. */
function buildBags(clauses: readonly (readonly string[])[]): string[] {
  const words = distinct(clauses.flat().filter((word) => word.length >= 3)).flatMap(listForms)
  const bags: string[] = []
  let bag = ''
  for (const word of distinct(words)) {
    if (bag.length + word.length + 1 > MAX_LENGTH) {
      bags.push(bag)
      bag = ''
    }
    bag = bag === '' ? word : `${bag} ${word}`
  }
  return [...bags, bag].slice(0, MAX_BAGS)
}
