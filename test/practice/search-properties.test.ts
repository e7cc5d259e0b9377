import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Affordance } from '../../src/knowledge/goal-search/affordances.ts'
import { type Move, type Place, Search } from '../../src/knowledge/goal-search/search.ts'

interface World {
  readonly places: readonly Place[]
  /** Where each way of each place leads; -1 is nowhere. */
  readonly leads: readonly (readonly number[])[]
}

const labels = ['Display', 'Dark theme', 'More', 'Sound', 'Kitchen', 'Lobby']

const way = (at: number, label: string, kind: 'tap' | 'scroll'): Affordance => ({
  key: `${kind} ${at}`,
  kind,
  label,
  matcher: { textEquals: label },
  class: 'android.widget.Button',
  family: label.length > 5 ? 'long' : 'short',
})

const world: fc.Arbitrary<World> = fc.integer({ min: 1, max: 8 }).chain((count) =>
  fc
    .array(
      fc.record({
        app: fc.constantFrom('ours', 'ours', 'foreign'),
        shape: fc.constantFrom('a', 'b', 'c'),
        ways: fc.array(
          fc.record({
            label: fc.constantFrom(...labels),
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
        ways: ways.map(({ label, kind }, at) => way(at, label, kind)),
      })),
      leads: drafts.map(({ ways }) => ways.map(({ to }) => to)),
    })),
)

const quest = { wanted: ['dark', 'theme'], apps: ['ours'], max_depth: 4 }

/** Walks a world as the search says; what it was told at each turn. */
function walk({ places, leads }: World, budget: number): { moves: Move[]; spent: number } {
  const search = new Search(quest)
  const [start] = places
  if (start === undefined) throw new Error('A world has a place.')
  search.begin(start)
  const moves: Move[] = []
  let spent = 0
  for (;;) {
    const move = search.next(budget - spent)
    if (move === undefined) return { moves, spent }
    moves.push(move)
    spent += move.cost
    search.tried(move, target({ places, leads }, move.from, move.way))
  }
}

function target({ places, leads }: World, from: string, { key }: Affordance): Place | undefined {
  const at = places.findIndex(({ id }) => id === from)
  const which = places[at]?.ways.findIndex((one) => one.key === key) ?? -1
  return places[leads[at]?.[which] ?? -1]
}

test('nothing is tried twice, no more is spent than there is, and the search comes to an end', () => {
  fc.assert(
    fc.property(world, fc.integer({ min: 0, max: 120 }), (given, budget) => {
      const { moves, spent } = walk(given, budget)
      const edges = moves.map(({ from, way: { key } }) => `${from} ${key}`)
      expect(new Set(edges).size).toBe(edges.length)
      expect(spent).toBeLessThanOrEqual(budget)
    }),
  )
})

test('nothing is tried outside the apps, and the way to each try is one that leads there', () => {
  fc.assert(
    fc.property(world, (given) => {
      for (const { from, path } of walk(given, 200).moves) {
        expect(given.places.find(({ id }) => id === from)?.app).toBe('ours')
        const end = path.reduce<Place | undefined>(
          (at, step) => at && target(given, at.id, step),
          given.places[0],
        )
        expect(end?.id).toBe(from)
        expect(path.length).toBeLessThan(quest.max_depth)
      }
    }),
  )
})

test('the same world is searched the same way each time', () => {
  fc.assert(
    fc.property(world, fc.integer({ min: 0, max: 80 }), (given, budget) => {
      expect(walk(given, budget)).toEqual(walk(structuredClone(given), budget))
    }),
  )
})

test('what speaks of the goal is tried before what does not', () => {
  const place = (id: string, ...words: string[]): Place => ({
    id,
    shape: id,
    app: 'ours',
    title: '',
    ways: words.map((label, at) => way(at, label, 'tap')),
  })
  const search = new Search(quest)
  search.begin(place('home', 'Sound', 'Display: dark theme', 'Kitchen'))
  expect(search.next(10)?.way.label).toBe('Display: dark theme')
  expect(search.next(0)).toBeUndefined()
})
