import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

const tasks = (...names: readonly string[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Tasks'),
    node(
      { scrollable: 'true', ...at(0, 300, 1080, 2200) },
      ...names.map((name, index) => {
        const top = 300 + index * 150
        const tick = { 'content-desc': 'Done', checkable: 'true', ...TOUCH, ...at(40, top + 20, 140, top + 120) }
        return node(
          { ...TOUCH, ...at(0, top, 1080, top + 150) },
          node(tick),
          text(name, at(180, top + 20, 800, top + 70)),
          text('Today', at(180, top + 80, 800, top + 120)),
        )
      }),
    ),
  )

test('a tick that removes its entry from the list is a step, although another tick takes its place', () => {
  const { inputs, steps, verification, recipe } = learnFromPages(
    'Complete a task',
    tasks('Water the plants', 'Call the roofer', 'Buy stamps', 'Feed the cat'),
    { tap: 'Done', nth: 1 },
    tasks('Water the plants', 'Buy stamps', 'Feed the cat'),
  )
  expect(inputs).toMatchObject([{ name: 'task', example: 'Call the roofer' }])
  expect(steps).toHaveLength(1)
  expect(verification.map(({ text: sentence }) => sentence)).toContain('The given task is no longer in the list')
  // The entry may be elsewhere in the list, ticked. There it is not ticked again, and does not count as still to do.
  expect(recipe?.steps).toMatchObject([{ selector: { checked: false, row: [{ part_equals: '${inputs.task}' }] } }])
  expect(verification.filter(({ present }) => present === false)).toMatchObject([
    { whole_list: true, selector: { checked: false, row: [{ part_equals: '${inputs.task}' }] } },
  ])
})

test('a tick that nothing follows is no step', () => {
  const page = tasks('Water the plants', 'Call the roofer', 'Buy stamps')
  expect(learnFromPages('Complete a task', page, { tap: 'Done', nth: 1 }, page).steps).toEqual([])
})
