import { distinct } from '../../knowledge/text/plain-text.ts'

export interface TriggerTests {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
  readonly paraphrase: readonly string[]
}

const enough = 3

/** Sayings that must find the skill, must not find it, and must find it in other words. */
export function triggerTests(
  triggers: readonly string[],
  negatives: readonly string[],
  title: string,
): TriggerTests {
  const said = triggers.map((trigger) => trigger.toLowerCase())
  const [first = title.toLowerCase()] = said
  return {
    positive: distinct([...said, `please ${first}`, `can you ${first}`, `${first} for me`]),
    negative: distinct([...negatives.map((text) => text.toLowerCase()), ...unrelated(said, title)]),
    paraphrase: distinct([
      `i need help with this: ${gist(first)}`,
      `how would you handle ${gist(first)}`,
      `${gist(first)} is what i want`,
    ]),
  }
}

const fillers = new Set(
  'a an and as at by for from in into my of on or our the this to with your'.split(' '),
)

/** The words that carry the meaning; all of them when too few would be left to recognise it. */
function gist(trigger: string): string {
  const words = trigger.split(/\s+/u)
  const telling = words.filter((word) => !fillers.has(word))
  return (telling.length >= 2 ? telling : words).join(' ')
}

const smallTalk = [
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

/** Small talk that shares no two words with the skill, so that only a false match could find it. */
function unrelated(triggers: readonly string[], title: string): string[] {
  const wanted = title.toLowerCase()
  const tokens = new Set(triggers.flatMap((trigger) => trigger.split(/\s+/u)))
  return smallTalk
    .filter((talk) => {
      const words = talk.split(' ')
      return words.filter((word) => tokens.has(word) || wanted.includes(word)).length < 2
    })
    .slice(0, enough)
}
