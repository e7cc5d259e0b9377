import { expect, test } from 'vitest'
import { inferElementRole, inferNodeRole } from '../../src/screen/tree/element-traits.ts'
import { readLabel, inferMatcherRole } from '../../src/screen/tree/roles.ts'
import { type Sketch, node, screen, text } from './tree-builder.ts'

function inferRole(sketch: Sketch, parent: Readonly<Record<string, string>> = {}): string {
  const child = screen(node(parent, sketch)).nodes[1]
  if (child === undefined) throw new Error('no child')
  return inferMatcherRole(child)
}

test.each([
  ['androidx.viewpager2.widget.ViewPager2', {}, 'pager'],
  ['android.widget.Button', {}, 'button'],
  ['android.widget.ImageButton', {}, 'button'],
  ['android.widget.RadioButton', {}, 'button'],
  ['android.widget.ToggleButton', {}, 'button'],
  ['android.widget.EditText', {}, 'textfield'],
  ['android.widget.AutoCompleteTextView', {}, 'textfield'],
  ['androidx.appcompat.widget.SwitchCompat', {}, 'switch'],
  ['android.widget.CheckBox', {}, 'checkbox'],
  ['androidx.recyclerview.widget.RecyclerView', {}, 'list'],
  ['android.widget.ListView', {}, 'list'],
  ['android.widget.GridView', {}, 'grid'],
  ['androidx.appcompat.widget.Toolbar', {}, 'toolbar'],
  ['com.google.android.material.tabs.TabLayout', {}, 'tabbar'],
  ['android.widget.ImageView', { clickable: 'true' }, 'icon'],
  ['android.widget.ImageView', {}, 'image'],
  ['com.google.android.material.chip.Chip', {}, 'chip'],
  ['androidx.cardview.widget.CardView', {}, 'card'],
  ['android.widget.LinearLayout', { 'content-desc': 'Row', clickable: 'true' }, 'container'],
  ['android.widget.ScrollView', {}, 'container'],
  ['android.widget.TextView', { text: 'Hi' }, 'text'],
  ['android.widget.TextView', {}, 'text'],
  ['android.widget.TextView', { text: 'Hi', clickable: 'true' }, 'button'],
  ['android.view.View', { 'content-desc': 'Add', clickable: 'true' }, 'button'],
  ['android.view.View', {}, 'unknown'],
])('%s with %j has the role %s', (className, attributes, role) => {
  expect(inferRole(node({ class: className, ...attributes }))).toBe(role)
})

test('a plain view with children is a container', () => {
  expect(inferRole(node({}, node()))).toBe('container')
})

test.each([
  [{ class: 'com.google.android.material.tabs.TabLayout' }, 'tab'],
  [{ class: 'com.x.BottomNavigationView' }, 'tab'],
  [{ 'resource-id': 'a:id/main_TABS' }, 'tab'],
  [{ 'resource-id': 'a:id/navigation_rail' }, 'tab'],
  [{ 'resource-id': 'com.tablet.app:id/row' }, 'button'],
])('a text below %j is a %s', (parent, role) => {
  const button = node({ class: 'android.widget.Button', text: 'Home' })
  expect(inferRole(button, parent)).toBe(role)
})

test('a node without text is not a tab', () => {
  const silent = node({ class: 'android.widget.Button', 'content-desc': 'Home' })
  expect(inferRole(silent, { class: 'x.TabLayout' })).toBe('button')
})

test.each([
  ['Text', 'Desc', 'Text'],
  ['  ', 'Desc', 'Desc'],
  ['', '  ', ''],
  [' padded ', '', ' padded '],
])('text %j and description %j give the label %j', (text, description, label) => {
  const [only] = screen(node({ text, 'content-desc': description })).nodes
  if (only === undefined) throw new Error('no node')
  expect(readLabel(only)).toBe(label)
})

test.each([
  ['android.widget.SeekBar', 'slider'],
  ['android.widget.NumberPicker', 'stepper'],
  ['android.widget.Spinner', 'dropdown'],
  ['x.TabLayout', 'segmented_control'],
  ['android.widget.ToggleButton', 'switch'],
  ['android.widget.CheckBox', 'checkbox'],
  ['android.widget.RadioButton', 'radio'],
  ['android.widget.SearchView', 'text_field'],
  ['android.widget.Button', 'button'],
  ['android.widget.ImageView', 'image'],
  ['android.widget.FrameLayout', 'container'],
  ['android.widget.TextView', null],
])('the element role of %s is %s', (className, role) => {
  expect(inferElementRole(className)).toBe(role)
})

const marker = (type: string) => node({ class: `android.widget.${type}` })
const TOUCH = { clickable: 'true' }

test.each<[string, Sketch, string | null]>([
  ['a view that Compose marks as a radio button', node(TOUCH, text('Fast'), marker('RadioButton')), 'radio'],
  ['a view that Compose marks as a button', node(TOUCH, text('Save'), marker('Button')), 'button'],
  ['a view that can be checked', node({ checkable: 'true' }), 'switch'],
  ['a text that takes a touch', text('More', TOUCH), 'button'],
  ['a box that takes a touch', node({ class: 'android.view.ViewGroup', ...TOUCH }, text('Pay')), 'button'],
  [
    'a box with several controls',
    node({ class: 'x.ViewGroup', ...TOUCH }, text('A', TOUCH), text('B', TOUCH)),
    'container',
  ],
  ['a box that takes no touch', node({ class: 'android.view.ViewGroup' }, marker('Button')), 'container'],
  ['a text that takes no touch', text('Title'), null],
  ['a class that says it', node({ class: 'android.widget.EditText', ...TOUCH }), 'text_field'],
  ['a view beside a labelled button', node(TOUCH, node({ class: 'android.widget.CheckBox', text: 'Own' })), 'button'],
])('the role of %s', (_, sketch, role) => {
  const [root] = screen(sketch).roots
  expect(root && inferNodeRole(root)).toBe(role)
})
