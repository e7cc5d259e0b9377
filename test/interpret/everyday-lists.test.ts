import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'

const place = (top: number, height = 100, left = 0, right = 1080) => ({
  bounds: `[${left},${top}][${right},${top + height}]`,
})
const label = (words: string, top: number, more = {}) => text(words, { ...place(top, 80, 40, 900), ...more })
const button = (words: string, top: number, more = {}) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...place(top), ...more })
const page = (title: string, ...parts: Sketch[]): Hierarchy =>
  screen(
    node(
      { class: 'android.widget.FrameLayout', package: APP, bounds: '[0,0][1080,2400]' },
      node(
        { class: 'android.view.ViewGroup', 'resource-id': `${APP}:id/toolbar`, ...place(0, 140) },
        text(title, place(20)),
      ),
      ...parts,
    ),
  )
const dialog = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, bounds: '[60,900][1020,1500]' }, ...parts))
const list = (top: number, rows: readonly Sketch[]): Sketch =>
  node({ class: 'android.widget.ScrollView', scrollable: 'true', ...place(top, 2200 - top) }, ...rows)

interface Touch {
  /** The text of the node that was touched or typed into. */
  readonly on: string
  readonly type?: string
}

/** A demonstration: screens, and between them what was done. */
function learn(goal: string, ...path: (Hierarchy | Touch | string)[]) {
  const steps: ObservedStep[] = []
  for (let at = 1; at < path.length; at += 2) {
    const [before, done, after] = [path[at - 1] as Hierarchy, path[at], path[at + 1] as Hierarchy]
    const touch = typeof done === 'string' ? { on: done } : (done as Touch)
    const shown = before.nodes.find((one) => attribute(one, 'text') === touch.on) ?? expect.fail(`no ${touch.on}`)
    let target = shown
    while (attribute(target, 'clickable') !== 'true' && target.parent !== null) target = target.parent
    steps.push({
      event_id: `e${steps.length + 1}`,
      trace_id: 't',
      kind: touch.type === undefined ? 'tap' : 'text',
      app: APP,
      action_label: '',
      node_path: target.path,
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
      ...(touch.type !== undefined && { text: touch.type }),
    })
  }
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal })
}

const listClaims = ({ verification }: ReturnType<typeof learn>): string[] => verification.map(({ text: one }) => one)

const mail = (subject: string, sender: string, top: number): Sketch =>
  node(
    { class: 'android.widget.LinearLayout', clickable: 'true', ...place(top, 180) },
    text(sender, { 'resource-id': `${APP}:id/sender`, ...place(top + 10, 60) }),
    text(subject, { 'resource-id': `${APP}:id/subject`, ...place(top + 80, 60) }),
  )

test('an entry that was searched for is gone although the search field still shows its name', () => {
  const search = (content: string, ...rows: Sketch[]) =>
    page(
      'Search',
      node({ class: 'android.widget.EditText', text: content, clickable: 'true', ...place(160) }),
      list(300, rows),
    )
  const [photos, answer] = [mail('Photos from Sunday', 'Kim', 300), mail('Re: Photos from Sunday', 'Ada', 500)]
  const opened = page('Message', label('Photos from Sunday', 300), button('Delete', 1900))
  const workflow = learn(
    'Search a message and delete it',
    search('Search in mail'),
    { on: 'Search in mail', type: 'Photos from Sunday' },
    search('Photos from Sunday', photos, answer),
    'Kim',
    opened,
    'Delete',
    search('Photos from Sunday', mail('Re: Photos from Sunday', 'Ada', 300)),
  )
  expect(listClaims(workflow)).toContain('The given message is no longer in the list')
})

test('a picked person is proved on the page that did not show the person before, although the list of people does', () => {
  const people = (checked: string) =>
    page(
      'Add people',
      node({ class: 'android.widget.EditText', text: 'Find people', clickable: 'true', ...place(150, 50) }),
      list(
        200,
        ['Ben Carter', 'Carla Mendes', 'Farid Nasser', 'Ivy Chen'].map((name, at) =>
          node(
            {
              class: 'android.view.View',
              clickable: 'true',
              checkable: 'true',
              checked: String(name === checked),
              ...place(200 + at * 130, 120),
            },
            text(name, place(220 + at * 130, 80, 40, 700)),
          ),
        ),
      ),
      button('Add', 2250),
    )
  const details = (...members: string[]) =>
    page(
      'Channel details',
      button('Leave', 200),
      button('Invite', 320),
      ...members.map((name, at) => label(name, 500 + at * 90)),
    )
  const workflow = learn(
    'Invite a person to the channel',
    details('Greta Lund'),
    'Invite',
    people(''),
    'Farid Nasser',
    people('Farid Nasser'),
    'Add',
    details('Greta Lund', 'Farid Nasser'),
  )
  expect(workflow.doubts).toEqual([])
  expect(listClaims(workflow).at(-1)).toMatch(/^The screen shows the given /)
})

const preference = (title: string, summary: string, top: number): Sketch =>
  node(
    { class: 'android.widget.LinearLayout', clickable: 'true', ...place(top, 160) },
    text(title, { 'resource-id': 'android:id/title', ...place(top + 10, 60, 40, 900) }),
    ...(summary === ''
      ? []
      : [text(summary, { 'resource-id': 'android:id/summary', ...place(top + 80, 60, 40, 900) })]),
  )

