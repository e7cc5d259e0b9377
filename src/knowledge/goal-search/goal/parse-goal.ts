import { findWord } from '../../action-policy/policy-words.ts'
import { type Clause, splitClauses } from './clause.ts'
import type { Draft } from './draft.ts'
import { draftClause, listSubject } from './drafts.ts'
import type { Goal, SubGoal } from './goal.ts'
import { isFiller, isPlacePreposition } from './small-words.ts'
import { quoteNamedTexts } from './text-drafts.ts'
import { splitTokens, type Token } from './tokens.ts'
import { readVerb } from './verbs.ts'
import { splitWords } from './words.ts'

export type GoalParseResult =
  | { readonly clear: true; readonly goal: Goal }
  | {
      readonly clear: false
      /** What was understood and what is missing, for people. */
      readonly reason: string
      readonly understood: readonly string[]
      readonly missing: readonly string[]
    }

/**
 * Reads a goal in any order of its words, in the shipped languages. The words that name things are not looked up here:
 * the search looks for them in the app.
 */
export function parseGoal(sentence: string): GoalParseResult {
  if (sentence.length > MAX_GOAL_LENGTH) return refuse([], [`a goal of at most ${MAX_GOAL_LENGTH} characters`])
  const { text, tokens } = splitTokens(sentence)
  const isVerb = (word: string) => readVerb(word) !== undefined
  const clauses = splitClauses(quoteNamedTexts(text, tokens, isVerb))
  const negated = clauses.find((clause) => clause.negated)
  if (negated !== undefined) {
    return refuse(describeUnderstood([negated]), ['what to do: the goal only says what not to do'])
  }
  const drafts = shareParts(clauses.map((clause) => draftClause(clause, text)))
  const missing = clauses.flatMap((clause, at) => findMissing(clause, drafts[at] ?? []))
  if (clauses.length === 0) return refuse([], [MISSING_RESULT])
  if (missing.length > 0) return refuse(describeUnderstood(clauses), [...new Set(missing)])
  return { clear: true, goal: { readings: listReadings(clauses, drafts) } }
}

const MAX_GOAL_LENGTH = 400
const MAX_READINGS = 6

const MISSING_RESULT =
  'the result that a screen can show. Say what to turn on or off, what to set to which value, what to open, or what text to add'

function refuse(understood: readonly string[], missing: readonly string[]): GoalParseResult {
  const known = understood.length === 0 ? 'Nothing was understood.' : `Understood: ${understood.join('; ')}.`
  return { clear: false, reason: `${known} Missing: ${missing.join('; ')}.`.slice(0, 500), understood, missing }
}

function describeUnderstood(clauses: readonly Clause[]): string[] {
  return clauses.flatMap((clause) => {
    const words = listSubject(clause).map(({ raw }) => `"${raw}"`)
    const verbs = [...clause.used].map(({ raw }) => raw)
    return [
      ...(verbs.length > 0 ? [`the verb "${verbs.join(' ')}"`] : []),
      ...(words.length > 0 ? [`the words ${words.join(', ')}`] : []),
    ]
  })
}

function findMissing(clause: Clause, drafts: readonly Draft[]): string[] {
  const asked = clause.tokens.map(({ raw, kind }) => (kind === 'word' ? raw : '')).join(' ')
  const harm = findWord('destructive', asked) ?? findWord('external', asked)
  const isPlain = drafts.every(({ desired }) => desired?.kind === 'value' || desired?.kind === 'text')
  if (harm !== undefined && isPlain && clause.operation === undefined) {
    return [`something else than "${harm}": practice does not delete, send or buy`]
  }
  const [draft] = drafts
  if (draft?.desired === undefined) {
    return [clause.operation === 'create' || clause.operation === 'add' ? 'the text to add' : MISSING_RESULT]
  }
  const isNamed = draft.subject.some(({ raw }) => splitWords(raw).length > 0)
  return isNamed || draft.desired.kind === 'text' ? [] : ['what is meant: no word of the goal names it']
}

