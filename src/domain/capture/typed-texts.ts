import { createHmac } from 'node:crypto'
import type { Reader, Tx } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { insertObservedText, listObservedTexts } from '../../store/capture/observed-texts.ts'
import { MASK } from '../../knowledge/redaction/masking.ts'
import { replaceQuoted } from '../../knowledge/text/quoted-spans.ts'

/** The texts typed in a session, as salted hashes: a text can be recognized but not read. */
export interface KnownTexts {
  readonly salt: string
  readonly numbers: Map<string, number>
}

/** At most three digits, because masking replaces longer numbers. Further texts are masked without a name. */
const MAX_TEXTS = 999
const TEXT_NAME = /^‹text:\d{1,3}›$/

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

/** Stores the texts that were added after the first `storedCount` ones. */
export function saveKnownTexts(
  tx: Tx,
  sessionId: string,
  { known, storedCount }: { known: KnownTexts; storedCount: number },
): void {
  for (const [text_hmac, number] of [...known.numbers].slice(storedCount)) {
    insertObservedText(tx, sessionId, { text_hmac, number })
  }
}

/** The name of a text that was typed earlier in this session. Matches whole texts only. */
export function findName(known: KnownTexts, text: string): string | undefined {
  const number = known.numbers.get(hashText(known, text))
  return number === undefined ? undefined : `‹text:${number}›`
}

/** Returns the name of a typed text and adds one if the text is new. */
export function nameText(known: KnownTexts, text: string): string {
  if (normalize(text) === '') return MASK
  const name = findName(known, text)
  if (name !== undefined) return name
  if (known.numbers.size >= MAX_TEXTS) return MASK
  known.numbers.set(hashText(known, text), known.numbers.size + 1)
  return `‹text:${known.numbers.size}›`
}

/** Replaces every quotation, including its marks, by a name. */
export function nameQuotations(known: KnownTexts, text: string): string {
  return replaceQuoted(text, ({ inner }) => {
    if (inner === undefined) return MASK
    return TEXT_NAME.test(inner) ? inner : nameText(known, inner)
  })
}

const hashText = ({ salt }: KnownTexts, text: string): string =>
  createHmac('sha256', salt).update(normalize(text)).digest('hex')

const normalize = (text: string): string => text.normalize('NFC').trim()
