import { normalizeLabel } from '../../../screen/shown-value/normalize.ts'
import { CATALOGUE } from './catalogue.ts'
import { collectTexts, type ShownScreen } from './evidence.ts'
import { looksLikeLabel } from './label-likeness.ts'
import { isSameStem, listWords, splitWords } from './word-list.ts'

export interface FurnitureOptions<S extends ShownScreen> {
  readonly goal: string | undefined
  /** What was typed or chosen. */
  readonly typed: readonly string[]
  /** The data rows of a screen; what is inside them counts too. */
  readonly row_nodes: (screen: S) => Iterable<S['nodes'][number]>
}

/**
 * Tells the words of an app from what people have in it. A text is furniture if all its words are common ones, or words
 * of the goal, or if the app shows it outside of data rows, with the same words on every visit, in the form of a label,
 * and without a word of a row or of what was typed. A text that takes no touch and names no control must have been seen
 * on two visits, or have only words that the app's controls have.
 */
export class FurnitureWords<S extends ShownScreen = ShownScreen> {
  readonly #goal: ReadonlySet<string>
  readonly #words = new Set<string>()
  readonly #stems = new Map<string, string[]>()
  readonly #texts = new Set<string>()
  readonly #phrases: PrivatePhrases

  constructor(screens: readonly S[], { goal, typed, row_nodes }: FurnitureOptions<S>) {
    this.#goal = new Set(listWords(goal ?? ''))
    const { controls, others, rows, row_controls } = collectTexts(screens, row_nodes)
    const hidden = new PrivateWords([...rows, ...typed], (word) => this.#isCommon(word))
    const isOpen = (text: string) => looksLikeLabel(text) && !hidden.shareWord(text)
    for (const text of controls) if (isOpen(text)) this.#add(text)
    for (const { text, visits } of others) if (visits >= 2 && isOpen(text)) this.#add(text)
    for (const { text } of others) {
      if (isOpen(text) && listWords(text).every((word) => this.#isKnown(word))) this.#texts.add(toKey(text))
    }
    const shared = new Set(row_controls)
    this.#phrases = new PrivatePhrases([...rows.filter((text) => !shared.has(text)), ...typed])
  }

  isFurniture(text: string): boolean {
    if (!looksLikeLabel(text)) return false
    if (this.#texts.has(toKey(text))) return true
    const words = listWords(text)
    return words.length > 0 && words.every((word) => this.#isCommon(word)) && !this.#phrases.has(words)
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
    return CATALOGUE.has(word) || this.#goal.has(word)
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

/** Words of rows and of typed texts that are not common. */
class PrivateWords {
  readonly #words = new Set<string>()
  /** Starts of words that an ellipsis cut. */
  readonly #starts = new Set<string>()

  constructor(texts: readonly string[], isCommon: (word: string) => boolean) {
    for (const text of texts) {
      for (const word of listWords(text)) if (!isCommon(word)) this.#words.add(word)
      for (const [, start = ''] of text.matchAll(/(\p{L}{3,})(?:…|\.{3})/gu)) this.#starts.add(start.toLowerCase())
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
    .replace(/[\s:*.?!]+$/u, '')
}

function tidy(text: string): string {
  return text
    .replaceAll(/"[^\p{L}\p{N}"]*"|“[^\p{L}\p{N}”]*”|‘[^\p{L}\p{N}’]*’|«[^\p{L}\p{N}»]*»|「[^\p{L}\p{N}」]*」/gu, ' ')
    .replaceAll(/\([^\p{L}\p{N})]*\)|\[[^\p{L}\p{N}\]]*\]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ ([,.;:!?])/gu, '$1')
    .replaceAll(/[,;:]+([.;:!?]|$)/gu, '$1')
    .replaceAll(/^[\s,.;:!?'’-]+/gu, '')
    .trim()
}
