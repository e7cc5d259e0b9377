import { expect, test } from 'vitest'
import { describeScreenKind, isSameScreenKind } from '../../../src/screen/structure/screen-kind.ts'
import { type Sketch, node, text } from '../tree-builder.ts'
import {
  type Message,
  MESSAGES,
  TOOLKITS,
  TOUCH,
  at,
  box,
  drawScreen,
  drawTabs,
  drawTitle,
  show,
} from './toolkit-trees.ts'

const isSame = (a: Sketch, b: Sketch) => isSameScreenKind(describeScreenKind(show(a)), describeScreenKind(show(b)))

const OTHERS: readonly Message[] = [
  { sender: 'Katherine Johnson', subject: 'Orbit', time: '23:10' },
  { sender: 'Dorothy Vaughan', subject: 'Fortran course', time: '22:00' },
]

const form = box(
  at(0, 0, 1080, 2200),
  drawTitle('New account'),
  node({ class: 'android.widget.EditText', hint: 'Name', ...TOUCH, ...at(40, 300, 1040, 420) }),
  node({ class: 'android.widget.EditText', hint: 'E-mail', ...TOUCH, ...at(40, 460, 1040, 580) }),
  node({ class: 'android.widget.Button', text: 'Create', ...TOUCH, ...at(40, 700, 1040, 820) }),
)

const settings = box(
  at(0, 0, 1080, 2200),
  drawTitle('Settings'),
  node({ class: 'android.widget.Switch', text: 'Dark theme', checkable: 'true', ...TOUCH, ...at(40, 300, 1040, 420) }),
  node({ class: 'android.widget.Switch', text: 'Sounds', checkable: 'true', ...TOUCH, ...at(40, 460, 1040, 580) }),
  text('Version 3.1', at(40, 620, 1040, 700)),
  drawTabs('Settings'),
)

test.each(Object.entries(TOOLKITS))('a list of %s with other entries is the same kind of page', (_, draw) => {
  expect(isSame(drawScreen(draw()), drawScreen(draw(OTHERS)))).toBe(true)
})

test.each(Object.entries(TOOLKITS))('a list of %s, a form and settings are different kinds', (_, draw) => {
  const list = drawScreen(draw())
  expect(isSame(list, form)).toBe(false)
  expect(isSame(list, settings)).toBe(false)
  expect(isSame(form, settings)).toBe(false)
})

test('other numbers and other states of controls do not make another kind', () => {
  const draw = (count: number, checked: boolean) =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle(`Cart (${count})`),
      text(`${count} things for € ${count}.50`, at(40, 300, 1040, 380)),
      node({
        class: 'android.widget.CheckBox',
        text: 'Gift',
        checkable: 'true',
        checked: `${checked}`,
        ...TOUCH,
        ...at(40, 400, 1040, 500),
      }),
      node({ class: 'android.widget.Button', text: 'Pay', ...TOUCH, ...at(40, 700, 1040, 820) }),
    )
  expect(isSame(draw(1, false), draw(12, true))).toBe(true)
})

test('the same page of another app is another kind', () => {
  const foreign = (sketch: Sketch): Sketch => ({
    attributes: { ...sketch.attributes, package: 'com.other' },
    children: sketch.children.map(foreign),
  })
  expect(isSame(form, foreign(form))).toBe(false)
})

test('a dialog is another kind than the page behind it', () => {
  const dialog = box(
    at(100, 800, 980, 1400),
    text('Delete the account?', at(140, 850, 940, 950)),
    node({ class: 'android.widget.Button', text: 'Delete', ...TOUCH, ...at(140, 1200, 500, 1320) }),
    node({ class: 'android.widget.Button', text: 'Keep', ...TOUCH, ...at(560, 1200, 940, 1320) }),
  )
  expect(isSame(dialog, form)).toBe(false)
  expect(isSame(dialog, dialog)).toBe(true)
})

test('screens without content can be compared', () => {
  expect(isSameScreenKind(describeScreenKind([]), describeScreenKind(show(form)))).toBe(false)
})

test('the description holds no text of the rows', () => {
  const { words, controls, title } = describeScreenKind(show(drawScreen(TOOLKITS.compose())))
  const all = [...words, ...controls, title].join('\n').toLowerCase()
  for (const { sender, subject } of MESSAGES) {
    expect(all).not.toContain(sender.toLowerCase())
    expect(all).not.toContain(subject.toLowerCase())
  }
})
