import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignTraces, firstIntent } from '../../src/knowledge/interpret/align/alignment.ts'
import { normalize, normalizeTrace } from '../../src/knowledge/interpret/normalize/normalize.ts'
import { readIntents } from '../../src/knowledge/interpret/read/intent.ts'
import { replay, buildTrace, TOUCHES } from './tiny-app.ts'
import { countRuns } from '../kit/count-runs.ts'

const NO_PINS: ReadonlySet<string> = new Set()
const walk = fc.array(fc.constantFrom(...TOUCHES), { maxLength: 25 })
const dropScreen = ({ screen: _, draft: __, ...state }: ReturnType<typeof replay>) => state

test('normalized intents have the same effect as the trace', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { trace, end } = buildTrace(given)
      const { intents } = normalizeTrace(trace, NO_PINS)
      expect(dropScreen(replay(intents))).toEqual(dropScreen(end))
    }),
    { numRuns: countRuns(300) },
  )
})

test('a form that was saved and opened again is not a detour', () => {
  const { trace, end } = buildTrace([
    { tap: 'write' },
    { type: 'milk' },
    { tap: 'save' },
    { tap: 'write' },
    { type: 'bread' },
  ])
  const { intents } = normalizeTrace(trace, NO_PINS)
  expect(dropScreen(replay(intents))).toEqual(dropScreen(end))
})

test('normalizing twice changes nothing', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const once = normalizeTrace(buildTrace(given).trace, NO_PINS)
      const twice = normalize(once.intents)
      expect(twice.intents.map(({ kind, event_ids }) => ({ kind, event_ids }))).toEqual(
        once.intents.map(({ kind, event_ids }) => ({ kind, event_ids })),
      )
      expect(twice.pruned).toEqual([])
    }),
    { numRuns: countRuns(300) },
  )
})

test('every event is in an intent or in the pruned list, and no event is invented', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { trace } = buildTrace(given)
      const { intents, pruned } = normalizeTrace(trace, NO_PINS)
      const listed = new Set([...intents, ...pruned].flatMap(({ event_ids }) => event_ids))
      expect([...listed].toSorted()).toEqual(trace.steps.map(({ event_id }) => event_id).toSorted())
    }),
    { numRuns: countRuns(300) },
  )
})

test('a pinned event stays an intent of its own', () => {
  fc.assert(
    fc.property(walk, fc.nat(), (given, pick) => {
      const { trace } = buildTrace(given)
      const pinned = trace.steps[pick % Math.max(1, trace.steps.length)]?.event_id
      if (pinned === undefined) return
      const { intents, pruned } = normalizeTrace(trace, new Set([pinned]))
      expect(intents.filter(({ event_ids }) => event_ids.includes(pinned))).toHaveLength(1)
      expect(pruned.flatMap(({ event_ids }) => event_ids)).not.toContain(pinned)
    }),
    { numRuns: countRuns(300) },
  )
})

test('a trace aligns with itself intent by intent', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { intents } = normalizeTrace(buildTrace(given).trace, NO_PINS)
      const { columns, reordered } = alignTraces([intents, intents])
      expect(reordered).toBe(false)
      expect(columns.map((column) => column.intents)).toEqual(intents.map((intent) => [intent, intent]))
    }),
    { numRuns: countRuns(300) },
  )
})

test('a trace without some intents aligns in the order of the whole trace', () => {
  fc.assert(
    fc.property(walk, fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }), (given, mask) => {
      const intents = readIntents(buildTrace(given).trace, NO_PINS)
      const shorter = intents.filter((_, at) => mask[at] === true)
      const { columns } = alignTraces([intents, shorter])
      expect(columns.map(firstIntent)).toEqual(intents)
      const shared = columns.filter(({ intents: [, other] }) => other !== undefined).length
      expect(shared).toBeGreaterThanOrEqual(shorter.length)
    }),
    { numRuns: countRuns(300) },
  )
})
