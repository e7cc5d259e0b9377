import { expect, test } from 'vitest'
import { evaluateSubGoal, countShown } from '../../src/knowledge/goal-search/evaluate-goal.ts'
import type { Screen } from '../../src/knowledge/interpret/read/screen.ts'
import { buildScreen, label, type TestNode } from './screens.ts'
import { readSubGoal } from './sub-goal.ts'

const evaluate = (goal: string, screen: Screen, ...trail: string[]) =>
  evaluateSubGoal(readSubGoal(goal), { screen, trail })

/** Compose: no ids, no classes; the label stands beside the switch. */
const composeRow = (text: string, top: number, is: string): TestNode => ({
  at: [0, top, 1080, top + 140],
  is: `clickable checkable focusable ${is}`,
  in: [label(text, [40, top + 40, 600, top + 100])],
})

const LIGHTS = buildScreen(
  label('Küche', [40, 60, 600, 140]),
  composeRow('Licht', 300, ''),
  composeRow('Heizung', 460, 'checked'),
)

test.each([
  ['Küchenlicht einschalten', 'open'],
  ['Das Licht in der Küche anschalten', 'open'],
  ['Licht aus', 'holds'],
  ['Heizung in der Küche ausschalten', 'open'],
  ['Badlicht einschalten', 'unseen'],
])('switches without ids: %s is %s', (goal, state) => {
  expect(evaluate(goal, LIGHTS).state).toBe(state)
})

test('a tile that says its state in words is tapped, and not when it already says so', () => {
  // React Native: one touchable group with two texts.
  const tile = (name: string, state: string, left: number): TestNode => ({
    class: 'android.view.ViewGroup',
    at: [left, 300, left + 500, 500],
    is: 'clickable focusable',
    in: [label(name, [left + 20, 320, left + 400, 380]), label(state, [left + 20, 400, left + 400, 460])],
  })
  const screen = buildScreen(
    label('Home', [0, 40, 400, 120]),
    tile('Kitchen light', 'Off', 0),
    tile('Hall light', 'On', 540),
  )
  expect(evaluate('turn on the kitchen light', screen)).toMatchObject({
    state: 'open',
    plans: [[{ kind: 'choose', label: 'Kitchen light' }]],
  })
  expect(evaluate('turn on the hall light', screen).state).toBe('holds')
  expect(evaluate('turn on the bath light', screen).state).toBe('unseen')
})

test('things told apart by a number have that number in their name', () => {
  const row = (name: string, top: number): TestNode => ({
    at: [0, top, 1080, top + 140],
    is: 'clickable',
    in: [
      label(name, [40, top, 400, top + 140]),
      { class: 'android.widget.Switch', at: [900, top, 1040, top + 140], is: 'clickable checkable' },
    ],
  })
  const screen = buildScreen(label('Lamps', [0, 40, 400, 120]), row('Lamp 1', 300), row('Lamp 2', 460))
  expect(evaluate('turn on lamp 2', screen)).toMatchObject({ plans: [[{ kind: 'check', label: 'Lamp 2' }]] })
  expect(evaluate('turn on lamp 3', screen).state).toBe('unseen')
})

test('a generic switch belongs to what the screen is called, if it is the only one', () => {
  const power: TestNode = {
    class: 'android.widget.Switch',
    text: 'On',
    at: [40, 300, 1000, 400],
    is: 'clickable checkable',
  }
  expect(
    evaluate('turn on the kitchen light', buildScreen(label('Kitchen light', [0, 40, 600, 120]), power)).state,
  ).toBe('open')
  const beeps: TestNode = { ...power, text: 'Beeps' }
  expect(
    evaluate('turn on the kitchen light', buildScreen(label('Kitchen light', [0, 40, 600, 120]), beeps)).state,
  ).toBe('unseen')
})

const segment = (text: string, left: number, is: string): TestNode => ({
  class: 'android.view.View',
  at: [left, 400, left + 300, 500],
  is: `clickable focusable ${is}`,
  in: [label(text, [left + 20, 420, left + 280, 480])],
})

const MODES = buildScreen(
  label('Clima', [0, 40, 400, 120]),
  label('Modo', [40, 300, 400, 380]),
  segment('Calor', 40, 'selected'),
  segment('Frío', 360, ''),
  segment('Eco', 680, ''),
)

test.each([
  ['cambia el modo a Frío', 'open'],
  ['elige Eco', 'open'],
  ['modo: calor', 'holds'],
  ['pon el modo en Seco', 'unseen'],
  ['selecciona Eco en el salón', 'unseen'],
])('segments with a heading: %s is %s', (goal, state) => {
  expect(evaluate(goal, MODES).state).toBe(state)
})

const stepper = (name: string, value: string, top: number): TestNode => ({
  class: 'android.view.ViewGroup',
  at: [0, top, 1080, top + 160],
  in: [
    label(name, [40, top + 40, 400, top + 120]),
    { class: 'android.widget.Button', desc: `Weniger ${name}`, at: [500, top + 20, 620, top + 140], is: 'clickable' },
    label(value, [640, top + 40, 800, top + 120]),
    { class: 'android.widget.Button', desc: `Mehr ${name}`, at: [820, top + 20, 940, top + 140], is: 'clickable' },
  ],
})

const ROOM = buildScreen(
  label('Bad', [40, 40, 400, 120]),
  stepper('Heizung', '19,5 °C', 300),
  stepper('Feuchte', '40 %', 480),
)

