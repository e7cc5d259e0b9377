import { readCalendarNames } from '../../../screen/shown-value/calendar-names.ts'
import { splitSentences } from '../../../screen/structure/label-parts.ts'
import { normalizeLabel } from '../../../screen/shown-value/normalize.ts'
import { isUnit } from '../../../screen/shown-value/units.ts'
import { CATALOGUE } from './catalogue.ts'
import { collectTexts, type ShownScreen } from './evidence.ts'
import { KNOWN_GIVEN_NAMES } from './given-names.ts'
import { looksLikeLabel } from './label-likeness.ts'
import { THING_WORDS } from './thing-words.ts'
import { isSameStem, listWords, splitWords } from './word-list.ts'

export interface FurnitureOptions<S extends ShownScreen> {
  readonly goal: string | undefined
  /** What was typed or chosen. */
  readonly typed: readonly string[]
  /** The data rows of a screen; what is inside them counts too. */
  readonly row_nodes: (screen: S) => Iterable<S['nodes'][number]>
  /** The texts that name rows of menus and settings. */
  readonly menu_labels?: (screen: S) => Iterable<string>
}

/**
 * Tells the words of an app from what people have in it. A text is furniture if all its words are common ones, or words
 * of the goal, or if the app shows it outside of data rows, with the same words on every visit, in the form of a label,
 * and without a word of a row or of what was typed. A text that takes no touch and names no control must have been seen
 * on two visits, or have only words that the app's controls have; other words of it may be in lower case, if most are
 * known. A name of a person is never furniture, unless it is in the goal.
 */
export class FurnitureWords<S extends ShownScreen = ShownScreen> {
  readonly #goal: ReadonlySet<string>
  readonly #words = new Set<string>()
  readonly #stems = new Map<string, string[]>()
  readonly #texts = new Set<string>()
  readonly #phrases: PrivatePhrases
  readonly #hidden: PrivateWords

