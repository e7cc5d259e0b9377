import { toSingular } from './node-text.ts'

/** A thing the goal speaks of. */
export interface GoalThing {
  /** Singular, lower case. */
  readonly noun: string
  /** As the goal has it, in lower case. */
  readonly word: string
  /** What is done something to, what has it or holds it, where it goes, what it has: an item, of a list, to a person. */
  readonly role: 'object' | 'owner' | 'target' | 'attribute'
}

/** The goal of a demonstration as the person stated it, in words. */
export interface GoalWords {
  /** Singular, lower case. */
  readonly stems: ReadonlySet<string>
  /** The things the goal speaks of, in order: "Assign a ticket to an agent" gives ticket, agent. */
  readonly things: readonly GoalThing[]
  /** What is searched for, if the goal begins with that: "Search a parcel and mark it as received". */
  readonly searched: string | undefined
  /** Something is set to a value: the object is the value. */
  readonly sets: boolean
  /** Something is added to a thing: the target is there already. */
  readonly adds: boolean
}

export function readGoal(goal: string | undefined): GoalWords {
  const text = goal ?? ''
  // What a run should tell afterwards is no part of the work.
  const work = text.replace(REPORT, '').replace(PARTICLE, '$1')
  const things = listThings(work.replaceAll(POSSESSIVE, ' ’s ').match(/’s|[\p{L}\p{M}]+/gu) ?? [])
  const searched = SEARCHING.test(work.trim()) ? things[0]?.noun : undefined
  return {
    stems: new Set(listWords(text).map(toStem)),
    things,
    searched,
    sets: SETTING.test(work.trim()),
    adds: ADDING_VERB.test(work),
  }
}

const SEARCHING = /^(?:search|find|look (?:for|up)|such|finde|cherch|recherch|busc|cerc|trova|zoek|procur)/iu

const REPORT =
  /(?:[,;]|(?<!\s))\s+(?:and|und|et|y|e|en)\s+(?:tell|show|give|report|sag|zeig|nenn|dis|dime|dimmi|vertel)\p{L}*\s.*$/iu
