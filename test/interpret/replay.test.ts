import { expect, test } from 'vitest'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { replayRecipe } from '../../src/knowledge/interpret/draft/replay.ts'
import { readIntents } from '../../src/knowledge/interpret/read/intent.ts'
import { node, type Sketch, text } from '../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../screen/structure/toolkit-trees.ts'
import { learnFromPages, observePages } from './entries/observed-trees.ts'

const button = (id: string, label: string, top: number): Sketch =>
  node({ class: 'android.widget.Button', 'resource-id': id, text: label, ...TOUCH, ...at(40, top, 1040, top + 120) })

const page = (title: string, ...parts: readonly Sketch[]): Sketch =>
  box(at(0, 0, 1080, 2200), drawTitle(title), ...parts)

const OFF = page('Lamp', button('a:id/power', 'Turn on', 300), text('Living room', at(40, 600, 900, 700)))
const ON = page('Lamp', button('a:id/power', 'Turn off', 300), text('Living room', at(40, 600, 900, 700)))

const steps = observePages(OFF, { tap: 'Turn on' }, ON)
const intents = readIntents({ trace_id: 'trace', steps }, new Set())
const learned = learnFromPages('Switch the lamp on', OFF, { tap: 'Turn on' }, ON)

/** Replays the learned recipe with another first step. */
function replay(change: object): readonly { readonly id: string; readonly part: string }[] {
  const { recipe } = learned
  if (recipe === undefined) return expect.fail('no recipe was learned')
  const [step] = recipe.steps.filter(({ type }) => type === 'click')
  const changed = Recipe.parse({ ...recipe, steps: [{ ...step, ...change }] })
  return replayRecipe(changed, { ...learned, intents, proof: undefined })
}

test('a learned recipe reproduces its demonstration', () => {
  expect(replay({})).toEqual([])
})

test('a step that finds another node, or more than one, or none is a fault', () => {
  const annotation = 'STRUCTURAL'
  const part = 'target'
  expect(replay({ selector: { text_equals: 'Living room', annotation } })).toMatchObject([{ part }])
  expect(replay({ selector: { class: 'android.widget.TextView', annotation } })).toMatchObject([{ part }])
  expect(replay({ selector: { text_equals: 'Turn up', annotation } })).toMatchObject([{ part }])
})

test('a guard that is true before the step, or not true after it, is a fault', () => {
  const guard = (label: string) => ({ unless: { text_equals: label, annotation: 'STRUCTURAL' } })
  expect(replay(guard('Turn off'))).toEqual([])
  expect(replay(guard('Turn on'))).toMatchObject([{ part: 'guard' }])
  expect(replay(guard('Search'))).toMatchObject([{ part: 'guard' }])
})

test('a recipe has no guard that another page of the same frame suggests', () => {
  const home = page('Clinic', button('a:id/book', 'Book a visit', 300), text('Open today', at(40, 600, 900, 700)))
  const search = page(
    'Clinic',
    text('Search by name', at(40, 300, 1040, 420)),
    text('Open today', at(40, 600, 900, 700)),
  )
  const { recipe } = learnFromPages('Open the search', home, { tap: 'Book a visit' }, search)
  expect(recipe?.steps[0]).toMatchObject({ selector: { resource_id: 'a:id/book' } })
  expect(recipe?.steps[0]).not.toHaveProperty('unless')
})
