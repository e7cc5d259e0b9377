import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { parseScreen } from '../../../src/knowledge/interpret/read/screen.ts'
import { findRowByText } from '../../../src/knowledge/interpret/read/rows.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate } from '../controls/demonstration.ts'

const bubble = (words: string, note: string, top: number): Sketch =>
  node(
    { class: 'android.view.ViewGroup', bounds: `[0,${top}][1080,${top + 150}]` },
    text(words, { bounds: `[48,${top + 20}][800,${top + 80}]` }),
    text(note, { bounds: `[48,${top + 90}][500,${top + 130}]` }),
  )

/** A conversation with a bar above it and a field below it, both without ids of rows. */
const chat = (typed: string, ...bubbles: readonly Sketch[]): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    node(
      { class: 'android.view.ViewGroup', bounds: '[0,84][1080,234]' },
      node({ class: 'android.view.ViewGroup', 'content-desc': 'Back', clickable: 'true', bounds: '[12,96][144,222]' }),
      text('Harbour crew', { bounds: '[160,120][900,200]' }),
    ),
    node(
      { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,234][1080,2000]' },
      node({ class: 'android.view.ViewGroup', bounds: '[0,234][1080,2000]' }, ...bubbles),
    ),
    node(
      { class: 'android.view.ViewGroup', bounds: '[0,2020][1080,2170]' },
      node({
        class: 'android.widget.EditText',
        text: typed,
        'content-desc': 'Write a message',
        clickable: 'true',
        bounds: '[24,2040][900,2150]',
      }),
      node({
        class: 'android.view.ViewGroup',
        'content-desc': 'Send',
        clickable: 'true',
        bounds: '[920,2040][1060,2150]',
      }),
    ),
  )

const OLD = [bubble('The boat is ready', '07:40 · Sent', 260), bubble('Bring the ropes', '07:52 · Sent', 428)]
const WORDS = 'Is the gate open?'

const parse = (sketch: Sketch) => parseScreen(screen(sketch), undefined)

test('what stands in the only field of a form names no row', () => {
  const line = (label: string, value: string, top: number, shape: Readonly<Record<string, string>> = {}): Sketch =>
    node(
      { class: 'android.view.ViewGroup', clickable: 'true', bounds: `[0,${top}][1080,${top + 150}]` },
      text(label, { bounds: `[40,${top + 20}][500,${top + 80}]` }),
      text(value, { ...shape, bounds: `[520,${top + 20}][1000,${top + 80}]` }),
    )
  const form = node(
    { bounds: '[0,0][1080,2200]' },
    node(
      { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,200][1080,2200]' },
      line('Child', 'Lio', 200),
      line('First day', '12 March', 350),
      line('Note', WORDS, 500, { class: 'android.widget.EditText' }),
    ),
  )
  expect(findRowByText('12 March', parse(form))).toBeDefined()
  expect(findRowByText(WORDS, parse(form))).toBeUndefined()
})

test('what was typed and sent is a row', () => {
  expect(findRowByText(WORDS, parse(chat('', ...OLD, bubble(WORDS, '08:01 · Sent', 596))))).toBeDefined()
})

test('fields in the rows of a list name their rows', () => {
  const row = (name: string, top: number): Sketch =>
    node(
      { class: 'android.view.ViewGroup', bounds: `[0,${top}][1080,${top + 150}]` },
      node({
        class: 'android.widget.CheckBox',
        checkable: 'true',
        clickable: 'true',
        bounds: `[24,${top}][150,${top + 150}]`,
      }),
      node({
        class: 'android.widget.EditText',
        text: name,
        clickable: 'true',
        bounds: `[160,${top}][1000,${top + 150}]`,
      }),
    )
  const list = node(
    { bounds: '[0,0][1080,2200]' },
    node(
      { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,200][1080,2200]' },
      row('Milk', 200),
      row('Bread', 350),
      row('Salt', 500),
    ),
  )
  expect(findRowByText('Bread', parse(list))).toBeDefined()
})

test('a message that is typed and sent is not looked for before it is sent', () => {
  const { recipe, inputs } = interpretTraces(
    [
      demonstrate(
        chat('', ...OLD),
        [{ on: 'Write a message', kind: 'text', text: WORDS }, chat(WORDS, ...OLD)],
        [{ on: 'Send' }, chat('', ...OLD, bubble(WORDS, '08:01 · Sent', 596))],
      ),
    ],
    { marks: [], goal: 'Write a message' },
  )
  expect(inputs.map(({ example }) => example)).toEqual([WORDS])
  expect(recipe?.steps.map(({ id }) => id)).not.toContain('find_before')
  expect(recipe?.steps.at(-1)?.type === 'scroll_until' || (recipe?.verification?.length ?? 0) > 0).toBe(true)
})
