import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ElementRef } from '../../src/knowledge/interpret/read/element-ref.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const WIDE = 'androidx.recyclerview.widget.RecyclerView'

const place = (top: number, height = 140, left = 0, right = 1080) => ({
  bounds: `[${left},${top}][${right},${top + height}]`,
})
const label = (words: string, top: number, more = {}) => text(words, { ...place(top, 100), ...more })
const button = (words: string, top: number, more = {}) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...place(top, 120), ...more })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, bounds: '[0,0][1080,2400]' }, ...parts))

/** Rows of a name and a state. */
const list = (...rows: (readonly [string, string])[]): Sketch =>
  node(
    { class: WIDE, scrollable: 'true', bounds: '[0,300][1080,2000]' },
    ...rows.map(([name, state], at) =>
      node(
        { class: 'android.view.ViewGroup', clickable: 'true', ...place(300 + at * 150) },
        text(name, place(310 + at * 150, 60, 40, 700)),
        text(state, place(310 + at * 150, 60, 720, 1040)),
      ),
    ),
  )

/** A demonstration: screens, and between them the text of what was tapped. */
const learn = (...path: (Hierarchy | string)[]) => interpret(demonstrate(...path))

function demonstrate(...path: (Hierarchy | string)[]): ObservedStep[] {
  const steps: ObservedStep[] = []
  for (let at = 1; at < path.length; at += 2) {
    const [before, words, after] = [path[at - 1] as Hierarchy, path[at] as string, path[at + 1] as Hierarchy]
    const shown = before.nodes.find((one) => attribute(one, 'text') === words) ?? expect.fail(`no ${words}`)
    const target = attribute(shown, 'clickable') === 'true' ? shown : (shown.parent ?? shown)
    steps.push({
      event_id: `e${steps.length + 1}`,
      trace_id: 't',
      kind: 'tap',
      app: APP,
      action_label: 'Tap',
      node_path: target.path,
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
    })
  }
  return steps
}

function interpret(steps: readonly ObservedStep[], proofs: readonly ElementRef[] = []) {
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal: 'Do something', proofs })
}

const listClaims = ({ verification }: ReturnType<typeof learn>): string[] => verification.map(({ text: one }) => one)

test('a message with a number that nobody gave is recognised by its own words', () => {
  const parts = [label('Tickets', 60), label('Cable is broken', 500), button('Update', 1900)]
  const workflow = learn(page(...parts), 'Update', page(...parts, label('Ticket #511 updated', 2100)))
  expect(workflow.verification).toMatchObject([{ selector: { text_contains: 'updated' } }])
  expect(JSON.stringify(workflow.recipe)).not.toContain('511')
  // A name beside a number is no word of the app.
  const named = learn(page(...parts), 'Update', page(...parts, label('511 Ada Lovelace', 2100)))
  expect(JSON.stringify(named.recipe)).not.toContain('Ada')
})

test('a status that other entries have too is proved on the page of the entry', () => {
  const reports = page(label('Reports', 60), list(['Oslo trip', 'Draft'], ['Rome trip', 'Submitted'], ['Bern', 'Paid']))
  const opened = (state: string) =>
    page(label('Oslo trip', 60), label(state, 200), label('Total', 600), label('312.00', 720), button('Submit', 1900))
  const workflow = learn(reports, 'Oslo trip', opened('Draft'), 'Submit', opened('Submitted'))
  expect(listClaims(workflow)).toContainEqual(expect.stringContaining('says Submitted'))
  expect(workflow.verification.length).toBeGreaterThan(1)
  expect(workflow.doubts).toEqual([])
})

test('an entry that a new page lists is proved together with that page', () => {
  const bar = (chosen: string) => [
    node(
      { class: 'android.view.View', ...place(2200) },
      ...['Offers', 'My route', 'Profile'].map((words, at) =>
        node({
          class: 'android.view.View',
          clickable: 'true',
          'content-desc': words,
          selected: String(words === chosen),
          ...place(2200, 140, at * 360, at * 360 + 360),
        }),
      ),
    ),
  ]
  const offers = page(label('Offers', 60), list(['Green Bowl', '3.7 km'], ['Thai Orchid', '2.6 km']), ...bar('Offers'))
  const job = page(label('Green Bowl', 60), label('3.7 km', 500), button('Accept', 1900))
  const route = page(
    label('My route', 60),
    list(['Green Bowl', '3.7 km'], ['Veggie Van', '4.4 km']),
    ...bar('My route'),
  )
  const workflow = learn(offers, 'Green Bowl', job, 'Accept', route)
  expect(listClaims(workflow)).toEqual(['The page with My route is open', expect.stringContaining('is in the list')])
})

