import { guessLanguage, isConnector, isFiller, isNegation, isPreposition } from './small-words.ts'
import type { Token } from './tokens.ts'
import { type Language, type Operation, PARTICLES, readStateWord, readVerb, VERB_ENDINGS } from './verbs.ts'

/** A part of a goal between connectors. */
export interface Clause {
  readonly tokens: readonly Token[]
  readonly language: Language | undefined
  readonly operation?: Operation | undefined
  /** Tokens that are a verb, a particle of it or a state. */
  readonly used: ReadonlySet<Token>
  /** A state that the clause names: "on", "aus", "encendido". */
  readonly on?: boolean | undefined
  /** The operation stands in another clause of the goal. */
  readonly inherited?: 'previous' | 'next'
  readonly negated: boolean
}

/** Splits at commas, full stops and words like "and". */
export function splitClauses(tokens: readonly Token[]): Clause[] {
  const language = guessLanguage(tokens.map(({ word }) => word).filter((word) => word !== ''))
  const clauses: Token[][] = [[]]
  for (const token of tokens) {
    const splits =
      (token.kind === 'mark' && SPLIT_MARKS.has(token.raw)) ||
      (token.kind === 'word' && isConnector(token.word, language))
    if (splits) clauses.push([])
    else clauses.at(-1)?.push(token)
  }
  return inheritOperations(clauses.filter((clause) => clause.some(isContent)).map((one) => readClause(one, language)))
}

const SPLIT_MARKS: ReadonlySet<string> = new Set([',', ';', '.', '!', '?', '&', '+', '\n'])

const isContent = ({ kind, word }: Token): boolean =>
  kind === 'quoted' || kind === 'value' || (word !== '' && (!isFiller(word) || PARTICLES.has(word)))

function readClause(tokens: readonly Token[], language: Language | undefined): Clause {
  const words = tokens.filter(({ kind }) => kind === 'word')
  const verbs = words.filter(({ word }) => readVerb(word) !== undefined)
  const state = findState(tokens, verbs)
  const operations = new Set(verbs.flatMap(({ word }) => readVerb(word) ?? []))
  const operation = OPERATION_ORDER.find((one) => operations.has(one))
  const endings = words.filter(({ word }) => VERB_ENDINGS.has(word))
  const used = new Set([...verbs, ...endings, ...(state === undefined ? [] : [state.token])])
  const on = state?.on ?? (operation === 'on' || operation === 'off' ? operation === 'on' : undefined)
  return { tokens, language, operation, used, on, negated: isNegated(tokens, used) }
}

/** What is created or written is told before what is set: "add an alarm and set it". */
const OPERATION_ORDER: readonly Operation[] = ['on', 'off', 'add', 'create', 'choose', 'set', 'switch', 'open']

/**
 * A particle is a state beside a verb that takes one, and at the end of the clause; without a verb also at its start and
 * before another preposition. Other words for on and off are states anywhere.
 */
function findState(
  tokens: readonly Token[],
  verbs: readonly Token[],
): { readonly token: Token; readonly on: boolean } | undefined {
  const content = tokens.filter(({ kind, word }) => kind !== 'mark' && !COURTESY.has(word))
  const switching = verbs.find(({ word }) => readVerb(word) === 'switch' || SETTING_VERBS.has(word))
  const candidates = content.flatMap((token, at) => {
    const on = readStateWord(token.word) ?? (token.word === 'in' ? true : undefined)
    if (on === undefined || verbs.includes(token)) return []
    const isLast = at === content.length - 1
    const [before, after] = [content[at - 1], content[at + 1]]
    if (token.word === 'in')
      return isLast && switching?.word.startsWith('schakel') === true ? [{ token, on, rank: 2 }] : []
    if (!PARTICLES.has(token.word)) return [{ token, on, rank: 1 }]
    if (switching !== undefined && before === switching && after?.kind !== 'value') return [{ token, on, rank: 3 }]
    if (isLast && content.length > 1) return [{ token, on, rank: 2 }]
    if (ARTICLE_PARTICLES.has(token.word) || after?.kind !== 'word') return []
    if (isPreposition(after.word) && (verbs.length === 0 || switching !== undefined)) return [{ token, on, rank: 1 }]
    return at === 0 && verbs.length === 0 ? [{ token, on, rank: 1 }] : []
  })
  return candidates.toSorted((a, b) => b.rank - a.rank)[0]
}

/** Verbs of setting that also take a particle: "put the light on", "stell das Radio an". */
const SETTING_VERBS: ReadonlySet<string> = new Set('put set stell stelle stellen stel'.split(' '))
const ARTICLE_PARTICLES: ReadonlySet<string> = new Set(['an', 'ein'])
const COURTESY: ReadonlySet<string> = new Set(
  'please bitte svp stp alstublieft alsjeblieft aub now jetzt maintenant ahora adesso agora nu too also auch'.split(
    ' ',
  ),
)

/** "Do not turn on", "nicht einschalten". "Turn on Do not disturb" is no negation. */
function isNegated(tokens: readonly Token[], used: ReadonlySet<Token>): boolean {
  const words = tokens.filter(({ kind }) => kind === 'word')
  return words.some(({ word }, at) => {
    const [after, second] = [words[at + 1], words[at + 2]]
    if (word === 'ne' || word === 'n') {
      return after !== undefined && used.has(after) && (second?.word === 'pas' || second?.word === 'plus')
    }
    return isNegation(word) && after !== undefined && used.has(after)
  })
}

/**
 * A clause without a verb and a state takes those of the clause before it, or of the next one that has them. "Turn the
 * light in the kitchen and the hall on": a verb that needs a state takes that of the next clause.
 */
function inheritOperations(clauses: readonly Clause[]): Clause[] {
  const asks = ({ operation, on }: Clause) => operation !== undefined || on !== undefined
  return clauses.map((clause, at) => {
    const [before, behind] = [clauses.slice(0, at), clauses.slice(at + 1)]
    const hasValue = clause.tokens.some(({ kind }) => kind === 'value')
    if (clause.operation === 'switch' && clause.on === undefined && !hasValue) {
      return { ...clause, on: behind.find(({ operation, on }) => operation === undefined && on !== undefined)?.on }
    }
    if (clause.operation === undefined && clause.on !== undefined) {
      const opened = before.some(({ operation, on }) => operation === 'switch' && on === undefined)
      return opened ? { ...clause, inherited: 'previous' } : clause
    }
    if (asks(clause)) return clause
    const previous = before.findLast(asks)
    const source = previous ?? behind.find(asks)
    if (source === undefined) return clause
    const on = hasValue ? undefined : source.on
    return { ...clause, operation: source.operation, on, inherited: previous === undefined ? 'next' : 'previous' }
  })
}
