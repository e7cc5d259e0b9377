import { readBooleanWord } from '../../../screen/shown-value/boolean-words.ts'
import type { Clause } from './clause.ts'
import type { Draft } from './draft.ts'
import { isFiller, isPreposition, isValuePreposition, leadsToWords } from './small-words.ts'
import { draftText } from './text-drafts.ts'
import type { Token } from './tokens.ts'

/** Reads a clause. Several drafts are several ways to understand it, the likeliest first. */
export function draftClause(clause: Clause, text: string): Draft[] {
  const { operation, on } = clause
  if (operation === 'add' || operation === 'create') {
    const written = draftText(clause, text)
    if (written.length > 0) return written
  }
  const value = findValue(clause)
  if (on !== undefined) {
    const state: Draft = { subject: listSubject(clause), desired: { kind: 'switch', on } }
    return value?.led === true ? [state, toValueDraft(clause, value)] : [state]
  }
  if (value !== undefined && operation !== 'open') return [toValueDraft(clause, value)]
  if (operation === 'open') return [{ subject: stripScreenWord(listSubject(clause)), desired: { kind: 'open' } }]
  // "Put milk on the list" may also mean that milk is to be added.
  const added = clause.tokens.some(({ word }) => PUTTING_VERBS.has(word))
    ? draftText({ ...clause, operation: 'add' }, text)
    : []
  const placed = added.filter(({ subject }) => subject.length > 0)
  const phrase = findPhrase(clause, text)
  if (phrase !== undefined) return [draftPhrase(clause, phrase), ...placed]
  const chooses = operation === 'choose' || operation === 'set'
  return [{ subject: listSubject(clause), desired: chooses ? { kind: 'value' } : undefined }, ...placed]
}

const PUTTING_VERBS: ReadonlySet<string> = new Set(
  'put setze setzen setz mettre mets mettez poner pon ponga mettere metti metta colocar coloca coloque ponha poe zet zetten'.split(
    ' ',
  ),
)

/** The words, names and numbers of a clause that are neither verb nor filler. */
export function listSubject({ tokens, used }: Clause, without: readonly Token[] = []): Token[] {
  const rest = tokens.filter((token) => token.kind !== 'mark' && !used.has(token) && !without.includes(token))
  const named = rest.filter(({ kind, word }) => kind !== 'word' || !isFiller(word))
  return named.length > 0 ? named : rest.filter(({ kind }) => kind !== 'word')
}

interface FoundValue {
  readonly token: Token
  /** A preposition or a colon stands before it. */
  readonly led: boolean
}

/** The number, time, date or quoted text that is wanted: the one with a preposition, with a unit, or the last one. */
function findValue({ tokens, operation }: Clause): FoundValue | undefined {
  const values = tokens.flatMap((token, at) => {
    const led = isLed(tokens, at)
    const isName = token.kind === 'quoted' && (operation === 'open' || !(led || operation === 'set'))
    if ((token.kind !== 'value' && token.kind !== 'quoted') || isName) return []
    return [{ token, led, rank: (led ? 4 : 0) + (token.marked === true ? 2 : 0) + (token.kind === 'quoted' ? 1 : 0) }]
  })
  const most = Math.max(...values.map(({ rank }) => rank))
  return values.findLast(({ rank }) => rank === most)
}

function isLed(tokens: readonly Token[], at: number): boolean {
  const before = tokens
    .slice(0, at)
    .findLast(({ kind, word }) => kind !== 'word' || isPreposition(word) || !isFiller(word))
  if (before === undefined) return false
  return before.kind === 'mark' ? isAssignment(before) : before.kind === 'word' && isValuePreposition(before.word)
}

const isAssignment = ({ kind, raw }: Token): boolean => kind === 'mark' && /^(?:[:=\u2192]|->)$/u.test(raw)

const toValueDraft = (clause: Clause, { token }: FoundValue): Draft => ({
  subject: listSubject(clause, [token]),
  desired: { kind: 'value', text: token.raw },
})

interface Phrase {
  readonly tokens: readonly Token[]
  readonly text: string
}

/** The words behind the last value preposition or a colon: "mode to Heat", "Mode: Heat". */
function findPhrase(clause: Clause, text: string): Phrase | undefined {
  const { tokens, used, operation, language } = clause
  const assignment = tokens.findIndex(isAssignment)
  const lead =
    assignment === -1
      ? tokens.findLastIndex(({ kind, word }) => kind === 'word' && leadsToWords(word, language))
      : assignment
  if (lead === -1 || (assignment === -1 && operation !== 'set' && operation !== 'choose' && operation !== 'switch')) {
    return undefined
  }
  const behind = tokens.slice(lead + 1)
  const start = behind.findIndex(({ kind, word }) => kind !== 'word' || !isFiller(word))
  const end = behind.findIndex((token, at) => at > start && (used.has(token) || isPreposition(token.word)))
  const phrase =
    start === -1 ? [] : behind.slice(start, end === -1 ? undefined : end).filter((token) => !used.has(token))
  const [first, last] = [phrase[0], phrase.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { tokens: phrase, text: text.slice(first.start, last.end) }
}

function draftPhrase(clause: Clause, phrase: Phrase): Draft {
  const subject = listSubject(clause, phrase.tokens)
  const on = readBooleanWord(phrase.text.toLowerCase())
  return { subject, desired: on === undefined ? { kind: 'value', text: phrase.text } : { kind: 'switch', on } }
}

/** "The Battery screen" is called Battery. */
function stripScreenWord(subject: readonly Token[]): Token[] {
  const named = subject.filter(({ word }) => !SCREEN_WORDS.has(word))
  return named.length > 0 ? named : [...subject]
}

const SCREEN_WORDS: ReadonlySet<string> = new Set(
  'screen page bildschirm seite ansicht ecran pantalla pagina schermata tela scherm'.split(' '),
)
