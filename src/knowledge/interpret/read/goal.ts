import { toSingular } from './node-text.ts'

/** The goal of a demonstration as the person stated it, in words. */
export interface GoalWords {
  /** Singular, lower case. */
  readonly stems: ReadonlySet<string>
  /** The things the goal speaks of, in order: "Assign a ticket to an agent" gives ticket, agent. */
  readonly nouns: readonly string[]
}

export function readGoal(goal: string | undefined): GoalWords {
  const words = listWords(goal ?? '')
  return { stems: new Set(words.map(toStem)), nouns: listNouns(words) }
}

/** Whether all words of a text are words of the goal: "Canned replies" in "Delete a canned reply". */
export function isInGoal(text: string, { stems }: GoalWords): boolean {
  const words = listWords(text).filter((word) => !STOP_WORDS.has(word))
  return words.length > 0 && words.every((word) => stems.has(toStem(word)))
}

export function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
}

export const toStem = (word: string): string => toSingular(word)

/** The words after an article or a pronoun, up to the next function word. The last word is the noun. */
function listNouns(words: readonly string[]): string[] {
  const nouns: string[] = []
  let phrase: string[] | undefined
  const close = () => {
    const noun = phrase?.at(-1)
    if (noun !== undefined && !nouns.includes(toStem(noun))) nouns.push(toStem(noun))
    phrase = undefined
  }
  for (const word of words) {
    if (DETERMINERS.has(word)) {
      close()
      phrase = []
    } else if (STOP_WORDS.has(word)) {
      close()
      phrase = PREPOSITIONS.has(word) ? [] : undefined
    } else phrase?.push(word)
  }
  close()
  return nouns
}

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const DETERMINERS = toSet(
  'a an the my your our his her its their this that another some any one two three new ein eine einen einem einer der die das den dem mein meine meinen un une le la les mon ma mes el los las uno una mi il lo gli de het een o os as um uma',
)
const PREPOSITIONS = toSet(
  'of to in into on onto for from with at by under over about zu zum zur in im an am auf für von vom mit bei aus à au aux de du dans pour avec sur en con por para a nel al di da met voor van op naar em no na',
)
const STOP_WORDS = new Set([
  ...PREPOSITIONS,
  ...toSet(
    'and or as then is are be it its which who what when where today tomorrow now get gets have has need needs do does und oder et ou y e en done',
  ),
])
