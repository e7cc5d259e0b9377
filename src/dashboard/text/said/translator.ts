import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import type { Failures, Sentences } from './say-types.ts'

/** What the API says about something that failed. */
export interface SaidFailure {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** What the API says, in another language. */
export interface SaidTexts {
  readonly failures: Failures
  readonly sentences: Sentences
  readonly values: Readonly<Record<string, string>>
}

type Template = readonly [english: readonly string[], translated: string]

/** Says the words of the API in another language. Words without a translation stay as they are. */
export class Translator {
  readonly #texts: SaidTexts
  readonly #templates: readonly Template[]

  constructor(texts: SaidTexts) {
    this.#texts = texts
    this.#templates = texts.sentences.map(([english, translated]) => [
      english.replace(/\.$/, '').split(/(\{[a-z]\})/),
      translated,
    ])
  }

  readonly say = (words: string): string => this.#translate(words) ?? words

  /** A sentence for these very words, else one for the code, else the API's own words. */
  readonly sayFailure = ({ code, message, details = {} }: SaidFailure): string => {
    const said = this.#translate(message)
    if (said !== undefined) return said
    const text = this.#texts.failures[code as FailureCode]
    return typeof text === 'function' ? text(details) : (text ?? message)
  }

  /** Several sentences are translated if each of them can be. */
  #translate(words: string): string | undefined {
    const whole = this.#translateSentence(words)
    if (whole !== undefined) return whole
    const parts = words.split(/(?<=[.?!]) /)
    const said = parts.map((part) => this.#translateSentence(part))
    return parts.length > 1 && said.every((part) => part !== undefined) ? said.join(' ') : undefined
  }

  #translateSentence(words: string): string | undefined {
    const isEnded = words.endsWith('.')
    const text = isEnded ? words.slice(0, -1) : words
    for (const [english, translated] of this.#templates) {
      const found = matchTemplate(english, text)
      if (found !== undefined)
        return `${this.#fill(translated, found)}${isEnded && !translated.endsWith('.') ? '.' : ''}`
    }
    return undefined
  }

  /** A sentence in a sentence is translated too, and a value gets its name. */
  #fill(translated: string, found: ReadonlyMap<string, string>): string {
    return translated.replaceAll(/\{[a-z]\}/g, (name) => {
      const words = found.get(name) ?? ''
      if (name === '{s}') return this.say(words)
      return name === '{v}' || name === '{w}' ? (this.#texts.values[words.replaceAll(' ', '_')] ?? words) : words
    })
  }
}

/** The words in the place of each variable. Texts and variables follow each other in the template. */
function matchTemplate(template: readonly string[], words: string): ReadonlyMap<string, string> | undefined {
  const [first = '', ...rest] = template
  if (!words.startsWith(first) || (rest.length === 0 && words !== first)) return undefined
  const found = new Map<string, string>()
  let from = first.length
  for (let at = 0; at < rest.length; at += 2) {
    const text = rest[at + 1] ?? ''
    const isLast = at + 2 >= rest.length
    const end = isLast ? words.length - text.length : words.indexOf(text, from + 1)
    if (end <= from || !words.startsWith(text, end)) return undefined
    found.set(rest[at] ?? '', words.slice(from, end))
    from = end + text.length
  }
  return found
}
