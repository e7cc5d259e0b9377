import { isFiller } from '../../../knowledge/goal-search/goal/small-words.ts'
import { listOtherVerbs } from '../../../knowledge/goal-search/goal/verbs.ts'
import { type AbilityTexts, matchTrigger, readAbilityTexts, readQuery } from '../../../knowledge/lookup/scorer.ts'
import { distinct } from '../../../knowledge/text/plain-text.ts'

export interface TriggerTests {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
  readonly paraphrase: readonly string[]
}

/** What the skill does, in the words of its owner. Requests are made from it, not from the trigger phrases. */
export interface SkillWords {
  readonly title: string
  readonly goal?: string | undefined
  readonly slug?: string | undefined
}

/**
 * Phrases that must match the skill, must not match it, and paraphrases that must match it. A person who wants what the
 * title and the goal say must find the skill, so trigger phrases without their words fail.
 */
export function writeTriggerTests(
  triggers: readonly string[],
  negatives: readonly string[],
  words: SkillWords,
): TriggerTests {
  const phrases = triggers.map((trigger) => trigger.toLowerCase())
  const title = words.title.toLowerCase()
  return {
    positive: distinct([...phrases, title, `please ${title}`, `can you ${title}`, `${title} for me`]),
    negative: distinct([...negatives.map((text) => text.toLowerCase()), ...pickUnrelated(phrases, words)]),
    paraphrase: writeParaphrases(words),
  }
}

const MAX_PARAPHRASES = 8
/** Longer goals are descriptions, which nobody types as a request. */
const MAX_REQUEST = 120

/** The same request in other words: without small words, in another order, with another verb, as the name of the skill. */
function writeParaphrases({ title, goal = '', slug = '' }: SkillWords): string[] {
  const own = buildTexts([title, goal])
  const requests = distinct([title, goal.length <= MAX_REQUEST ? goal : ''].map((text) => text.toLowerCase()))
  const content = removeFillers(requests[0] ?? '')
  const variants = [
    ...requests.flatMap(replaceVerb),
    slug.replaceAll('-', ' '),
    content.split(' ').toReversed().join(' '),
    ...requests.slice(1).map(removeFillers),
    `i need help with this: ${content}`,
    `how would you handle ${content}`,
    `${content} is what i want`,
  ]
  // A variant with too few words in common could not be found by the words of the owner either.
  return distinct(variants.filter((text) => text !== '' && matchTrigger(readQuery(text), own) !== undefined)).slice(
    0,
    MAX_PARAPHRASES,
  )
}

const buildTexts = (phrases: readonly string[]): AbilityTexts =>
  readAbilityTexts({
    title: '',
    trigger_phrases: distinct([...phrases]),
    negative_triggers: [],
    project_scopes: [],
    install_lane: 'experimental_private',
    checkpoint_health: 'no_data',
    usable_now: true,
  })

/** The request with another verb of the same meaning, in each language that has one. */
function replaceVerb(request: string): string[] {
  const words = request.split(/\s+/u)
  const at = words.findIndex((word) => listOtherVerbs(toPlain(word)).length > 0)
  if (at === -1) return []
  return listOtherVerbs(toPlain(words[at] ?? '')).map((verb) => words.with(at, verb).join(' '))
}

/** Without diacritics and punctuation, as the word lists are. */
const toPlain = (word: string): string => word.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The words without fillers; all words if fewer than two would remain. */
function removeFillers(request: string): string {
  const words = request.split(/\s+/u)
  const content = words.filter((word) => !isFiller(toPlain(word)))
  return (content.length >= 2 ? content : words).join(' ')
}

/** Requests of everyday life, with the words that say what they are about. A phrase such as "open" would match them. */
const EVERYDAY_REQUESTS: readonly (readonly [string, string])[] = [
  ['weather forecast tomorrow', 'weather forecast'],
  ['football championship results', 'football championship results'],
  ['classical orchestra programme', 'classical orchestra programme'],
  ['mortgage calculation formula', 'mortgage calculation formula'],
  ['recommend vegetarian restaurants', 'vegetarian restaurants'],
  ['telescope maintenance guidance', 'telescope maintenance'],
  ['open the umbrella', 'umbrella'],
  ['set an alarm for seven', 'alarm'],
  ['turn on the oven', 'oven'],
  ['send a letter to grandmother', 'letter grandmother'],
  ['add salt to the soup', 'salt soup'],
  ['show me the way home', 'way home'],
  ['create a garden plan', 'garden plan'],
  ['change a bicycle tyre', 'bicycle tyre'],
  ['delete old receipts', 'receipts'],
  ['search for cheap flights', 'flights'],
]

/** Requests that share neither a subject nor two words with the skill. */
function pickUnrelated(triggers: readonly string[], { title, goal = '' }: SkillWords): string[] {
  const own = [title, goal, ...triggers].map((text) => text.toLowerCase())
  const tokens = new Set(own.flatMap((text) => text.split(/\s+/u)))
  const lowerTitle = title.toLowerCase()
  return EVERYDAY_REQUESTS.filter(([request, subject]) => {
    if (subject.split(' ').some((word) => own.some((text) => text.includes(word)))) return false
    const shared = request.split(' ').filter((word) => tokens.has(word) || lowerTitle.includes(word))
    return shared.length < 2
  }).map(([request]) => request)
}