test('a stepper is found by its label and the title, and not by another unit', () => {
  expect(evaluate('Die Heizung im Bad auf 21 Grad stellen', ROOM)).toMatchObject({
    state: 'open',
    plans: [[{ kind: 'step', target: 21, increase: { contentDescEquals: 'Mehr Heizung' } }]],
  })
  expect(evaluate('Heizung im Bad auf 19,5 stellen', ROOM).state).toBe('holds')
  expect(evaluate('Feuchte auf 40 Prozent stellen', ROOM).state).toBe('holds')
  expect(evaluate('Heizung auf 40 Prozent stellen', ROOM).state).toBe('unseen')
  expect(evaluate('Heizung in der Küche auf 21 stellen', ROOM).state).toBe('unseen')
})

test('a slider with its number beside it is adjusted', () => {
  const screen = buildScreen(label('Display', [40, 40, 400, 120]), {
    at: [0, 300, 1080, 500],
    in: [
      label('Brightness', [40, 310, 400, 370]),
      label('60%', [900, 310, 1040, 370]),
      { class: 'android.widget.SeekBar', at: [40, 390, 1040, 490], is: 'focusable' },
    ],
  })
  expect(evaluate('brightness 40%', screen)).toMatchObject({ state: 'open', plans: [[{ kind: 'slide', target: 40 }]] })
  expect(evaluate('set the brightness to 60 percent', screen).state).toBe('holds')
})

/** The wheels of a classic time picker. */
const wheel = (left: number, before: string, value: string, after: string): TestNode => ({
  class: 'android.widget.NumberPicker',
  at: [left, 600, left + 200, 1000],
  in: [
    { class: 'android.widget.Button', text: before, at: [left, 600, left + 200, 720], is: 'clickable' },
    { class: 'android.widget.EditText', text: value, at: [left, 740, left + 200, 860], is: 'clickable focusable' },
    { class: 'android.widget.Button', text: after, at: [left, 880, left + 200, 1000], is: 'clickable' },
  ],
})

const picker = (...wheels: readonly TestNode[]): TestNode => ({
  class: 'android.widget.TimePicker',
  at: [100, 560, 900, 1040],
  in: wheels,
})

test('a time is set by the wheels of a picker that was opened for it', () => {
  const screen = buildScreen(
    label('Uhrzeit', [100, 400, 500, 480]),
    picker(wheel(200, '5', '06', '7'), wheel(500, '29', '30', '31')),
  )
  const goal = 'Wecker auf 7:15 stellen'
  expect(evaluate(goal, screen, 'Wecker')).toMatchObject({
    state: 'open',
    plans: [
      [
        { kind: 'type', text: '7' },
        { kind: 'type', text: '15' },
      ],
    ],
  })
  expect(evaluate(goal, screen).state).toBe('unseen')
})

test('a picker of twelve hours gets the half of the day too', () => {
  const screen = buildScreen(
    label('Alarm', [100, 400, 500, 480]),
    picker(wheel(200, '5', '06', '7'), wheel(450, '29', '30', '31'), wheel(700, 'AM', 'AM', 'PM')),
  )
  expect(evaluate('set the alarm to 19:30', screen)).toMatchObject({
    plans: [
      [
        { kind: 'type', text: '7' },
        { kind: 'step', target: ['pm'] },
      ],
    ],
  })
})

test('a day of a calendar is chosen by its date', () => {
  const days = Array.from({ length: 28 }, (_, at): TestNode => {
    const [left, top] = [(at % 7) * 140, 700 + Math.floor(at / 7) * 120]
    return {
      text: String(at + 1),
      desc: `${at + 1} March 2026`,
      at: [left, top, left + 130, top + 110],
      is: 'clickable',
    }
  })
  const screen = buildScreen(label('Departure', [40, 400, 500, 480]), ...days)
  expect(evaluate('set departure to March 14, 2026', screen)).toMatchObject({
    state: 'open',
    plans: [[{ kind: 'choose', matcher: { contentDescEquals: '14 March 2026' } }]],
  })
  expect(evaluate('set departure to April 14, 2026', screen).state).toBe('unseen')
})

test('a text field is filled by its label, and never a search field', () => {
  const field = (hint: string, top: number): TestNode => ({
    class: 'android.widget.EditText',
    text: '',
    hint,
    at: [40, top, 1000, top + 120],
    is: 'clickable focusable',
  })
  const form = buildScreen(label('Profil', [0, 40, 400, 120]), field('Nom', 300), field('Ville', 460))
  expect(evaluate('mets la ville à "Lyon"', form)).toMatchObject({
    plans: [[{ kind: 'type', text: 'Lyon', label: 'Ville' }]],
  })
  const search = buildScreen(label('Shopping list', [0, 40, 400, 120]), field('Search', 300))
  expect(evaluate('add milk to the shopping list', search).state).toBe('unseen')
  const list = buildScreen(
    label('Shopping list', [0, 40, 400, 120]),
    field('Add item', 300),
    label('Bread', [40, 500, 400, 560]),
  )
  expect(evaluate('add milk to the shopping list', list).state).toBe('open')
  expect(evaluate('add bread to the shopping list', list).state).toBe('holds')
})

test('a value in words counts only near the words of the goal', () => {
  const row = (name: string, time: string, top: number): TestNode => ({
    at: [0, top, 1080, top + 120],
    in: [label(name, [40, top, 400, top + 100]), label(time, [500, top, 900, top + 100])],
  })
  const goal = readSubGoal('set the alarm to 7:15')
  const count = (...rows: TestNode[]) =>
    countShown(goal, { screen: buildScreen(label('Clock', [0, 40, 300, 100]), ...rows), trail: [] })
  expect(count(row('Alarm', '07:15', 300), row('Sunrise', '07:15', 500))).toBe(1)
  expect(count(row('Alarm', '07:30', 300), row('Sunrise', '07:15', 500))).toBe(0)
})
