import type { LookupOptions, IndexedAbility } from '../../src/knowledge/lookup/ability-index.ts'
import { type Random, createRandom } from '../crash/random.ts'

const VERBS =
  'open set turn send check export share find start stop add remove show call play book order read write move copy rename book pay print scan update delete'
const JOINS = 'the a my to in on off for with and of at from into all new this next'
const SYLLABLES =
  'ba ke ri to mu sel op en ting ex port brief ta lo ni shar ed cal dar mes sage up date an in er or al ic ment tion us re con pro vi na le ma'

/** Random abilities with a realistic word distribution: a few frequent words and many rare ones. */
export interface RandomRegistry {
  readonly abilities: readonly IndexedAbility[]
  readonly nextQuestion: () => { readonly user_query: string; readonly options: LookupOptions }
}

export function createRandomRegistry(seed: number, count: number): RandomRegistry {
  const random = createRandom(seed)
  const speech = createPhraseGenerator(random, Math.max(40, Math.floor(count / 25)))
  const abilities = Array.from({ length: count }, (_, n) => createAbility(random, speech, n))
  return { abilities, nextQuestion: () => createQuestion(random, speech, abilities) }
}

interface PhraseGenerator {
  noun(): string
  /** A verb, a joining word and a noun. */
  phrase(): string
  words(least: number, most: number): string
}

function createPhraseGenerator(random: Random, nouns: number): PhraseGenerator {
  const [doing, joining, parts] = [VERBS, JOINS, SYLLABLES].map((list) => list.split(' '))
  if (doing === undefined || joining === undefined || parts === undefined) throw new Error('empty word list')
  const made = Array.from({ length: nouns }, () =>
    Array.from({ length: random.int(1, 4) }, () => random.pick(parts)).join(''),
  )
  // Squared, so that some nouns are far more frequent than others.
  const noun = () => made[Math.floor(made.length * random.next() ** 2)] ?? ''
  const any = () => random.pickWeighted({ noun: 5, join: 3, verb: 2 })
  const word = () => ({ noun, join: () => random.pick(joining), verb: () => random.pick(doing) })[any()]()
  return {
    noun,
    phrase: () => [random.pick(doing), random.pick(joining), noun(), ...createTail(random, word)].join(' '),
    words: (least, most) => Array.from({ length: random.int(least, most) }, word).join(' '),
  }
}

const createTail = (random: Random, word: () => string): string[] => Array.from({ length: random.int(0, 3) }, word)

function createAbility(random: Random, speech: PhraseGenerator, n: number): IndexedAbility {
  const title = speech.phrase()
  const usable_now = random.chance(0.9)
  return {
    ability_id: `learned.${title.replaceAll(' ', '-')}-${n}`,
    owner_user_id: `user-${random.int(1, 50)}`,
    visibility: random.int(1, 10) === 1 ? 'workspace' : 'private',
    title: title.charAt(0).toUpperCase() + title.slice(1),
    trigger_phrases: Array.from({ length: random.int(1, 5) }, () => speech.phrase()),
    negative_triggers: Array.from({ length: random.int(0, 2) }, () => speech.words(1, 2)),
    project_scopes: random.chance(0.3) ? [`project-${random.int(1, 40)}`] : [],
    install_lane: random.pickWeighted({
      experimental_private: 5,
      approved_workspace: 3,
      shared_promoted: 2,
    }),
    checkpoint_health: random.pickWeighted({ strong: 3, moderate: 2, weak: 1, no_data: 4 }),
    usable_now,
    ...(usable_now ? {} : { reason_unusable: 'disabled' }),
  }
}

function createQuestion(random: Random, speech: PhraseGenerator, abilities: readonly IndexedAbility[]) {
  const trigger = () => random.pick(random.pick(abilities).trigger_phrases)
  const queries = {
    paraphrase: () => `${speech.words(0, 2)} ${trigger().split(' ').slice(1).join(' ')}`.trim(),
    within: () => `please ${trigger()} ${speech.words(1, 4)}`,
    other: () => speech.phrase(),
    noun: () => speech.noun(),
    beginning: () => speech.noun().slice(0, random.int(1, 4)),
    long: () => speech.words(12, 25),
    spaced: () => ` ${speech.words(1, 3)}  ${speech.words(1, 2)}${random.pick(['', ' '])}`,
  }
  const how = { paraphrase: 8, within: 2, other: 5, noun: 2, beginning: 1, long: 1, spaced: 1 }
  const options: LookupOptions = {
    caller: `user-${random.int(1, 60)}`,
    project_id: random.chance(0.5) ? `project-${random.int(1, 45)}` : undefined,
    lanes: new Set(['experimental_private', 'approved_workspace', 'shared_promoted']),
    require_text_match: random.chance(0.5),
  }
  return { user_query: queries[random.pickWeighted(how)](), options }
}
