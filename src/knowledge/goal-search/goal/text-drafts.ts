import type { Clause } from './clause.ts'
import type { Draft } from './draft.ts'
import { isFiller, isOwnerPreposition, isPlacePreposition, isTargetPreposition } from './small-words.ts'
import type { Token } from './tokens.ts'
import { splitWords } from './words.ts'

/**
 * Marks what follows "saying", "called" and the like as quoted, up to the end of the goal or the next such phrase. Verbs
 * at the end stay verbs: "eine Notiz namens Milch erstellen".
 */
export function quoteNamedTexts(text: string, tokens: readonly Token[], isVerb: (word: string) => boolean): Token[] {
  const phrases = listPhrases(tokens)
  return phrases.reduceRight<Token[]>(
    (rest, { at, length }) => {
      const after = rest.slice(at + length)
      if (after.length === 0 || after[0]?.kind === 'quoted') return rest
      const next = phrases.find((one) => one.at > at)
      const stop = next === undefined ? after.length : next.at - at - length
      const last = after
        .slice(0, stop)
        .findLastIndex(({ kind, word }) => kind !== 'mark' && !isVerb(word) && !isJoin(word))
      const [first, end] = [after[0], after[last]]
      if (first === undefined || end === undefined) return rest
      const raw = text.slice(first.start, end.end)
      const quoted: Token = { kind: 'quoted', raw, word: '', start: first.start, end: end.end }
      return [...rest.slice(0, at + length), quoted, ...after.slice(last + 1)]
    },
    [...tokens],
  )
}

const isJoin = (word: string): boolean => ['and', 'und', 'et', 'y', 'e', 'en'].includes(word)

interface Phrase {
  readonly at: number
  readonly length: number
  readonly role: 'title' | 'text'
}

function listPhrases(tokens: readonly Token[]): Phrase[] {
  const found = tokens.flatMap((_, at) =>
    PHRASES.filter(({ words }) => words.every((word, offset) => tokens[at + offset]?.word === word)).map(
      ({ words, role }) => ({ at, length: words.length, role }),
    ),
  )
  return found.filter(
    (one) =>
      !found.some(
        (other) => other !== one && other.at <= one.at && ends(other) >= ends(one) && other.length > one.length,
      ),
  )
}

const ends = ({ at, length }: Phrase): number => at + length

const PHRASES: readonly { readonly words: readonly string[]; readonly role: Phrase['role'] }[] = [
  ...toPhrases('title', [
    'called, named, titled, with the title, with title, with the name',
    'namens, genannt, betitelt, mit dem titel, mit titel, mit dem namen',
    'appele, appelee, nomme, nommee, intitule, intitulee, avec le titre, avec le nom',
    'llamado, llamada, titulado, titulada, con el titulo, con titulo, con el nombre',
    'chiamato, chiamata, intitolato, intitolata, con il titolo, con titolo, con il nome',
    'chamado, chamada, intitulado, intitulada, com o titulo, com titulo, com o nome',
    'genaamd, met de titel, met titel, met de naam',
  ]),
  ...toPhrases('text', [
    'saying, that says, reading, with the text, with text, with the body',
    'mit dem text, mit text, mit dem inhalt, mit inhalt',
    'avec le texte, disant, qui dit',
    'con el texto, con texto, que diga, que dice, diciendo',
    'con il testo, con testo, che dice',
    'com o texto, com texto, que diz, que diga, dizendo',
    'met de tekst, met tekst, die zegt, waarop staat',
  ]),
]

function toPhrases(role: Phrase['role'], lines: readonly string[]) {
  return lines.flatMap((line) => line.split(', ').map((phrase) => ({ words: phrase.split(' '), role })))
}

/** Reads what a clause wants to be written, and where. Empty if it names no text. */
export function draftText(clause: Clause, text: string): Draft[] {
  const quoted = clause.tokens.filter(({ kind }) => kind === 'quoted')
  if (quoted.length > 0) return [draftQuoted(clause, quoted)]
  if (clause.operation !== 'add') return []
  const { tokens, used } = clause
  const content = tokens.filter((token) => token.kind !== 'mark' && !used.has(token))
  if (content.some(({ kind, marked }) => kind === 'value' && marked === true)) return []
  const places = listPlaces(content)
  const between = places.filter((at) => hasWords(content.slice(0, at)) && hasWords(content.slice(at + 1)))
  if (between.length > 0) return between.flatMap((at) => toDraft(content.slice(0, at), content.slice(at + 1), text))
  const named = trimFillers(content)
  const startsWithPlace = places[0] !== undefined && !hasWords(content.slice(0, places[0]))
  if (!startsWithPlace || named.length < 2) return toDraft(content, [], text)
  // Where the place ends and the text starts is not written: the app decides.
  return named.slice(1).flatMap((_, at) => toDraft(named.slice(at + 1), named.slice(0, at + 1), text))
}

/** Where a place may start: behind "to" and the like first, then behind other prepositions, the last one first. */
function listPlaces(content: readonly Token[]): number[] {
  const places = content.flatMap(({ kind, word }, at) =>
    kind === 'word' && isPlacePreposition(word) && !isOwnerPreposition(word) ? [at] : [],
  )
  const isTarget = (at: number) => isTargetPreposition(content[at]?.word ?? '')
  return [...places.filter(isTarget), ...places.filter((at) => !isTarget(at)).toReversed()].slice(0, MAX_PLACES)
}

const MAX_PLACES = 3

/** A quoted text behind "called" is a title if there is another one. */
function draftQuoted(clause: Clause, quoted: readonly Token[]): Draft {
  const roles = listPhrases(clause.tokens)
  const roleBefore = (token: Token) => roles.find((role) => clause.tokens[ends(role)] === token)?.role
  const title = quoted.find((token) => roleBefore(token) === 'title')
  const body = quoted.find((token) => token !== title)
  const spoken = new Set(roles.flatMap((role) => clause.tokens.slice(role.at, ends(role))))
  const subject = clause.tokens.filter(
    (token) =>
      !spoken.has(token) &&
      !clause.used.has(token) &&
      token.kind !== 'quoted' &&
      token.kind !== 'mark' &&
      !isFiller(token.word),
  )
  const main = body ?? title
  return {
    subject,
    desired: {
      kind: 'text',
      text: main?.raw ?? '',
      ...(title !== undefined && body !== undefined && { title: title.raw }),
    },
  }
}

const hasWords = (tokens: readonly Token[]): boolean =>
  tokens.some(({ word, kind }) => kind !== 'word' || !isFiller(word))

function trimFillers(tokens: readonly Token[]): Token[] {
  const isNaming = ({ kind, word }: Token) => kind !== 'word' || !isFiller(word)
  return tokens.slice(tokens.findIndex(isNaming), tokens.findLastIndex(isNaming) + 1)
}

function toDraft(written: readonly Token[], place: readonly Token[], text: string): Draft[] {
  const trimmed = trimFillers(written)
  const [first, last] = [trimmed[0], trimmed.at(-1)]
  if (first === undefined || last === undefined || splitWords(text.slice(first.start, last.end)).length === 0) return []
  const subject = place.filter(({ kind, word }) => kind !== 'word' || !isFiller(word))
  return [{ subject, desired: { kind: 'text', text: text.slice(first.start, last.end) } }]
}
