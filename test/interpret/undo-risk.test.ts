import { expect, test } from 'vitest'
import { mayUndo } from '../../src/knowledge/interpret/draft/undo-risk.ts'
import type { Claim } from '../../src/knowledge/interpret/prove/claims.ts'
import type { Proof } from '../../src/knowledge/interpret/prove/proof.ts'
import type { Intent } from '../../src/knowledge/interpret/read/intent.ts'
import { parseScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const button = (label: string, bounds: string): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds })
const page = (title: string, ...parts: Sketch[]): Screen =>
  parseScreen(
    screen(node({ class: 'android.widget.FrameLayout' }, text(title, { bounds: '[0,40][900,120]' }), ...parts)),
    `.${title}`,
  )
const dialog = (...parts: Sketch[]): Screen =>
  parseScreen(screen(node({ class: 'android.widget.FrameLayout', bounds: '[60,900][1020,1400]' }, ...parts)), '.Page')

const press = (label: string, before: Screen, after: Screen): Intent => ({
  kind: 'press',
  trace_id: 'trace',
  event_ids: ['event'],
  app: 'com.example',
  first_after: after,
  gesture: 'tap',
  node: before.nodes.find((one) => one.attributes['text'] === label) ?? expect.fail(`no ${label}`),
  before,
  after,
})
const prove = (end: Screen, claim: Partial<Claim>): Proof => ({
  end,
  strength: 5,
  only_the_form: false,
  claims: [{ selector: { class: 'x' }, check: { kind: 'present' }, inputs: [], text: '', ...claim }],
})

const detail = page('Podcast', button('Subscribe', '[40,400][500,520]'), button('Share', '[540,400][1000,520]'))
const followed = page('Podcast', button('Unsubscribe', '[40,400][500,520]'), button('Share', '[540,400][1000,520]'))

test('a press that changes a state on its page may be undone by the same control', () => {
  const subscribe = press('Subscribe', detail, followed)
  expect(mayUndo(subscribe, [], prove(followed, { is_state: true }))).toBe(true)
  expect(mayUndo(subscribe, [], undefined)).toBe(true)
  expect(mayUndo(subscribe, [], prove(followed, { inputs: ['podcast'] }))).toBe(false)
})

test('opening a page, ending a form and answering a question undo nothing', () => {
  const form = page('New podcast', node({ class: 'android.widget.EditText', bounds: '[40,300][1000,400]' }))
  const state = prove(followed, { is_state: true })
  expect(mayUndo(press('Share', detail, form), [], state)).toBe(false)
  const filled = page('Rename', button('Save', '[40,400][500,520]'))
  const typed: Intent = { ...press('Save', filled, filled), kind: 'type' }
  expect(mayUndo(press('Save', filled, detail), [press('Share', detail, filled), typed], state)).toBe(false)
  const question = dialog(
    text('Subscribe now?', { bounds: '[100,940][980,1000]' }),
    button('Cancel', '[400,1300][690,1380]'),
    button('OK', '[700,1300][1000,1380]'),
  )
  expect(mayUndo(press('OK', question, followed), [press('Subscribe', detail, question)], state)).toBe(false)
  const menu = dialog(button('Pin', '[80,940][980,1040]'), button('Delete', '[80,1060][980,1160]'))
  expect(mayUndo(press('Pin', menu, followed), [press('Share', followed, menu)], state)).toBe(true)
  const details = dialog(
    text('la mesa', { bounds: '[100,940][980,1000]' }),
    button('Close', '[400,1300][690,1380]'),
    button('Mark as known', '[700,1300][1000,1380]'),
  )
  const opened: Intent = { ...press('Share', followed, details), kind: 'choose' }
  expect(mayUndo(press('Mark as known', details, followed), [opened], state)).toBe(true)
})

test('a row of a menu may be another one when the state is another one, also if it opens a window', () => {
  const menu = dialog(button('Lend', '[80,940][980,1040]'), button('Move', '[80,1060][980,1160]'))
  const question = dialog(
    text('Lend to whom?', { bounds: '[100,940][980,1000]' }),
    button('OK', '[700,1300][1000,1380]'),
  )
  expect(mayUndo(press('Lend', menu, question), [press('Share', detail, menu)], undefined)).toBe(true)
})

test('a menu below a text is a menu, and offers to remove what is there', () => {
  const menu = dialog(
    text('Icons are ready', { bounds: '[80,820][980,920]' }),
    button('Copy text', '[80,940][980,1040]'),
    button('Pin to channel', '[80,1060][980,1160]'),
  )
  const question = dialog(
    text('Pin it?', { bounds: '[100,940][980,1000]' }),
    button('Cancel', '[400,1300][690,1380]'),
    button('Pin', '[700,1300][1000,1380]'),
  )
  const opened: Intent = { ...press('Share', followed, menu), kind: 'choose' }
  const pin = press('Pin to channel', menu, question)
  expect(mayUndo(pin, [opened], prove(followed, { inputs: ['message'] }))).toBe(true)
  expect(mayUndo(pin, [opened], prove(followed, { inputs: ['message'], check: { kind: 'absent' } }))).toBe(false)
})

test('a control that asks before it sets a state may ask about the opposite', () => {
  const question = dialog(
    text('Subscribe?', { bounds: '[100,940][980,1000]' }),
    button('Not now', '[400,1300][690,1380]'),
    button('OK', '[700,1300][1000,1380]'),
  )
  const subscribe = press('Subscribe', detail, question)
  expect(mayUndo(subscribe, [], prove(followed, { is_state: true }))).toBe(true)
  expect(mayUndo(subscribe, [], prove(followed, { inputs: ['podcast'] }))).toBe(false)
})

test('a press that opens a window in which a value is set opens a form, whatever has the same path on the page', () => {
  const row = node({ class: 'android.view.View', text: 'Due date', clickable: 'true', bounds: '[40,300][1000,400]' })
  const day = node({ class: 'android.view.View', text: '20', clickable: 'true', bounds: '[80,940][180,1040]' })
  const first = parseScreen(screen(node({ class: 'android.widget.FrameLayout' }, row)), '.Page')
  const calendar = dialog(day)
  const opened = press('Due date', first, calendar)
  const picked: Intent = { ...press('20', calendar, first), kind: 'date' }
  const state = prove(first, { is_state: true })
  expect(mayUndo(opened, [], state, picked)).toBe(false)
  expect(mayUndo({ ...opened, after: first }, [], state, { ...picked, before: first })).toBe(true)
})
