import { describe, expect, test } from 'vitest'
import { UncheckedScreens } from '../../../src/devices/snapshot-helper/check-states.ts'
import { parseHierarchy } from '../../../src/screen/tree/hierarchy.ts'

function parse(content: string) {
  const read = parseHierarchy(`<hierarchy rotation="0"><node package="a.b" class="F">${content}</node></hierarchy>`)
  const root = read.ok ? read.hierarchy.roots[0] : undefined
  if (root === undefined) throw new Error('no tree')
  return root
}

const view = (attributes: string, inner = '') => `<node ${attributes}>${inner}</node>`
const TEXT = view('class="android.widget.TextView" text="Wi-Fi" enabled="true"')

describe('screens that the helper can tell', () => {
  test.each([
    ['texts and buttons', `${TEXT}${view('class="android.widget.Button" clickable="true" enabled="true"')}`],
    ['a row that can be touched', view('class="android.widget.LinearLayout" clickable="true" enabled="true"', TEXT)],
    ['a box of Compose', view('class="android.view.View" enabled="true"', TEXT)],
    [
      'a button of Compose',
      view('class="android.view.View" clickable="true"', view('class="android.widget.Button" enabled="true"')),
    ],
    ['a switch that is not visible', view('class="android.widget.Switch" visible-to-user="false"')],
  ])('%s', (_what, content) => {
    expect(new UncheckedScreens().isEnough(parse(content))).toBe(true)
  })
})

describe('screens that may have switches', () => {
  test.each([
    'android.widget.Switch',
    'androidx.appcompat.widget.SwitchCompat',
    'android.widget.CheckBox',
    'android.widget.RadioButton',
    'android.widget.ToggleButton',
    'android.widget.CheckedTextView',
    'android.widget.CompoundButton',
  ])('%s', (name) => {
    expect(new UncheckedScreens().isEnough(parse(view(`class="${name}" enabled="true"`)))).toBe(false)
  })

  test.each(['clickable="true" enabled="true"', 'focusable="true" enabled="true"', 'enabled="false"'])(
    'a view of Compose with %s',
    (state) => {
      expect(new UncheckedScreens().isEnough(parse(view(`class="android.view.View" ${state}`, TEXT)))).toBe(false)
    },
  )
})

test('a screen that a dump showed to have none is told from then on, but not one with another control', () => {
  const screens = new UncheckedScreens()
  const row = (state: string, text: string) => view(`class="android.view.View" ${state}`, text)
  const clickable = 'clickable="true" enabled="true"'
  expect(screens.learn(parse(row(`${clickable} checkable="false"`, TEXT)))).toBe(true)
  expect(screens.isEnough(parse(row(clickable, TEXT)))).toBe(true)
  expect(screens.isEnough(parse(row(clickable, TEXT) + row(clickable, TEXT)))).toBe(false)
  expect(screens.isEnough(parse(row(clickable, TEXT.replace('Wi-Fi', 'Sound'))))).toBe(false)
  const sound = TEXT.replace('Wi-Fi', 'Sound')
  expect(screens.learn(parse(row(`${clickable} checkable="true"`, sound)))).toBe(false)
  expect(screens.isEnough(parse(row(clickable, sound)))).toBe(false)
})
