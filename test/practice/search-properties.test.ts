import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Affordance } from '../../src/knowledge/goal-search/affordances.ts'
import { type Move, type Place, Search } from '../../src/knowledge/goal-search/search.ts'

interface World {
  readonly places: readonly Place[]
  /** The index of the place that each way of each place leads to; -1 for none. */
  readonly leads: readonly (readonly number[])[]
}

const LABELS = ['Display', 'Dark theme', 'More', 'Sound', 'Kitchen', 'Lobby']

const buildWay = (at: number, label: string, kind: 'tap' | 'scroll'): Affordance => ({
  key: `${kind} ${at}`,
  kind,
  label,
  matcher: { textEquals: label },
  class: 'android.widget.Button',
  family: label.length > 5 ? 'long' : 'short',
})

const worlds: fc.Arbitrary<World> = fc.integer({ min: 1, max: 8 }).chain((count) =>
  fc
    .array(
      fc.record({
        app: fc.constantFrom('ours', 'ours', 'foreign'),
        shape: fc.constantFrom('a', 'b', 'c'),
        ways: fc.array(
          fc.record({
            label: fc.constantFrom(...LABELS),
            kind: fc.constantFrom('tap' as const, 'tap' as const, 'scroll' as const),
            to: fc.integer({ min: -1, max: count - 1 }),
          }),
          { maxLength: 6 },
        ),
      }),
      { minLength: count, maxLength: count },
    )
    .map((drafts) => ({
      places: drafts.map(({ app, shape, ways }, id) => ({
        id: `p${id}`,
        shape,
        app: id === 0 ? 'ours' : app,
        title: '',
        ways: ways.map(({ label, kind }, at) => buildWay(at, label, kind)),
      })),
      leads: drafts.map(({ ways }) => ways.map(({ to }) => to)),
    })),
)

const OPTIONS = { goal_words: ['dark', 'theme'], apps: ['ours'], max_depth: 4 }

/** Runs a search in a world and returns its moves. */
function runSearch({ places, leads }: World, budget: number): { moves: Move[]; spent: number } {
  const search = new Search(OPTIONS)
  const [start] = places
  if (start === undefined) throw new Error('A world has a place.')
  search.startAt(start)
  const moves: Move[] = []
  let spent = 0
  for (;;) {
    const move = search.findNextMove(budget - spent)
    if (move === undefined) return { moves, spent }
    moves.push(move)
    spent += move.cost
    search.recordTry(move, findTarget({ places, leads }, move.from, move.way))
  }
}

function findTarget({ places, leads }: World, from: string, { key }: Affordance): Place | undefined {
  const at = places.findIndex(({ id }) => id === from)
  const which = places[at]?.ways.findIndex((one) => one.key === key) ?? -1
  return places[leads[at]?.[which] ?? -1]
}

test('a search tries no way twice, stays within its budget and terminates', () => {
  fc.assert(
    fc.property(worlds, fc.integer({ min: 0, max: 120 }), (given, budget) => {
      const { moves, spent } = runSearch(given, budget)
      const tries = moves.map(({ from, way: { key } }) => `${from} ${key}`)
      expect(new Set(tries).size).toBe(tries.length)
      expect(spent).toBeLessThanOrEqual(budget)
    }),
  )
})

test('a search stays in the allowed apps, and the path of each move leads to its place', () => {
  fc.assert(
    fc.property(worlds, (given) => {
      for (const { from, path } of runSearch(given, 200).moves) {
        expect(given.places.find(({ id }) => id === from)?.app).toBe('ours')
        const end = path.reduce<Place | undefined>((at, step) => at && findTarget(given, at.id, step), given.places[0])
        expect(end?.id).toBe(from)
        expect(path.length).toBeLessThan(OPTIONS.max_depth)
      }
    }),
  )
})

test('a search is deterministic', () => {
  fc.assert(
    fc.property(worlds, fc.integer({ min: 0, max: 80 }), (given, budget) => {
      expect(runSearch(given, budget)).toEqual(runSearch(structuredClone(given), budget))
    }),
  )
})

test('a way with words of the goal is tried first', () => {
  const place = (id: string, ...labels: string[]): Place => ({
    id,
    shape: id,
    app: 'ours',
    title: '',
    ways: labels.map((label, at) => buildWay(at, label, 'tap')),
  })
  const search = new Search(OPTIONS)
  search.startAt(place('home', 'Sound', 'Display: dark theme', 'Kitchen'))
  expect(search.findNextMove(10)?.way.label).toBe('Display: dark theme')
  expect(search.findNextMove(0)).toBeUndefined()
})
