import { distinct } from '../../knowledge/text/plain-text.ts'

export interface TriggerTests {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
  readonly paraphrase: readonly string[]
}

const NEGATIVE_SAMPLES = 3

/** Phrases that must match the skill, must not match it, and paraphrases that must match it. */
export function writeTriggerTests(
  triggers: readonly string[],
  negatives: readonly string[],
  title: string,
): TriggerTests {
  const phrases = triggers.map((trigger) => trigger.toLowerCase())
  const [first = title.toLowerCase()] = phrases
  return {
    positive: distinct([...phrases, `please ${first}`, `can you ${first}`, `${first} for me`]),
    negative: distinct([...negatives.map((text) => text.toLowerCase()), ...pickUnrelated(phrases, title)]),
    paraphrase: distinct([
      `i need help with this: ${removeFillers(first)}`,
      `how would you handle ${removeFillers(first)}`,
      `${removeFillers(first)} is what i want`,
    ]),
  }
}

const FILLERS = new Set('a an and as at by for from in into my of on or our the this to with your'.split(' '))

/** The words without fillers; all words if fewer than two would remain. */
function removeFillers(trigger: string): string {
  const words = trigger.split(/\s+/u)
  const content = words.filter((word) => !FILLERS.has(word))
  return (content.length >= 2 ? content : words).join(' ')
}

const SMALL_TALK = [
  'weather forecast tomorrow',
  'currency conversion yesterday',
  'translate shakespeare sonnets',
  'recommend vegetarian restaurants',
  'mortgage calculation formula',
  'football championship results',
  'philosophy lectures introduction',
  'earthquake magnitude history',
  'telescope maintenance guidance',
  'classical orchestra programme',
  'gardening fertilizer schedule',
  'marathon nutrition strategy',
]

/** Small talk that shares fewer than two words with the skill. */
function pickUnrelated(triggers: readonly string[], title: string): string[] {
  const lowerTitle = title.toLowerCase()
  const tokens = new Set(triggers.flatMap((trigger) => trigger.split(/\s+/u)))
  return SMALL_TALK.filter((talk) => {
    const words = talk.split(' ')
    return words.filter((word) => tokens.has(word) || lowerTitle.includes(word)).length < 2
  }).slice(0, NEGATIVE_SAMPLES)
}
