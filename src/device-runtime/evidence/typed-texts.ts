import { replaceLiteral, type ReplacedLiteral } from '../../knowledge/redaction/replace-literal.ts'

const MAX_SESSIONS = 100
const MAX_TEXTS = 1000
/** Shorter texts, and numbers, occur by chance in texts of the app. */
const MIN_LENGTH = 4

/**
 * Texts typed in captures that must not be stored, in memory only. Their hashes in the database recognise a whole text;
 * these also find a text inside another one.
 */
export class TypedTexts {
  /** By session, the one that was used last at the end. */
  readonly #sessions = new Map<string, Map<string, ReplacedLiteral>>()

  add(sessionId: string, { literal, by }: ReplacedLiteral): void {
    const texts = this.#sessions.get(sessionId) ?? new Map<string, ReplacedLiteral>()
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, texts)
    if (texts.size < MAX_TEXTS) texts.set(literal, { literal, by })
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  list(sessionId: string): ReplacedLiteral[] {
    return [...(this.#sessions.get(sessionId)?.values() ?? [])]
  }

  /** Replaces the texts of a session inside a text of the screen. */
  replace(sessionId: string, text: string): string {
    const replaced = this.list(sessionId)
      .filter(({ literal }) => literal.trim().length >= MIN_LENGTH && /\p{L}/u.test(literal))
      .reduce(replaceLiteral, text)
    // A replacement also normalizes the text.
    return replaced === text.normalize('NFC') ? text : replaced
  }
}