/** "Set the heating in the bath and the kitchen to 21", "add milk and bread to the list": the parts share their ends. */
function shareParts(drafts: readonly (readonly Draft[])[]): Draft[][] {
  const findNear = (at: number, holds: (draft: Draft) => boolean): Draft | undefined =>
    drafts
      .slice(at + 1)
      .flat()
      .find(holds) ?? drafts.slice(0, at).flat().findLast(holds)
  return drafts.map((alternatives, at) =>
    alternatives.map((draft) => {
      const { desired, subject } = draft
      if (desired?.kind === 'text' && subject.length === 0) {
        const other = findNear(at, (one) => one.desired?.kind === 'text' && one.subject.length > 0)
        return other === undefined ? draft : { ...draft, subject: other.subject }
      }
      const isOpenValue = desired?.kind === 'value' && desired.text === undefined
      const other = isOpenValue
        ? findNear(at, (one) => one.desired?.kind === 'value' && one.desired.text !== undefined)
        : undefined
      return other === undefined ? draft : { ...draft, desired: other.desired }
    }),
  )
}

function listReadings(clauses: readonly Clause[], drafts: readonly (readonly Draft[])[]): SubGoal[][] {
  const joined = joinInherited(clauses, drafts)
  const widened = clauses.map((clause, at) => widen(clauses, drafts, at).map((draft) => toSubGoal(clause, draft)))
  const readings = widened.reduce<SubGoal[][]>(
    (all, alternatives) =>
      all.flatMap((reading) => alternatives.map((one) => [...reading, one])).slice(0, MAX_READINGS),
    [[]],
  )
  if (joined === undefined) return readings
  // A title is compared as a whole, so the joined one is looked for first.
  const isTitle = joined.every(({ desired }) => desired.kind === 'open')
  return isTitle ? [joined, ...readings] : [...readings, joined]
}

/** A label may contain "and": "turn on Sound and vibration". */
function joinInherited(clauses: readonly Clause[], drafts: readonly (readonly Draft[])[]): SubGoal[] | undefined {
  const groups: { clause: Clause; draft: Draft; size: number }[] = []
  let open: { clause: Clause; draft: Draft; size: number } | undefined
  for (const [at, clause] of clauses.entries()) {
    const draft = drafts[at]?.[0]
    if (draft === undefined || draft.desired?.kind === 'text') return undefined
    const follows = clause.inherited === 'previous' || clauses[at - 1]?.inherited === 'next'
    if (open !== undefined && follows && isSameDesired(open.draft, draft)) {
      open.draft = { ...draft, subject: [...open.draft.subject, ...draft.subject] }
      open.size += 1
    } else {
      open = { clause, draft, size: 1 }
      groups.push(open)
    }
  }
  if (groups.every(({ size }) => size === 1)) return undefined
  return groups.map(({ clause, draft }) => toSubGoal(clause, draft))
}

const isSameDesired = (one: Draft, other: Draft): boolean =>
  JSON.stringify(one.desired) === JSON.stringify(other.desired)

/**
 * What an inherited clause leaves out stands in the clause it belongs to: "the heating in the bath and the kitchen" means
 * the heating in the kitchen, "kitchen and bedroom light" the kitchen light.
 */
function widen(clauses: readonly Clause[], drafts: readonly (readonly Draft[])[], at: number): Draft[] {
  const own = drafts[at] ?? []
  const clause = clauses[at]
  const [draft] = own
  if (clause?.inherited === undefined || draft === undefined || draft.desired?.kind === 'text') return [...own]
  const isForward = clause.inherited === 'previous'
  const neighbour = isForward ? clauses[at - 1] : clauses[at + 1]
  const shared = neighbour === undefined ? [] : isForward ? listHead(neighbour) : listSubject(neighbour).slice(-1)
  const missing = shared.filter(({ raw }) => !draft.subject.some((token) => token.raw === raw))
  return missing.length === 0 ? [...own] : [{ ...draft, subject: [...missing, ...draft.subject] }, ...own]
}

/** The words before the last place: "the heating" of "the heating in the bath". */
function listHead(clause: Clause): Token[] {
  const place = clause.tokens.findLastIndex(
    ({ kind, word }, at) => kind === 'word' && isPlacePreposition(word) && clause.tokens[at + 1]?.kind === 'word',
  )
  const subject = listSubject(clause)
  const head = subject.filter((token) => clause.tokens.indexOf(token) < place && token.kind === 'word')
  return head.length === subject.length ? [] : head
}

function toSubGoal(clause: Clause, { subject, desired }: Draft): SubGoal {
  const words = subject.flatMap(({ raw, kind }) => {
    const split = splitWords(raw)
    const named = split.filter((word) => !isFiller(word))
    return kind === 'quoted' && named.length > 0 ? named : split
  })
  return {
    words: [...new Set(words)],
    hints: [...clause.used].flatMap(({ raw }) => splitWords(raw)),
    subject: subject.map(({ raw }) => raw).join(' '),
    desired: desired ?? { kind: 'open' },
  }
}
