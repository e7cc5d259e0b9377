import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTabs, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

type Show = readonly [title: string, author: string]

const SEA: Show = ['Deep Sea Stories', 'Blue Desk']
const WORK: Show = ['Deep Work Diaries', 'Quiet Media']
const POPULAR: readonly Show[] = [
  ['Garden Hour', 'Peat and Company'],
  ['Half Time', 'Sport Nine'],
]

/** One result per toolkit. Nothing scrolls. */
const ROWS = {
  view: ([title, author]: Show, top: number) =>
    node(
      { class: 'android.widget.LinearLayout', 'resource-id': 'a:id/row', ...TOUCH, ...at(0, top, 1080, top + 180) },
      text(title, { 'resource-id': 'a:id/title', ...at(40, top + 20, 900, top + 80) }),
      text(author, { 'resource-id': 'a:id/subtitle', ...at(40, top + 90, 900, top + 150) }),
    ),
  compose: ([title, author]: Show, top: number) =>
    node(
      { ...TOUCH, ...at(0, top, 1080, top + 180) },
      node(
        at(40, top, 900, top + 180),
        text(title, at(40, top, 900, top + 80)),
        text(author, at(40, top + 90, 900, top + 150)),
      ),
    ),
  'react native': ([title, author]: Show, top: number) =>
    box({ 'content-desc': `${title}, ${author}`, ...TOUCH, ...at(0, top, 1080, top + 180) }),
  flutter: ([title, author]: Show, top: number) =>
    node({ 'content-desc': `${title}\n${author}`, ...TOUCH, ...at(0, top, 1080, top + 180) }),
  webview: ([title, author]: Show, top: number) =>
    node(
      { ...TOUCH, ...at(30, top, 1050, top + 180) },
      node({ text: title, ...at(30, top, 600, top + 60) }),
      node({ text: author, ...at(30, top + 70, 600, top + 130) }),
    ),
} as const

type DrawRow = (show: Show, top: number) => Sketch

const search = (typed: string, draw: DrawRow, ...shows: readonly Show[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Discover'),
    node({ class: 'android.widget.EditText', text: typed, hint: 'Search shows', ...TOUCH, ...at(40, 240, 1040, 360) }),
    node(
      {
        class: draw === ROWS['react native'] ? 'android.widget.ScrollView' : 'android.view.View',
        ...at(0, 400, 1080, 1900),
      },
      ...shows.map((show, index) => draw(show, 400 + index * 200)),
    ),
    drawTabs('Search'),
  )

const page = ([title, author]: Show, state: string): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle(title),
    text(author, at(40, 300, 1000, 380)),
    node({ class: 'android.widget.Button', text: state, ...TOUCH, ...at(40, 500, 600, 620) }),
  )

/** What a touch on the row of a show is called. */
const touch = (show: Show, name: keyof typeof ROWS): string =>
  name === 'react native' ? show.join(', ') : name === 'flutter' ? show.join('\n') : show[0]

for (const [name, draw] of Object.entries(ROWS) as [keyof typeof ROWS, DrawRow][]) {
  const learn = (typed: string, ...results: readonly Show[]) =>
    learnFromPages(
      'Subscribe to a show',
      search('', draw, ...POPULAR),
      { type: typed },
      search(typed, draw, ...results),
      { tap: touch(SEA, name) },
      page(SEA, 'Subscribe'),
      { tap: 'Subscribe' },
      page(SEA, 'Subscribed'),
    )

  test(`the only result that shows the typed text is the input, in ${name}`, () => {
    const { inputs, steps } = learn('Deep Sea Stories', SEA)
    expect(inputs).toMatchObject([{ example: 'Deep Sea Stories', source_event_ids: ['event-0', 'event-2'] }])
    expect(steps.map(({ kind }) => kind)).toEqual(['type', 'choose', 'press'])
  })

  test(`a result is named by its title if a part of it was typed, in ${name}`, () => {
    const { inputs, steps } = learn('deep', SEA, WORK)
    expect(inputs).toMatchObject([{ example: 'Deep Sea Stories' }])
    expect(steps.map(({ kind, input }) => [kind, input])).toEqual([
      ['type', inputs[0]?.name],
      ['choose', undefined],
      ['press', undefined],
    ])
  })

  test(`the only result for a part of its title is named by the title, in ${name}`, () => {
    expect(learn('deep', SEA).inputs).toMatchObject([{ example: 'Deep Sea Stories' }])
  })
}

test('the only entry of a list that had several rows before is an entry', () => {
  const list = (...shows: readonly Show[]) =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Shows'),
      node({ class: 'android.widget.Button', text: 'Unplayed', ...TOUCH, ...at(40, 240, 400, 360) }),
      node(at(0, 400, 1080, 2000), ...shows.map((show, index) => ROWS.compose(show, 400 + index * 200))),
    )
  const { inputs } = learnFromPages(
    'Subscribe to a show',
    list(...POPULAR, WORK),
    { tap: 'Unplayed' },
    list(WORK),
    { tap: 'Deep Work Diaries' },
    page(WORK, 'Subscribe'),
    { tap: 'Subscribe' },
    page(WORK, 'Subscribed'),
  )
  expect(inputs).toMatchObject([{ example: 'Deep Work Diaries' }])
})

test('a row that offers to add the typed text is no entry', () => {
  const offer = (typed: string): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Labels'),
      node({ class: 'android.widget.EditText', text: typed, hint: 'Label', ...TOUCH, ...at(40, 240, 1040, 360) }),
      node({ ...TOUCH, ...at(0, 400, 1080, 560) }, text(`Create “${typed}”`, at(40, 420, 1000, 520))),
    )
  const { inputs } = learnFromPages(
    'Add a label',
    offer(''),
    { type: 'Travel' },
    offer('Travel'),
    {
      tap: 'Create “Travel”',
    },
    page(['Labels', 'Travel'], 'Done'),
  )
  expect(inputs).toMatchObject([{ example: 'Travel' }])
})
