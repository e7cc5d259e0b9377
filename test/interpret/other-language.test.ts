import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const place = (top: number, left = 40, right = 1040) => ({ bounds: `[${left},${top}][${right},${top + 100}]` })
const label = (words: string, top: number) => text(words, place(top))
const button = (words: string, top: number, left?: number, right?: number) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...place(top, left, right) })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', bounds: '[0,0][1080,2400]' }, ...parts))

/** Rows with a name, a state and two buttons. */
const list = (...rows: (readonly [string, string])[]): Hierarchy =>
  page(
    label('Appointments', 100),
    button('Book', 2200),
    node(
      { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', bounds: '[0,300][1080,2100]' },
      ...rows.map(([name, state], at) =>
        node(
          { class: 'android.view.ViewGroup', bounds: `[0,${300 + at * 400}][1080,${680 + at * 400}]` },
          text(name, place(310 + at * 400)),
          text(state, place(420 + at * 400)),
          button('Change', 540 + at * 400, 40, 500),
          ...(state === 'Open' ? [button('Confirm', 540 + at * 400, 540, 1040)] : []),
        ),
      ),
    ),
  )

function learn(...path: (Hierarchy | readonly [string, number])[]) {
  const steps: ObservedStep[] = []
  for (let at = 1; at < path.length; at += 2) {
    const [before, [words, nth], after] = [path[at - 1], path[at], path[at + 1]] as [
      Hierarchy,
      readonly [string, number],
      Hierarchy,
    ]
    const target = before.nodes.filter((one) => attribute(one, 'text') === words)[nth] ?? expect.fail(`no ${words}`)
    steps.push({
      event_id: `e${steps.length + 1}`,
      trace_id: 't',
      kind: 'tap',
      app: 'com.example',
      action_label: 'Tap',
      node_path: target.path,
      caused_state_change: true,
      before,
      after,
      created_at: '2026-01-01T00:00:00Z',
    })
  }
  const { recipe } = interpretTraces([{ trace_id: 't', steps }], { goal: 'Confirm an appointment', marks: [] })
  return recipe ?? expect.fail('no recipe')
}

const before = list(['Ada Stone', 'Open'], ['Ben Frost', 'Open'], ['Cleo Marsh', 'Open'])
const after = list(['Ada Stone', 'Open'], ['Ben Frost', 'Confirmed'], ['Cleo Marsh', 'Open'])

test('a state in a list entry is claimed by its change, and its button by its place, in another language', () => {
  const { verification = [], steps } = learn(before, ['Confirm', 1], after)
  const [claim] = verification
  expect(claim?.selector.part_equals).toBe('Confirmed')
  expect(claim?.other_language?.change).toBe('changed')
  expect(claim?.other_language?.selector).not.toHaveProperty('part_equals')
  expect(claim?.other_language?.selector.row?.[0]?.part_equals).toMatch(/^\$\{inputs\./u)
  const [renamed, ...others] = steps.flatMap(({ fallbacks = [] }) => fallbacks)
  expect(renamed).toMatchObject({ renamed_from: 'Confirm' })
  const { foreign_to = [], ...own } = others[0] ?? {}
  expect(foreign_to).toContain('Change')
  expect(JSON.stringify(own)).not.toContain('Confirm')
})

const detail = (state: string, ...buttons: string[]): Hierarchy =>
  page(
    label('Booking', 100),
    label(state, 240),
    label('Two seats', 380),
    ...buttons.map((one, at) => button(one, 600 + at * 160)),
  )

test('a label of a page is claimed by its place and its change', () => {
  const open = detail('Confirmed by hotel', 'Back', 'Add snacks', 'Cancel booking')
  const { verification = [], steps } = learn(open, ['Cancel booking', 0], detail('Cancelled', 'Back', 'Add snacks'))
  expect(verification[0]?.other_language?.selector.page?.texts).toBe(true)
  expect(verification[0]?.other_language?.change).toBe('changed')
  // Nothing stands at the place of the button once the booking is cancelled, so it is safe to press it there.
  expect(steps.at(-1)?.fallbacks?.some(({ page: found }) => found !== undefined)).toBe(true)
})

test('a message on the page of the last action is claimed by its words only', () => {
  const form = detail('Phone', 'Back', 'Help', 'Save')
  const saved = page(
    label('Booking', 100),
    label('Phone', 240),
    label('Two seats', 380),
    ...['Back', 'Help', 'Save'].map((one, at) => button(one, 600 + at * 160)),
    text('Your details have been saved.', place(2200)),
  )
  const { verification = [] } = learn(form, ['Save', 0], saved)
  expect(verification[0]).toMatchObject({ transient: true })
  expect(verification[0]).not.toHaveProperty('other_language')
})

/** A task with three icons in its bar, and three rows that each open a window. */
const icon = (words: string, left: number): Sketch =>
  node({
    class: 'android.view.View',
    clickable: 'true',
    'content-desc': words,
    bounds: `[${left},60][${left + 120},180]`,
  })
const field = (words: string, value: string, at: number): Sketch => {
  const top = 400 + at * 200
  return node(
    { class: 'android.view.View', clickable: 'true', bounds: `[40,${top}][1040,${top + 180}]` },
    text(words, { bounds: `[60,${top + 10}][400,${top + 80}]` }),
    text(value, { bounds: `[60,${top + 90}][700,${top + 170}]` }),
  )
}
const task = (due: string): Hierarchy =>
  page(
    node(
      { class: 'android.view.View', bounds: '[0,40][1080,200]' },
      icon('Back', 20),
      icon('Mark as complete', 800),
      icon('More options', 940),
    ),
    node(
      { class: 'android.widget.ScrollView', bounds: '[0,220][1080,2300]' },
      text('Renew passport', { bounds: '[40,260][900,380]' }),
      field('Due date', due, 0),
      field('List', 'Personal', 1),
      field('Priority', 'High', 2),
    ),
  )
const window = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', bounds: '[60,600][1020,1700]' }, ...parts))

test('a row that opens a window is found by its place among the rows in another language, and not by its date', () => {
  const choose = window(text('Due date', { bounds: '[100,640][600,740]' }), button('Today', 800), button('OK', 1500))
  const { steps } = learn(
    task('Friday, 20 March 2026'),
    ['Due date', 0],
    choose,
    ['Today', 0],
    choose,
    ['OK', 0],
    task('Monday, 2 March 2026'),
  )
  const fallbacks = steps[0]?.fallbacks ?? []
  expect(fallbacks.some(({ member, place: at }) => member?.at === 0 && member.of === 3 && at !== undefined)).toBe(true)
  expect(JSON.stringify(steps[0])).not.toContain('Friday')
})

test('of a page that scrolls only the frame is kept, if what is claimed is there', () => {
  const report = (status: string, ...lines: readonly string[]) =>
    page(
      button('Back', 40, 20, 160),
      text('Total', { bounds: '[40,200][300,260]' }),
      text(status, { bounds: '[800,40][1040,120]' }),
      node(
        { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,300][1080,2000]' },
        ...lines.map((line, at) => label(line, 320 + at * 120)),
      ),
      button('Send report', 2200),
    )
  const lines = ['Train', 'Hotel', 'Dinner']
  const { verification = [] } = learn(report('Draft', ...lines), ['Send report', 0], report('Submitted', ...lines))
  const claimed = verification.find(({ selector }) => selector.text_equals === 'Submitted')
  expect(claimed?.other_language?.selector.page).toMatchObject({ texts: true, rows: true })
  expect(claimed?.other_language?.selector.page?.layout.filter((part) => part.includes('~'))).toEqual([])
})

test('the buttons that step the number of an entry are found by their place in it', () => {
  const extras = (vanilla: number) =>
    page(
      label('Extras', 100),
      label('Choose what you like', 200),
      node(
        { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', bounds: '[0,300][1080,2100]' },
        ...[['Espresso shot', 0] as const, ['Vanilla syrup', vanilla] as const, ['Caramel syrup', 0] as const].map(
          ([name, count], at) =>
            node(
              { class: 'android.view.ViewGroup', bounds: `[0,${300 + at * 400}][1080,${680 + at * 400}]` },
              text(name, place(310 + at * 400, 40, 500)),
              button('Less', 540 + at * 400, 540, 660),
              text(String(count), place(540 + at * 400, 700, 800)),
              button('More', 540 + at * 400, 840, 1000),
            ),
        ),
      ),
      button('Add to bag', 2200),
    )
  const done = page(label('Bag', 100), label('In your bag: Vanilla syrup', 400), label('2 × Vanilla syrup', 600))
  const { steps } = learn(extras(0), ['More', 1], extras(1), ['More', 1], extras(2), ['Add to bag', 0], done)
  const step = steps.find(({ type }) => type === 'adjust_until')
  const increase = step?.params?.['increase']
  expect(increase).toMatchObject({ text_equals: 'More' })
  expect(JSON.stringify(increase)).toContain('foreign_to')
})