  constructor(screens: readonly S[], { goal, typed, row_nodes, menu_labels }: FurnitureOptions<S>) {
    this.#goal = new Set(listWords(goal ?? ''))
    const { controls, others, rows, row_controls, shared } = collectTexts(screens, row_nodes)
    this.#hidden = new PrivateWords([...rows, ...typed], (word) => this.#isCommon(word))
    const isOpen = (text: string) => looksLikeLabel(text) && !this.#hidden.shareWord(text) && !this.isPersonal(text)
    for (const text of controls) if (isOpen(text)) this.#add(text)
    for (const text of screens.flatMap((screen) => [...(menu_labels?.(screen) ?? [])])) {
      if (isOpen(text) && this.#readsLikeKnown(text, true)) this.#add(text)
    }
    for (const { text, visits } of others) if (visits >= 2 && isOpen(text)) this.#add(text)
    for (const text of others.flatMap((one) => [one.text, ...splitSentences(one.text)])) {
      if (isOpen(text) && this.#readsLikeKnown(text)) this.#texts.add(toKey(text))
    }
    const repeated = new Set([...row_controls, ...shared])
    this.#phrases = new PrivatePhrases([...rows.filter((text) => !repeated.has(text)), ...typed])
  }

  isFurniture(text: string): boolean {
    // Signs say nothing about anybody.
    if (!/[\p{L}\p{N}]/u.test(text)) return true
    if (!looksLikeLabel(text) && !isUnit(text.trim())) return false
    if (this.#texts.has(toKey(text))) return true
    const words = listWords(text)
    if (words.length === 0 || this.#phrases.has(words)) return false
    if (words.every((word) => this.#isCommon(word))) return true
    if (words.length <= MAX_RESULT && words.every((word) => this.#isCommon(word) || this.#isResult(word))) return true
    // The words around a value: " is now being tracked".
    return /^\p{Ll}/u.test(text.trim()) && this.#readsLikeKnown(text) && !this.#hidden.shareWord(text)
  }

  /** Whether a text may be the name of a person: it has a given name, or is two or three words no app is known to use. */
  isPersonal(text: string): boolean {
    const words = listWords(text)
    if (words.some((word) => KNOWN_GIVEN_NAMES.has(word) && !this.#goal.has(word))) return true
    return FULL_NAME.test(text.trim()) && !words.some((word) => this.#isAllowed(word))
  }

  /** The sentence without words that are not furniture, and without quotes and brackets that became empty. */
  keepFurniture(sentence: string): string {
    let kept = ''
    let from = 0
    const words = splitWords(sentence)
    const quoted = this.#phrases.mark(words.map(({ word }) => word))
    words.forEach(({ word, start, end }, index) => {
      kept += sentence.slice(from, start)
      if (this.#isAllowed(word) && quoted[index] !== true) kept += sentence.slice(start, end)
      from = end
    })
    return tidy(kept + sentence.slice(from))
  }

  #isCommon(word: string): boolean {
    if (CATALOGUE.has(word) || THING_WORDS.has(word) || this.#goal.has(word) || isUnit(word)) return true
    const { weekdays, months } = readCalendarNames()
    return weekdays.has(word) || months.has(word)
  }

  #isAllowed(word: string): boolean {
    return this.#isCommon(word) || this.#words.has(word)
  }

  /** Also with another ending than a word of a control or of the goal. */
  #isKnown(word: string): boolean {
    if (this.#isAllowed(word)) return true
    const known = [...(this.#stems.get(word.slice(0, STEM_KEY)) ?? []), ...this.#goal]
    return known.some((other) => isSameStem(word, other))
  }

  /** What a control or the goal names was done: "Dispatched" after "Dispatch order". */
  #isResult(word: string): boolean {
    return !this.#words.has(word) && RESULT_ENDING.test(word) && !KNOWN_GIVEN_NAMES.has(word) && this.#isKnown(word)
  }

  /** Words in lower case are no names, the first word of a menu entry is seldom one. Most words must be known. */
  #readsLikeKnown(text: string, isMenu = false): boolean {
    const written = text.match(/\S+/gu) ?? []
    const isUnknown = (one: string) => !listWords(one).every((word) => this.#isKnown(word))
    const unknown = written.filter(isUnknown)
    if (unknown.length * 2 > written.length) return false
    return unknown.every((one) => /^\p{Ll}+[.,!?…]*$/u.test(one) || (isMenu && one === written[0]))
  }

  #add(text: string): void {
    this.#texts.add(toKey(text))
    for (const word of listWords(text)) {
      this.#words.add(word)
      const key = word.slice(0, STEM_KEY)
      this.#stems.set(key, [...(this.#stems.get(key) ?? []), word])
    }
  }
}

const STEM_KEY = 3
const MAX_RESULT = 2
const RESULT_ENDING = /(?:ed|ing|t|en|ée?s?|[aiu][dt][oa]s?|ando|endo)$/u
const FULL_NAME = /^\p{Lu}[\p{Ll}'’-]+ (?:\p{Lu}[\p{Ll}.'’-]* ?){1,2}$/u

/** Words of rows and of typed texts that are not common. */
class PrivateWords {
  readonly #words = new Set<string>()
  /** Starts of words that an ellipsis cut. */
  readonly #starts = new Set<string>()

  constructor(texts: readonly string[], isCommon: (word: string) => boolean) {
    for (const text of texts) {
      for (const word of listWords(text)) if (!isCommon(word)) this.#words.add(word)
      for (const [, start = ''] of text.matchAll(/(?<!\p{L})(\p{L}{3,})(?:…|\.{3})/gu))
        this.#starts.add(start.toLowerCase())
    }
  }

  shareWord(text: string): boolean {
    return listWords(text).some((word) => this.#words.has(word) || this.#hasStart(word))
  }

  #hasStart(word: string): boolean {
    for (let length = 3; length <= word.length; length++) if (this.#starts.has(word.slice(0, length))) return true
    return false
  }
}

/** Texts of rows and typed texts of several words: they are private even if each word is a common one. */
class PrivatePhrases {
  /** By first word, longest first. */
  readonly #phrases = new Map<string, string[][]>()

  constructor(texts: readonly string[]) {
    const phrases = texts.map(listWords).filter(({ length }) => length >= 2 && length <= MAX_PHRASE)
    for (const phrase of phrases.toSorted((a, b) => b.length - a.length)) {
      const [first = ''] = phrase
      this.#phrases.set(first, [...(this.#phrases.get(first) ?? []), phrase])
    }
  }

  has(words: readonly string[]): boolean {
    return this.mark(words).includes(true)
  }

  /** Which of the words are in a phrase. */
  mark(words: readonly string[]): boolean[] {
    const marks = words.map(() => false)
    words.forEach((word, index) => {
      const found = this.#phrases.get(word)?.find((phrase) => phrase.every((one, at) => one === words[index + at]))
      if (found !== undefined) marks.fill(true, index, index + found.length)
    })
    return marks
  }
}

const MAX_PHRASE = 12

/** Marks at the end of a label do not count: `Amount:`, `Delete?`. */
function toKey(text: string): string {
  return normalizeLabel(text)
    .toLowerCase()
    .replace(/(?<![\s:*.?!])[\s:*.?!]+$/u, '')
}

function tidy(text: string): string {
  return text
    .replaceAll(
      /"[^\p{L}\p{N}"]*"|“[^\p{L}\p{N}“”]*”|‘[^\p{L}\p{N}‘’]*’|«[^\p{L}\p{N}«»]*»|「[^\p{L}\p{N}「」]*」/gu,
      ' ',
    )
    .replaceAll(/\([^\p{L}\p{N}()]*\)|\[[^\p{L}\p{N}[\]]*\]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ ([,.;:!?])/gu, '$1')
    .replaceAll(/(?<![,;:])[,;:]+([.;:!?]|$)/gu, '$1')
    .replaceAll(/^[\s,.;:!?'’-]+/gu, '')
    .trim()
}
