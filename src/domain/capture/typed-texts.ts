import { createHmac } from 'node:crypto'
import type { Reader, Tx } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { insertObservedText, listObservedTexts } from '../../store/capture/observed-texts.ts'
import { mask } from '../../knowledge/redaction/masking.ts'
import { replaceQuoted } from '../../knowledge/text/quoted-spans.ts'

/** What was typed in a session, as salted hashes: enough to know a text again, too little to read it. */
export interface KnownTexts {
  readonly salt: string
  readonly numbers: Map<string, number>
}

/** Three digits, so that a name is never itself taken for a private number. Later texts are only masked. */
const mostTexts = 999
const ownName = /^‹text:\d{1,3}›$/

export function readKnownTexts(
  reader: Reader,
  session: Pick<StoredSession, 'learn_session_id' | 'redaction_salt'>,
): KnownTexts {
  const texts = listObservedTexts(reader, session.learn_session_id)
  return {
    salt: session.redaction_salt,
    numbers: new Map(texts.map(({ text_hmac, number }) => [text_hmac, number])),
  }
}

/** Keeps what was learned since `already` texts were read. */
export function keepKnownTexts(
  tx: Tx,
  sessionId: string,
  { known, already }: { known: KnownTexts; already: number },
): void {
  for (const [text_hmac, number] of [...known.numbers].slice(already)) {
    insertObservedText(tx, sessionId, { text_hmac, number })
  }
}

/** The name of a text that was typed before in this session; the whole text must be the same. */
export function findName(known: KnownTexts, text: string): string | undefined {
  const number = known.numbers.get(hashOf(known, text))
  return number === undefined ? undefined : `‹text:${number}›`
}

/** The name that stands for a typed text from now on. */
export function nameText(known: KnownTexts, text: string): string {
  if (tidy(text) === '') return mask
  const name = findName(known, text)
  if (name !== undefined) return name
  if (known.numbers.size >= mostTexts) return mask
  known.numbers.set(hashOf(known, text), known.numbers.size + 1)
  return `‹text:${known.numbers.size}›`
}

/** Names every quotation; the marks go with it. */
export function nameQuotations(known: KnownTexts, text: string): string {
  return replaceQuoted(text, ({ inner }) => {
    if (inner === undefined) return mask
    return ownName.test(inner) ? inner : nameText(known, inner)
  })
}

/** A short literal is replaced only where it stands alone: typing `a` must not spell out every other word. */
export function replaceLiteral(
  text: string,
  { literal, by }: { literal: string; by: string },
): string {
  const wanted = tidy(literal)
  if (wanted === '') return text
  const escaped = wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const alone = String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
  const pattern = new RegExp(wanted.length >= 4 ? escaped : alone, 'gu')
  return text.normalize('NFC').replaceAll(pattern, () => by)
}

const hashOf = ({ salt }: KnownTexts, text: string): string =>
  createHmac('sha256', salt).update(tidy(text)).digest('hex')

const tidy = (text: string): string => text.normalize('NFC').trim()
