import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate } from './demonstration.ts'

interface Lamp {
  readonly name: string
  readonly room: string
  readonly state: string
}

const FILTERS = ['All', 'Hall', 'Kitchen']
const LAMPS: readonly Lamp[] = [
  { name: 'Ceiling', room: 'Hall', state: 'On' },
  { name: 'Mirror', room: 'Hall', state: 'Off' },
  { name: 'Ceiling', room: 'Kitchen', state: 'Off' },
  { name: 'Counter', room: 'Kitchen', state: 'On' },
]

function draw(filter: string, lamps: readonly Lamp[]): Sketch {
  const shown = lamps.filter(({ room }) => filter === 'All' || room === filter)
  return node(
    { bounds: '[0,0][1080,2200]' },
    text('Lamps', { bounds: '[40,60][800,160]' }),
    node(
      { bounds: '[0,200][1080,320]' },
      ...FILTERS.map((label, index) =>
        node(
          {
            clickable: 'true',
            selected: String(label === filter),
            bounds: `[${40 + index * 300},200][${300 + index * 300},320]`,
          },
          text(label, { bounds: `[${60 + index * 300},230][${280 + index * 300},290]` }),
        ),
      ),
    ),
    node(
      { bounds: '[0,340][1080,2100]', scrollable: 'true' },
      ...shown.map(({ name, room, state }, index) => {
        const top = 340 + index * 220
        return node(
          { clickable: 'true', bounds: `[0,${top}][1080,${top + 200}]` },
          text(name, { bounds: `[40,${top + 10}][900,${top + 70}]` }),
          text(room, { bounds: `[40,${top + 70}][900,${top + 130}]` }),
          text(state, { bounds: `[40,${top + 130}][900,${top + 190}]` }),
        )
      }),
    ),
  )
}

const switched = LAMPS.map((lamp, at) => (at === 2 ? { ...lamp, state: 'On' } : lamp))

test('the entry of a filtered list is proved by its own change, not by the filter or a namesake', () => {
  const trace = demonstrate(
    draw('All', LAMPS),
    [{ on: 'Kitchen' }, draw('Kitchen', LAMPS)],
    [{ on: 'Ceiling' }, draw('Kitchen', switched)],
  )
  const { recipe, verification, doubts } = interpretTraces([trace], { marks: [], goal: 'Turn on a lamp in a room' })
  expect(doubts).toEqual([])
  expect(verification.map(({ selector }) => selector.part_equals)).toEqual(['On'])
  const last = recipe?.steps.at(-1)
  // Two lamps of one name must be refused, so no index may choose one of them.
  expect(last?.selector).not.toHaveProperty('index')
})

const dimmed = LAMPS.map((lamp, at) => (at === 2 ? { ...lamp, state: '80 %' } : lamp))

test('a filter does not prove what was done to an entry', () => {
  const trace = demonstrate(
    draw('All', LAMPS),
    [{ on: 'Kitchen' }, draw('Kitchen', LAMPS)],
    [{ on: 'Ceiling' }, draw('Kitchen', dimmed)],
  )
  const { doubts } = interpretTraces([trace], { marks: [], goal: 'Turn on a lamp in a room' })
  expect(doubts).not.toEqual([])
})