/** "A unit's temperature" is the temperature of a unit. */
const POSSESSIVE = /(?<=\p{L})['’]s\b/gu
/** "Turn on an alarm": on leads to nothing. */
const PARTICLE = /^(\s*(?:turn|switch|tick|sign|log|pick)\s+)(?:on|off|up|out|in)\s+/iu
const WORD = /[\p{L}\p{M}]+/gu
const ADDING_VERB = /^\s*(?:add|attach|write|post|reply|füge?|ajout|añad|aggiung|adicion|voeg)/iu
const SETTING =
  /^(?:set|change|choose|select|pick|switch|adjust|update|stell|änder|wähl|régl|chang|chois|modif|cambi|ajust|eleg|imposta|scegl|wijzig|kies)/iu

/** Whether all words of a text are words of the goal: "My canned replies" in "Delete a canned reply". */
export function isInGoal(text: string, { stems }: GoalWords): boolean {
  const words = listWords(text).filter((word) => !STOP_WORDS.has(word) && !DETERMINERS.has(word))
  return words.length > 0 && words.every((word) => stems.has(toStem(word)))
}

export function listWords(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

export const toStem = (word: string): string => toSingular(word)

/** The nouns of the goal with one of the roles, in the order of the roles. */
export const listNouns = ({ things }: GoalWords, ...roles: readonly GoalThing['role'][]): string[] =>
  roles.flatMap((role) => things.filter((thing) => thing.role === role).map(({ noun }) => noun))

/** The words after an article, a pronoun or a preposition, up to the next function word. The last word is the noun. */
function listThings(tokens: readonly string[]): GoalThing[] {
  const things: GoalThing[] = []
  const sends = tokens.some((token) => SENDING.test(token))
  let phrase: string[] | undefined
  let role: GoalThing['role'] = 'object'
  let isNamed = false
  const close = () => {
    const token = phrase?.at(-1)
    phrase = undefined
    const thing = token === undefined ? undefined : toThing(token, { role, isNamed, sends })
    if (thing !== undefined && !things.some(({ noun }) => noun === thing.noun)) things.push(thing)
  }
  for (const token of tokens) {
    const word = token.toLowerCase()
    if (word === '’s') {
      role = 'owner'
      close()
      role = 'object'
      phrase = []
      isNamed = false
    } else if (DETERMINERS.has(word)) {
      const isAfterPreposition = phrase?.length === 0
      close()
      if (!isAfterPreposition) role = 'object'
      phrase = []
      isNamed = false
    } else if (STOP_WORDS.has(word) || ENDING_WORDS.has(word)) {
      // "a number of guests" counts guests.
      const isCounted = word === 'of' && COUNTS.has(phrase?.at(-1)?.toLowerCase() ?? '')
      if (isCounted) phrase = []
      else {
        // "to the top of a list" goes to the list.
        const isPlace: boolean = role === 'target' && PLACES.has(phrase?.at(-1)?.toLowerCase() ?? '')
        close()
        const next: GoalThing['role'] | undefined = isPlace ? 'target' : PREPOSITIONS.get(word)
        phrase = next === undefined ? undefined : []
        role = next ?? 'object'
        isNamed = next !== undefined
      }
    } else phrase?.push(token)
  }
  close()
  return things
}

/** A name without an article is a value, not a thing. To whom something is sent is a recipient. */
function toThing(
  token: string,
  { role, isNamed, sends }: { readonly role: GoalThing['role']; readonly isNamed: boolean; readonly sends: boolean },
): GoalThing | undefined {
  const word = token.toLowerCase()
  const isName = isNamed && token !== word
  if (isName || SOMEBODY.has(word)) {
    const noun = role === 'target' && sends ? 'recipient' : 'person'
    return isName && noun === 'person' ? undefined : { noun, word: noun, role }
  }
  return PLACES.has(word) ? undefined : { noun: toStem(word), word, role }
}

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const DETERMINERS = toSet(
  'a an the my your our his her its their this that another other some any one two three new ein eine einen einem einer der die das den dem mein meine meinen un une le la les mon ma mes el los las uno una mi il lo gli het een o os um uma',
)
const OWNING =
  'of in from at by under over about for on im am von vom bei aus für de du des dans pour sur por del della di da nel voor van em no na do'
const LEADING = 'to into onto zu zum zur an auf nach à au aux para a al naar'
/** What has an attribute comes with it: a ticket with a priority. */
const ADDING = 'with mit avec con met com'

const PREPOSITIONS: ReadonlyMap<string, GoalThing['role']> = new Map([
  ...OWNING.split(' ').map((word) => [word, 'owner'] as const),
  ...LEADING.split(' ').map((word) => [word, 'target'] as const),
  ...ADDING.split(' ').map((word) => [word, 'attribute'] as const),
])

/** Words for a place or a moment within a list: they name no entry. */
const PLACES = toSet('top bottom end beginning start search way anfang ende début fin principio inicio inizio begin')
const COUNTS = toSet('number pair couple')
const SOMEBODY = toSet('somebody someone anybody anyone jemand jemanden jemandem quelqu alguien qualcuno alguém iemand')
const SENDING =
  /^(?:send|text|message|mail|email|write|reply|forward|share|pay|transfer|call|invite|send\w*|schick\w*|schreib\w*|überweis\w*|teil\w*|envoy\w*|envi\w*|escrib\w*|scriv\w*|invi\w*|stuur\w*|verzend\w*)$/iu

const STOP_WORDS = new Set([
  ...PREPOSITIONS.keys(),
  ...toSet(
    'and or as then is are be it its which who what when where today tomorrow now get gets have has need needs do does done und oder et ou y e en',
  ),
])
/** Words that end a thing: "a note back", "a playlist available offline", "a message again that could not be sent". */
const ENDING_WORDS = toSet(
  'back off out up down away again not could should would can will been i me you he she we they want wants per how many much while available offline online public private visible active ready known zurück wieder nicht',
)
