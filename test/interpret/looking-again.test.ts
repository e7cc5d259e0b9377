import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const label = (words: string, top: number) => text(words, bounds(40, top, 640, top + 60))
const button = (words: string, left: number, top: number): Sketch =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...bounds(left, top, left + 300, top + 120) })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, ...bounds(0, 0, 1080, 2400) }, ...parts))
const message = (words: string): Sketch => text(words, bounds(24, 2200, 1056, 2340))

/** Rows of an optional mark, a title and a line. */
const articles = (...rows: (readonly [title: string, isUnread: boolean])[]): Sketch =>
  node(
    { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', ...bounds(0, 400, 1080, 2100) },
    ...rows.map(([title, isUnread], at) => {
      const top = 400 + at * 200
      const mark = node({
        class: 'android.widget.ImageView',
        'content-desc': 'Unread',
        ...bounds(40, top, 140, top + 90),
      })
      return node(
        { class: 'android.view.ViewGroup', clickable: 'true', ...bounds(0, top, 1080, top + 190) },
        ...(isUnread ? [mark] : []),
        text(title, bounds(isUnread ? 160 : 40, top, 1040, top + 90)),
        text(`${at + 3} min`, bounds(40, top + 100, 400, top + 180)),
      )
    }),
  )
const feed = (...rows: Parameters<typeof articles>): Hierarchy =>
  page(label('All articles', 60), button('Options', 700, 60), button('Search', 40, 200), articles(...rows))

const small = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, ...bounds(400, 160, 1060, 900) }, ...parts))
const menu = small(
  ...['Refresh', 'Sort order', 'Display'].map((words, at) =>
    node(
      { class: 'android.widget.LinearLayout', clickable: 'true', ...bounds(400, 160 + at * 140, 1060, 300 + at * 140) },
      text(words, bounds(440, 180 + at * 140, 1000, 260 + at * 140)),
    ),
  ),
)
const orders = (chosen: string): Hierarchy =>
  small(
    text('Sort articles by', bounds(440, 170, 1000, 250)),
    ...['Newest first', 'Oldest first', 'Title'].map((words, at) =>
      node({
        class: 'android.widget.RadioButton',
        text: words,
        clickable: 'true',
        checkable: 'true',
        checked: String(words === chosen),
        ...bounds(400, 260 + at * 140, 1060, 400 + at * 140),
      }),
    ),
    button('Cancel', 420, 720),
    button('Apply', 740, 720),
  )

interface Touch {
  readonly on: string
  readonly swipe?: 'left'
  readonly page: Hierarchy
}

function learn(start: Hierarchy, touches: readonly Touch[], goal: string) {
  const steps = touches.map(({ on, swipe, page: after }, at): ObservedStep => {
    const before = touches[at - 1]?.page ?? start
    const shown = before.nodes.find((one) => attribute(one, 'text') === on) ?? expect.fail(`no ${on}`)
    const target = attribute(shown, 'clickable') === 'true' ? shown : (shown.parent ?? shown)
    return {
      event_id: `e${at + 1}`,
      trace_id: 't',
      kind: swipe === undefined ? 'tap' : 'scroll',
      ...(swipe !== undefined && { direction: swipe, point: { x: 300, y: 640 }, travel: { dx: 500, dy: 0 } }),
      app: APP,
      action_label: 'Tap',
      node_path: target.path,
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
    }
  })
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal })
}

const listStepIds = ({ recipe }: ReturnType<typeof learn>): string[] => recipe?.steps.map(({ id }) => id) ?? []

const START = [
  ['Rail strike ends', true],
  ['A new battery', true],
  ['How crows count', true],
] as const

test('a mark that an entry lost is the proof, and an entry without it is not touched', () => {
  const workflow = learn(
    feed(...START),
    [{ on: 'A new battery', swipe: 'left', page: feed(START[0], ['A new battery', false], START[2]) }],
    'Mark an article as read',
  )
  expect(workflow.verification).toMatchObject([
    { selector: { part_equals: expect.stringMatching(/^\$\{/) } },
    { present: false, selector: { part_equals: 'Unread', row: [{ part_equals: expect.stringMatching(/^\$\{/) }] } },
  ])
  const question = workflow.recipe?.steps.find(({ id }) => id === 'already_done')
  expect(question?.params).toMatchObject({ present: false })
})

test('if nothing shows a choice, the run waits and opens again the window in which it was made', () => {
  const workflow = learn(
    feed(...START),
    [
      { on: 'Options', page: menu },
      { on: 'Sort order', page: orders('Newest first') },
      { on: 'Oldest first', page: orders('Oldest first') },
      { on: 'Apply', page: feed(...START.toReversed()) },
    ],
    'Sort the articles',
  )
  expect(listStepIds(workflow)).toEqual([
    'press_options',
    'press_sort_order',
    expect.stringMatching(/^select_/),
    'press_apply',
    'wait',
    'press_options_again',
    'press_sort_order_again',
  ])
  expect(workflow.verification).toMatchObject([{ selector: { checked: true } }])
})

test('the row of a menu that opens a window is no option of it', () => {
  const { steps } = learn(
    feed(...START),
    [
      { on: 'Options', page: menu },
      { on: 'Sort order', page: orders('Oldest first') },
    ],
    'Open the order',
  )
  expect(steps.map(({ kind }) => kind)).toEqual(['press', 'press'])
})

const shop = (count: number, ...parts: Sketch[]): Hierarchy =>
  page(
    label('Dune Messiah', 200),
    button('Catalogue', 40, 60),
    button(`Holds (${count})`, 360, 60),
    button('Place hold', 40, 800),
    ...parts,
  )

test('with a message, a counter that went on by one tells that the work was done', () => {
  const placed = message('Your hold was placed.')
  const place = (count: number) => learn(shop(5), [{ on: 'Place hold', page: shop(count, placed) }], 'Place a hold')
  expect(place(6).verification).toMatchObject([{ transient: true }, { changed_by: 1 }])
  expect(place(5).verification).toMatchObject([{ transient: true }])
  expect(place(8).verification).toMatchObject([{ transient: true }])
})