test('a row of a settings page is an entry if it gets the status that another row had', () => {
  const networks = (...rows: (readonly [string, string])[]) =>
    page(
      'Internet',
      list(
        200,
        rows.map(([name, state], at) => preference(name, state, 200 + at * 170)),
      ),
    )
  const ask = (name: string) =>
    dialog(
      text(name, place(920, 80, 100, 900)),
      text('Use it now?', place(1050, 80, 100, 900)),
      button('Connect', 1300),
    )
  const workflow = learn(
    'Connect to a network',
    networks(['Home', 'Connected'], ['Guest cafe', ''], ['Studio', 'Saved'], ['Garden', '']),
    'Guest cafe',
    ask('Guest cafe'),
    'Connect',
    networks(['Home', 'Saved'], ['Guest cafe', 'Connected'], ['Studio', 'Saved'], ['Garden', '']),
  )
  expect(workflow.inputs).toMatchObject([{ name: 'network', example: 'Guest cafe' }])
  const settings = (value: string) =>
    networks(['Screen timeout', value], ['Font size', 'Default'], ['Dark theme', 'Off'], ['Colors', 'Natural'])
  const fixed = learn(
    'Connect to a network',
    settings('1 minute'),
    'Screen timeout',
    ask('Screen timeout'),
    'Connect',
    settings('2 minutes'),
  )
  expect(fixed.inputs).toEqual([])
})

test('a row of a settings page is no entry if it is switched on as another one was', () => {
  const settings = (dark: string) =>
    page(
      'Display',
      list(200, [
        preference('Adaptive brightness', 'On', 200),
        preference('Dark theme', dark, 370),
        preference('Night light', 'Off', 540),
        preference('Screen saver', 'Off', 710),
      ]),
    )
  const ask = dialog(
    text('Dark theme', place(920, 80, 100, 900)),
    text('Use it now?', place(1050, 80, 100, 900)),
    button('Turn on', 1300),
  )
  const workflow = learn('Use dark colours', settings('Off'), 'Dark theme', ask, 'Turn on', settings('On'))
  expect(workflow.inputs).toEqual([])
})

test('a button with an amount is found by its words', () => {
  const pay = { 'resource-id': 'android:id/button1', bounds: '[600,1300][960,1400]' }
  const cancel = { 'resource-id': 'android:id/button2', bounds: '[100,1300][500,1400]' }
  const workflow = learn(
    'Buy a ticket',
    page('Your journey', label('Total', 300), button('Buy', 1900)),
    'Buy',
    dialog(text('Confirm', place(950, 80, 100, 900)), button('Cancel', 0, cancel), button('Pay £32.60', 0, pay)),
    'Pay £32.60',
    page('Ticket booked', label('Thank you', 300)),
  )
  expect(workflow.recipe?.steps.at(-1)).toMatchObject({ type: 'click', selector: { text_contains: 'Pay' } })
  expect(JSON.stringify(workflow.recipe)).not.toContain('32.60')
})

test('options that are swept sideways are named by the label outside of what scrolls', () => {
  const DAYS = ['Today', 'Tomorrow', 'Later']
  const chips = (chosen: string) =>
    page(
      'Plan',
      text('Date', place(300, 60, 40, 400)),
      node(
        { class: 'android.widget.HorizontalScrollView', scrollable: 'true', ...place(380, 110, 40, 1040) },
        ...DAYS.map((day, at) =>
          node({
            class: 'android.view.View',
            text: day,
            clickable: 'true',
            checkable: 'true',
            checked: String(day === chosen),
            ...place(380, 110, 40 + at * 320, 340 + at * 320),
          }),
        ),
      ),
      button('Reset', 1900),
    )
  const workflow = learn('Plan a trip', chips('Today'), 'Tomorrow', chips('Tomorrow'))
  expect(workflow.inputs).toMatchObject([{ name: 'date', example: 'Tomorrow' }])
})

test('a part of a name that was submitted is an input of its own, one that filters a list is the name', () => {
  const search = (content: string, ...rows: Sketch[]) =>
    page(
      'Stores',
      node({ class: 'android.widget.EditText', text: content, hint: 'Search', clickable: 'true', ...place(160) }),
      node({ class: 'android.widget.Button', text: 'Go', clickable: 'true', ...place(160, 100, 900, 1080) }),
      list(300, rows),
    )
  const [near, far] = [mail('Open', 'York Piccadilly', 300), mail('Closed', 'York Coney Street', 500)]
  const opened = (state: string) => page('Store', label('York Piccadilly', 300), button(state, 1900))
  const typed = { on: '', type: 'York' }
  const end = ['York Piccadilly', opened('Choose'), 'Choose', opened('Chosen')]
  const submitted = learn('Choose a store', search(''), typed, search('York'), 'Go', search('York', near, far), ...end)
  const filtered = learn('Choose a store', search(''), typed, search('York', near, far), ...end)
  expect(submitted.inputs.map(({ example }) => example)).toEqual(['York', 'York Piccadilly'])
  expect(filtered.inputs.map(({ example }) => example)).toEqual(['York Piccadilly'])
})
