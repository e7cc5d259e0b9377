import { expect, test } from 'vitest'
import { draftStartingPoint } from '../../src/knowledge/interpret/draft/starting-point.ts'
import type { Intent } from '../../src/knowledge/interpret/read/intent.ts'
import { parseScreen } from '../../src/knowledge/interpret/read/screen.ts'
import { ScreenIndex } from '../../src/knowledge/interpret/read/screen-index.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const chip = (label: string, at: number, checked: boolean): Sketch =>
  node({
    class: 'com.google.android.material.chip.Chip',
    text: label,
    clickable: 'true',
    checkable: 'true',
    checked: String(checked),
    bounds: `[${at * 250},300][${at * 250 + 220},400]`,
  })
const radio = (label: string, at: number, checked: boolean): Sketch =>
  node({
    class: 'android.widget.RadioButton',
    text: label,
    clickable: 'true',
    checkable: 'true',
    checked: String(checked),
    bounds: `[0,${600 + at * 120}][1080,${700 + at * 120}]`,
  })

function draft(...parts: Sketch[]) {
  const title = text('Messages', { bounds: '[40,80][600,160]' })
  const before = parseScreen(screen(node({ class: 'android.widget.FrameLayout' }, title, ...parts)), '.Page')
  const intent: Intent = {
    kind: 'press',
    trace_id: 'trace',
    event_ids: ['event'],
    app: 'com.example',
    gesture: 'tap',
    node: undefined,
    before,
    first_after: undefined,
    after: undefined,
  }
  const index = new ScreenIndex([intent])
  const view = {
    index,
    examples: new Map(),
    variable_texts: new Set<string>(),
    entry_texts: new Set<string>(),
    isOfApp: () => true,
    isPersonal: () => false,
  }
  return draftStartingPoint({ intents: [intent], view }, 'com.example')
}

test('the checked filter of a strip is a landmark, a checked option of a form is not', () => {
  const strip = node(
    { class: 'com.google.android.material.chip.ChipGroup', bounds: '[0,300][1080,400]' },
    chip('All', 0, true),
    chip('Unread', 1, false),
    chip('Groups', 2, false),
  )
  expect(draft(strip).landmarks).toMatchObject([{ text_equals: 'All', checked: true }])
  const options = node(
    { class: 'android.widget.RadioGroup', bounds: '[0,600][1080,940]' },
    radio('Always', 0, true),
    radio('Never', 1, false),
    radio('Sometimes', 2, false),
  )
  expect(draft(options).landmarks).toBeUndefined()
})

test('the texts of the app tell a run its language, without the names of persons', () => {
  const button = node({
    class: 'android.widget.Button',
    text: 'Start chat',
    clickable: 'true',
    bounds: '[600,1900][1000,2000]',
  })
  const name = text('Ada Nowak', { bounds: '[40,1000][600,1080]' })
  expect(draft(button, name).words).toEqual(['Messages', 'Start chat'])
})
