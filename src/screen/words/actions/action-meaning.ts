import { buildIndex, findAt, type PhraseIndex, splitWords, toPlainText } from '../phrase-index.ts'
import { CHANGING_ACTIONS } from './changing.ts'
import { PASSING_ACTIONS } from './passing-on.ts'
import { REVERSING_ACTIONS } from './reversing.ts'
import { SWITCHING_ACTIONS } from './switching.ts'

/**
 * What the label of a control says that it does, as names of actions that are the same in every language and under every
 * common wording: "Add to favourites" and "Zu Favoriten hinzufügen" are both `add` and `favourite`. Empty if no word is
 * known, if the label is a sentence, or if it negates something.
 */
export function readActions(label: string): readonly string[] {
  const plain = toPlainText(label)
  const words = splitWords(plain)
  if (words.length === 0 || words.length > MAX_WORDS || words.some((word) => NEGATIONS.has(word))) return []
  const found = new Set([...findSpaced(words), ...findJoined(plain)])
  if (words.some(isReversed)) found.add('undo')
  return [...found]
}

/** Whether a label says the same actions as another one said, and nothing that takes something back besides. */
export function saysActions(label: string, wanted: readonly string[]): boolean {
  const said = readActions(label)
  return (
    wanted.length > 0 && wanted.every((name) => said.includes(name)) && !said.some((name) => reverses(name, wanted))
  )
}

/** Whether a label says that it removes, ends or takes back something, and another label did not. */
export function takesBack(label: string, instead: string): boolean {
  const wanted = readActions(instead)
  const words = new Set(readWords(instead))
  const turned = readWords(label).filter((word) => !words.has(word))
  return (
    readActions(label).some((name) => reverses(name, wanted)) ||
    turned.some((word) => words.has(stripReversal(word))) ||
    negates(label, instead)
  )
}

/** Whether a label says "not" to words of another label: "Mark as not watched" of "Mark as watched". */
function negates(label: string, instead: string): boolean {
  const [words, others] = [readWords(label), readWords(instead)]
  if (!words.some((word) => NEGATIONS.has(word)) || others.some((word) => NEGATIONS.has(word))) return false
  return words.some((word) => word.length >= MIN_STEM && !NEGATIONS.has(word) && others.includes(word))
}

/** Whether two labels are the same but for a syllable that reverses one word: "Freeze card" and "Unfreeze card". */
export function areOpposite(one: string, other: string): boolean {
  const [words, others] = [readWords(one), readWords(other)]
  const [changed, ...more] = words.filter((word) => !others.includes(word))
  const [instead, ...rest] = others.filter((word) => !words.includes(word))
  if (changed === undefined || instead === undefined || more.length + rest.length > 0) return false
  return stripReversal(changed) === instead || stripReversal(instead) === changed
}

/** Whether a label says that it sends, orders or pays something, and another label did not. */
export function passesOn(label: string, instead: string): boolean {
  const wanted = readActions(instead)
  const isKnown = wanted.some((name) => name in PASSING_ACTIONS)
  return !isKnown && readActions(label).some((name) => name in PASSING_ACTIONS)
}

const readWords = (label: string): string[] => splitWords(toPlainText(label))

const reverses = (name: string, wanted: readonly string[]): boolean =>
  name in REVERSING_ACTIONS && !wanted.includes(name)

/** The longest phrase at each place counts: "Edit name" is not also an edit. */
function findSpaced(words: readonly string[]): string[] {
  const found: string[] = []
  for (let at = 0; at < words.length;) {
    const here = ACTIONS.map(([name, { phrases }]) => ({ name, length: findAt(phrases, words, at)?.length ?? 0 }))
    const length = Math.max(...here.map((one) => one.length))
    if (length > 0) found.push(...here.filter((one) => one.length === length).map(({ name }) => name))
    at += Math.max(1, length)
  }
  return found
}

/** The same for languages that are written without spaces. */
function findJoined(plain: string): string[] {
  const found: string[] = []
  let rest = splitWords(plain).join('')
  for (const [phrase, names] of JOINED_PHRASES) {
    // A single character is also a part of other words.
    if (phrase.length === 1 ? rest !== phrase : !rest.includes(phrase)) continue
    found.push(...names)
    rest = rest.replaceAll(phrase, ' ')
  }
  return found
}

/** "Unpin", "désépingler": a known word behind a syllable that reverses it. */
function isReversed(word: string): boolean {
  const bare = stripReversal(word)
  return bare !== '' && SWITCHED.some(({ phrases }) => phrases.has(bare))
}

function stripReversal(word: string): string {
  const [, bare = ''] = REVERSING_SYLLABLE.exec(word) ?? []
  return bare.length >= MIN_STEM ? bare : ''
}

const REVERSING_SYLLABLE = /^(?:un|dis|de|des|dés|dé|ent|los|ont)-?(.+)$/u
const MIN_STEM = 3
const MAX_WORDS = 8

const ACTIONS: readonly (readonly [string, PhraseIndex])[] = Object.entries({
  ...CHANGING_ACTIONS,
  ...PASSING_ACTIONS,
  ...REVERSING_ACTIONS,
  ...SWITCHING_ACTIONS,
}).map(([name, table]) => [name, buildIndex(table)])

/** Longest first. */
const JOINED_PHRASES: readonly (readonly [string, readonly string[]])[] = [
  ...new Set(ACTIONS.flatMap(([, { whole }]) => [...whole])),
]
  .toSorted((one, other) => other.length - one.length)
  .map((phrase) => [phrase, ACTIONS.filter(([, { whole }]) => whole.has(phrase)).map(([name]) => name)])

const SWITCHED = ACTIONS.filter(([name]) => name in SWITCHING_ACTIONS || name in CHANGING_ACTIONS).map(
  ([, index]) => index,
)

/** Words that turn a label into its opposite. */
const NEGATIONS: ReadonlySet<string> = new Set(
  `not no don't dont never without nicht kein keine nie ohne ne pas non sans no sin não nao sem niet geen zonder nie bez
  inte ej utan değil yok не без нет لا عدم بدون`.split(/\s+/),
)
