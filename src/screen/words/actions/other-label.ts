import { splitWords, toPlainText } from '../phrase-index.ts'
import { areOpposite, passesOn, readActions, takesBack } from './action-meaning.ts'

/**
 * Whether the label of what stands at the place of a control says that pressing it does something else: it takes back,
 * sends or pays what the other label did not, or says a state that the other one would bring about. `isForeign` if the
 * other label is in another language: then only actions that are known in both can be compared.
 */
export function saysAnotherAction(label: string, instead: string, isForeign: boolean): boolean {
  if (takesBack(label, instead)) return true
  if (isForeign) return readActions(instead).length > 0 && passesOn(label, instead)
  return passesOn(label, instead) || saysState(label, instead)
}

/**
 * Whether a label takes back what another one does to the same thing: "Unmute" of "Mute", "Remove from favourites" of "Add
 * to favourites". "Remove account" may stand beside "Add account", so both must be about one thing that is there or not.
 */
export function saysOpposite(label: string, other: string): boolean {
  if (areOpposite(label, other)) return true
  const words = listContentWords(other)
  const shared = listContentWords(label).filter((word) => words.some((one) => countShared(word, one) >= MIN_SHARED))
  return takesBack(label, other) && shared.length > 0
}

/** Whether two labels have a word or an action in common: one may be the other after the app was changed. */
export function isAkin(label: string, other: string): boolean {
  const wanted = readActions(other)
  if (readActions(label).some((name) => wanted.includes(name))) return true
  const words = listContentWords(other)
  return listContentWords(label).some((word) => words.some((one) => countShared(word, one) >= MIN_SHARED))
}

/** "Mark as returned" where "Lend" stood, and "Subscribed" where "Subscribe" stood. */
function saysState(label: string, instead: string): boolean {
  const words = splitWords(toPlainText(label))
  const wanted = splitWords(toPlainText(instead))
  if (words.some((word) => MARKING.has(word))) return !isAkin(label, instead)
  return words.some((word) => wanted.some((one) => !words.includes(one) && isParticiple(word, one)))
}

/** Whether a word is the other one with the ending of what is done: "followed", "abonniert", "guardado". */
function isParticiple(word: string, base: string): boolean {
  const bare = /^ge(\p{L}{3,}(?:t|en))$/u.exec(word)?.[1] ?? word
  if (word === base || base.length < MIN_STEM || countShared(bare, base) < Math.max(MIN_STEM, base.length - 2))
    return false
  return PARTICIPLE.test(word) && !PARTICIPLE.test(base)
}

const PARTICIPLE = /(?:ed|ing|iert|(?<=^ge\p{L}+)(?:t|en)|ée?s?|[aiu][dt][oa]s?|[aei]ndo)$/u

const listContentWords = (label: string): string[] =>
  splitWords(toPlainText(label)).filter((word) => word.length >= MIN_STEM && !LINKING.has(word))

/** The letters that two words share at their beginning; all of them if they are equal. */
function countShared(one: string, other: string): number {
  if (one === other) return MIN_SHARED + one.length
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

const MIN_STEM = 3
const MIN_SHARED = 4

/** Words by which a control says the state that it sets. */
const MARKING: ReadonlySet<string> = new Set(
  `mark marked markieren kennzeichnen marquer marcar segna contrassegna markeren markeer oznacz markera işaretle отметить
  пометить`.split(/\s+/),
)

/** Words that say nothing of what a control is about. */
const LINKING: ReadonlySet<string> = new Set(
  `the this that for and with from into onto all your our its here now der die das dem den ein eine mit von zum zur und
  les des une aux avec pour los las una con para del gli della per het een van met för och med`.split(/\s+/),
)