test('an entry that a menu moved to the top is proved by its place, if nothing else tells', () => {
  const [first, second, third] = [
    ['Onions', 'Chemistry'] as const,
    ['Foxes', 'Bedtime'] as const,
    ['Bulbs', 'Garden'] as const,
  ]
  const queue = (...rows: (readonly [string, string])[]) => page(label('Queue', 60), list(...rows))
  const menu = screen(
    node(
      { class: 'android.widget.FrameLayout', package: APP, bounds: '[100,800][980,1400]' },
      button('Move to top', 850, { bounds: '[120,850][960,970]' }),
      button('Remove', 1000, { bounds: '[120,1000][960,1120]' }),
    ),
  )
  const workflow = learn(queue(first, second, third), 'Foxes', menu, 'Move to top', queue(second, first, third))
  expect(workflow.verification).toMatchObject([{ selector: { entry_position: 'first' } }])
  const other = learn(queue(first, second, third), 'Foxes', menu, 'Move to top', queue(['Foxes', 'Done'], first, third))
  expect(listClaims(other)).toEqual([expect.stringContaining('says Done')])
})

test('a switch is the same one if its list is sorted anew or a message appears above it', () => {
  const rows = (top: number, ...items: (readonly [string, boolean])[]) =>
    node(
      { class: 'android.view.View', ...place(top, 900) },
      ...items.map(([name, checked], at) =>
        node(
          {
            class: 'android.view.View',
            clickable: 'true',
            checkable: 'true',
            checked: String(checked),
            ...place(top + at * 150),
          },
          text(name, place(top + at * 150, 60, 150, 700)),
        ),
      ),
    )
  const before = page(
    label('Shopping', 60),
    rows(400, ['Milk', false], ['Eggs', false], ['Rice', false], ['Tea', true]),
  )
  const sorted = page(label('Shopping', 60), rows(400, ['Eggs', false], ['Rice', false], ['Tea', true], ['Milk', true]))
  expect(learn(before, 'Milk', sorted).verification).toHaveLength(1)
  expect(learn(before, 'Milk', sorted).inputs.map(({ example }) => example)).toContain('Milk')
  const below = page(
    label('Shopping', 60),
    label('One item is done.', 250),
    rows(500, ['Milk', true], ['Eggs', false], ['Rice', false], ['Tea', true]),
  )
  expect(learn(before, 'Milk', below).steps).toMatchObject([{ kind: 'toggle' }])
})

const session = (minutes: number, ends: string) =>
  page(
    label('Session', 60),
    label(ends, 300, { 'resource-id': `${APP}:id/ends` }),
    node(
      { class: 'android.widget.LinearLayout', ...place(700, 120) },
      button('-', 700, place(700, 120, 0, 200)),
      text(`${minutes} min`, { ...place(700, 120, 220, 600), 'resource-id': `${APP}:id/minutes` }),
      button('+', 700, place(700, 120, 620, 820)),
    ),
    button('Extend', 1900),
  )

test('a time that moved by a given number is proved by how far it moved', () => {
  const workflow = learn(session(0, '15:30'), '+', session(45, '15:30'), 'Extend', session(0, '16:15'))
  expect(workflow.verification).toMatchObject([{ changed_by: '${inputs.minutes}' }])
  expect(JSON.stringify(workflow.recipe)).not.toContain('16:15')
})

test('elements that changed are proposed, and one that was chosen is checked', () => {
  const view = (code: string) =>
    page(
      label('Door', 60),
      label(code, 300, { 'resource-id': `${APP}:id/code` }),
      label('Ring 7', 500),
      button('Renew', 1900),
    )
  const steps = demonstrate(view('4711-88'), 'Renew', view('2098-13'))
  const { doubts, proof_candidates = [], verification } = interpret(steps)
  expect([doubts, verification]).toMatchObject([[{ field: 'success_condition' }], []])
  expect(proof_candidates).toMatchObject([{ text: 'The screen shows "2098-13"', event_id: 'e1' }])
  const answered = interpret(steps, proof_candidates)
  expect(answered.doubts).toEqual([])
  expect(answered.recipe?.verification).toMatchObject([{ selector: { resource_id: `${APP}:id/code` }, changed: true }])
  expect(JSON.stringify(answered.recipe)).not.toMatch(/4711|2098/)
  // What did not change is not offered, and cannot be checked.
  const [first = expect.fail('no step')] = steps
  const ring = first.after?.nodes.find((one) => attribute(one, 'text') === 'Ring 7') ?? expect.fail('no ring')
  expect(interpret(steps, [{ event_id: 'e1', node_path: ring.path }]).verification).toEqual([])
})
