import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignRuns, sampleOf } from '../../src/knowledge/interpret/align/align.ts'
import { normalise, normaliseRun } from '../../src/knowledge/interpret/normalize/normalize.ts'
import { readMoves } from '../../src/knowledge/interpret/read/move.ts'
import { redo, runOf, touches } from './tiny-app.ts'

const nothing: ReadonlySet<string> = new Set()
const walk = fc.array(fc.constantFrom(...touches), { maxLength: 25 })
const lasting = ({ screen: _, draft: __, ...state }: ReturnType<typeof redo>) => state

test('whatever is left out, doing the rest has the same effect', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { run, end } = runOf(given)
      const { moves } = normaliseRun(run, nothing)
      expect(lasting(redo(moves))).toEqual(lasting(end))
    }),
    { numRuns: 300 },
  )
})

test('a form that was sent off and opened anew is no detour, though it is empty again', () => {
  const { run, end } = runOf([
    { tap: 'write' },
    { type: 'milk' },
    { tap: 'save' },
    { tap: 'write' },
    { type: 'bread' },
  ])
  const { moves } = normaliseRun(run, nothing)
  expect(lasting(redo(moves))).toEqual(lasting(end))
})

test('doing it again changes nothing', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const once = normaliseRun(runOf(given).run, nothing)
      const twice = normalise(once.moves)
      expect(twice.moves.map(({ kind, event_ids }) => ({ kind, event_ids }))).toEqual(
        once.moves.map(({ kind, event_ids }) => ({ kind, event_ids })),
      )
      expect(twice.pruned).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('every event is in a step or is told to be left out, and none is made up', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { run } = runOf(given)
      const { moves, pruned } = normaliseRun(run, nothing)
      const told = new Set([...moves, ...pruned].flatMap(({ event_ids }) => event_ids))
      expect([...told].toSorted()).toEqual(run.steps.map(({ event_id }) => event_id).toSorted())
    }),
    { numRuns: 300 },
  )
})

test('what a reviewer keeps is a step of its own, whatever is around it', () => {
  fc.assert(
    fc.property(walk, fc.nat(), (given, pick) => {
      const { run } = runOf(given)
      const kept = run.steps[pick % Math.max(1, run.steps.length)]?.event_id
      if (kept === undefined) return
      const { moves, pruned } = normaliseRun(run, new Set([kept]))
      expect(moves.filter(({ event_ids }) => event_ids.includes(kept))).toHaveLength(1)
      expect(pruned.flatMap(({ event_ids }) => event_ids)).not.toContain(kept)
    }),
    { numRuns: 300 },
  )
})

test('a run laid beside itself fits step for step', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { moves } = normaliseRun(runOf(given).run, nothing)
      const { columns, reordered } = alignRuns([moves, moves])
      expect(reordered).toBe(false)
      expect(columns.map((column) => column.moves)).toEqual(moves.map((move) => [move, move]))
    }),
    { numRuns: 300 },
  )
})

test('a run that left something out misses just that, in the order of the other', () => {
  fc.assert(
    fc.property(walk, fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }), (given, mask) => {
      const moves = readMoves(runOf(given).run, nothing)
      const shorter = moves.filter((_, at) => mask[at] === true)
      const { columns } = alignRuns([moves, shorter])
      expect(columns.map(sampleOf)).toEqual(moves)
      const shared = columns.filter(({ moves: [, other] }) => other !== undefined).length
      expect(shared).toBeGreaterThanOrEqual(shorter.length)
    }),
    { numRuns: 300 },
  )
})
