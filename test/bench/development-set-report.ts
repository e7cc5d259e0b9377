import { APP_SETS, type AppSet } from '../apps/app-list.ts'
import { VARIATION_KINDS } from '../apps/lesson-format.ts'
import type { LessonResult, Pair } from './development-set-app.ts'

interface Rate {
  readonly right: number
  readonly total: number
}

/** The figures of one part of the set. */
export interface SetSummary {
  readonly apps: number
  readonly lessons: number
  readonly kinds: Readonly<Record<string, Rate>>
  readonly all: Rate
  readonly verdicts: Readonly<Record<string, number>>
  readonly false_successes: number
  readonly harms: number
  readonly lessons_not_learnable: number
  /** Lessons of which a person had to show the outcome. */
  readonly lessons_asked: number
  readonly inputs: LessonResult['inputs']
  readonly apps_named: Rate
}

const toRate = (pairs: readonly Pair[]): Rate => ({
  right: pairs.filter(({ verdict }) => verdict === 'right').length,
  total: pairs.length,
})

export function summarize(results: readonly LessonResult[]): SetSummary {
  const pairs = results.flatMap((result) => result.pairs)
  const learned = results.filter(({ failure }) => failure === undefined)
  const sum = (key: keyof LessonResult['inputs']) => results.reduce((total, { inputs }) => total + inputs[key], 0)
  const count = (verdict: Pair['verdict']) => pairs.filter((pair) => pair.verdict === verdict).length
  const kinds = VARIATION_KINDS.map((kind) => [kind, toRate(pairs.filter((pair) => pair.kind === kind))] as const)
  return {
    apps: new Set(results.map(({ app }) => app.path)).size,
    lessons: results.length,
    kinds: Object.fromEntries(kinds.filter(([, { total }]) => total > 0)),
    all: toRate(pairs),
    verdicts: {
      right: count('right'),
      wrong: count('wrong'),
      false_success: count('false_success'),
      harm: count('harm'),
      not_learnable: count('not_learnable'),
    },
    false_successes: pairs.filter(({ falseSuccess }) => falseSuccess).length,
    harms: pairs.filter(({ harm }) => harm).length,
    lessons_not_learnable: results.length - learned.length,
    lessons_asked: results.filter(({ asked }) => asked).length,
    inputs: { expected: sum('expected'), found: sum('found'), wellNamed: sum('wellNamed') },
    apps_named: { right: learned.filter(({ appNamed }) => appNamed).length, total: learned.length },
  }
}

export type Summaries = Readonly<Record<AppSet, SetSummary>>

/** Formats a table with one column for each part of the set. */
export function formatSummaries(summaries: Summaries): string {
  const columns = APP_SETS.map((set) => summaries[set])
  const rateRow = (name: string, read: (summary: SetSummary) => Rate | undefined) => [
    name,
    ...columns.map((summary) => formatRate(read(summary))),
  ]
  const countRow = (name: string, read: (summary: SetSummary) => number) => [
    name,
    ...columns.map((summary) => String(read(summary))),
  ]
  const kinds = VARIATION_KINDS.filter((kind) => columns.some(({ kinds: all }) => kind in all))
  const rows = [
    ['', ...APP_SETS],
    ...kinds.map((kind) => rateRow(kind, (summary) => summary.kinds[kind])),
    [],
    rateRow('all pairs', ({ all }) => all),
    countRow('false successes', ({ false_successes }) => false_successes),
    countRow('harms', ({ harms }) => harms),
    countRow('apps', ({ apps }) => apps),
    countRow('lessons', ({ lessons }) => lessons),
    countRow('lessons not learnable', (summary) => summary.lessons_not_learnable),
    countRow('lessons asked', (summary) => summary.lessons_asked),
    countRow('pairs not learnable', ({ verdicts }) => verdicts['not_learnable'] ?? 0),
    countRow('inputs expected', ({ inputs }) => inputs.expected),
    rateRow('inputs found', ({ inputs }) => ({ right: inputs.found, total: inputs.expected })),
    rateRow('inputs well named', ({ inputs }) => ({
      right: inputs.wellNamed,
      total: inputs.expected,
    })),
    rateRow('apps named right', ({ apps_named }) => apps_named),
  ]
  return rows
    .map(([name = '', ...cells]) => [name.padEnd(22), ...cells.map((cell) => cell.padStart(18))].join('').trimEnd())
    .join('\n')
}

function formatRate(rate: Rate | undefined): string {
  if (rate === undefined || rate.total === 0) return '-'
  const percent = ((100 * rate.right) / rate.total).toFixed(0)
  return `${rate.right} of ${rate.total} (${percent}%)`
}

/** Formats what is not right, one line for each lesson that was not learned and each other pair. */
export function formatFaults(results: readonly LessonResult[]): string {
  const lines = results.flatMap(({ app, lesson, failure, pairs }) => {
    const subject = `${app.name} ${lesson}`
    if (failure !== undefined) return [`not_learnable  ${subject}: ${failure}`]
    return pairs
      .filter(({ verdict, harm }) => verdict !== 'right' || harm)
      .map(({ verdict, variation, kind, reason }) =>
        [verdict.padEnd(14), `${subject} / ${variation} (${kind}): ${reason}`].join(' '),
      )
  })
  return lines.join('\n')
}

/**
 * Formats false successes, harms and lessons that were not learned, of both parts and without words of the app: the kind
 * of the variation, whether the run acted, and the kinds of the claims that it trusted.
 */
export function formatUnsafe(results: readonly LessonResult[]): string {
  const lines = results.flatMap(({ app: { set }, pairs, proof = 'unknown', asked, failure }) => {
    if (failure !== undefined) return [`${'not_learnable'.padEnd(14)} ${set}: ${failure.split(': ').at(-1)}`]
    return pairs
      .filter(({ falseSuccess, harm }) => falseSuccess || harm)
      .map(({ verdict, kind, reason }) => {
        const acted = reason.includes('without an action') ? 'did not act' : 'acted'
        return `${verdict.padEnd(14)} ${set} ${kind}: ${acted}, ${asked ? 'pointed at ' : ''}${proof}`
      })
  })
  return lines.join('\n')
}
