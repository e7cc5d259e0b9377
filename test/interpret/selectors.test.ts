import { expect, test } from 'vitest'
import { ScreenIndex } from '../../src/knowledge/interpret/read/screen-index.ts'
import type { Move } from '../../src/knowledge/interpret/read/move.ts'
import { readScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'
import {
  candidatesFor,
  fallbacksOf,
  type ScreenView,
} from '../../src/knowledge/interpret/read/selectors.ts'
import type { UiNode } from '../../src/screen/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const id = (name: string) => ({ 'resource-id': `com.example:id/${name}` })
const button = (words: string, more: Readonly<Record<string, string>> = {}): Sketch =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...more })
const page = (...parts: Sketch[]): Screen =>
  readScreen(screen(node({ class: 'android.widget.FrameLayout' }, ...parts)), '.Page')

function sightOf(screens: readonly Screen[], variable: readonly string[] = []): ScreenView {
  const moves = screens.map(
    (seen) => ({ before: seen, after: undefined, at_once: undefined }) as unknown as Move,
  )
  const atlas = new ScreenIndex(moves)
  return {
    atlas,
    shown: new Map(),
    variable_words: new Set(variable),
    entry_words: atlas.entry_words,
  }
}

const found = (seen: Screen, wanted: (one: UiNode) => boolean): UiNode =>
  seen.nodes.find(wanted) ?? expect.fail('not on the screen')
const saying = (words: string) => (one: UiNode) => one.attributes['text'] === words

test('an id is surer than a description, that surer than words, and a place comes last', () => {
  const seen = page(
    button('Save', { ...id('save'), 'content-desc': 'Keep it' }),
    button('Other', id('other')),
  )
  const sources = candidatesFor(found(seen, saying('Save')), seen, sightOf([seen])).map(
    ({ source }) => source,
  )
  expect(sources).toEqual(['resource_id', 'id_and_text', 'content_description', 'text', 'position'])
})

test('what names two things on any screen of its kind is no name', () => {
  const first = page(button('Save', id('action')), text('One', id('title')))
  const second = page(
    button('Save', id('action')),
    text('One', id('title')),
    node({ class: 'android.widget.LinearLayout' }, button('Drop', id('action'))),
  )
  const alone = candidatesFor(found(first, saying('Save')), first, sightOf([first]))
  expect(alone[0]?.selector).toMatchObject({ resource_id: 'com.example:id/action' })
  const [best] = candidatesFor(found(first, saying('Save')), first, sightOf([first, second]))
  expect(best?.selector).toMatchObject({
    resource_id: 'com.example:id/action',
    text_equals: 'Save',
  })
})

test('words that were chosen, that count, or that are somebody else’s are never part of the app', () => {
  for (const words of [
    'Lobby',
    'Edit Lobby',
    '12 items',
    '09:41',
    'ada@example.org',
    "Ada's room",
    '‹text:1›',
  ]) {
    const seen = page(button(words), button('Other'))
    const candidates = candidatesFor(found(seen, saying(words)), seen, sightOf([seen], ['Lobby']))
    expect(
      candidates.map(({ source }) => source),
      words,
    ).toEqual(['position'])
    expect(candidates[0]?.annotation).toBe('DERIVED')
  }
})

test('the words of one list entry do not help to find another thing', () => {
  const row = (name: string) =>
    node({ class: 'android.widget.LinearLayout', clickable: 'true', ...id('row') }, text(name))
  const seen = page(
    node({ class: 'androidx.recyclerview.widget.RecyclerView' }, row('Ada'), row('Grace')),
  )
  const list = found(seen, (one) => (one.attributes['class'] ?? '').endsWith('RecyclerView'))
  const candidates = candidatesFor(list, seen, sightOf([seen]))
  expect(JSON.stringify(candidates)).not.toMatch(/Ada|Grace/)
  expect(candidates[0]?.selector).toEqual({
    class: 'androidx.recyclerview.widget.RecyclerView',
    annotation: 'STRUCTURAL',
  })
})

test('a switch without a name is found by the label of its row', () => {
  const row = (label: string) =>
    node(
      { class: 'android.widget.LinearLayout', clickable: 'true' },
      text(label, { 'resource-id': 'android:id/title' }),
      node({
        class: 'android.widget.Switch',
        checkable: 'true',
        'resource-id': 'android:id/switch_widget',
      }),
    )
  const seen = page(node({ class: 'android.widget.ListView' }, row('Sound'), row('Light')))
  const control = seen.nodes.findLast((one) => one.attributes['checkable'] === 'true')
  const [best] = candidatesFor(control ?? expect.fail('no switch'), seen, sightOf([seen]))
  expect(best).toMatchObject({
    source: 'label',
    selector: { resource_id: 'android:id/switch_widget' },
    container: { containing: { text_equals: 'Light' } },
  })
})

test('a button of a dialog is known by its words, and nothing stands in for it', () => {
  const dialog = readScreen(
    screen(
      node(
        { class: 'android.widget.FrameLayout', bounds: '[60,900][1020,1400]' },
        text('Sure?', { 'resource-id': 'android:id/alertTitle' }),
        button('Delete', { 'resource-id': 'android:id/button1' }),
        button('Cancel', { 'resource-id': 'android:id/button2' }),
      ),
    ),
    '.Page',
  )
  const sight = sightOf([dialog])
  const candidates = candidatesFor(found(dialog, saying('Delete')), dialog, sight)
  expect(candidates[0]?.selector).toMatchObject({
    resource_id: 'android:id/button1',
    text_equals: 'Delete',
  })
  expect(candidates.some(({ selector }) => selector.text_equals === undefined)).toBe(false)
  expect(fallbacksOf(candidates, dialog, sight)).toEqual([])
})

test('a fallback that could be mistaken on another screen is none', () => {
  const form = page(button('Save', id('save')), text('Form', id('form_title')))
  const other = readScreen(
    screen(
      node(
        { class: 'android.widget.FrameLayout' },
        button('Save', id('keep')),
        text('Else', id('x')),
      ),
    ),
    '.Other',
  )
  const target = found(form, saying('Save'))
  const alone = sightOf([form])
  expect(fallbacksOf(candidatesFor(target, form, alone), form, alone)).toMatchObject([
    { class: 'android.widget.Button', text_equals: 'Save' },
  ])
  const both = sightOf([form, other])
  expect(fallbacksOf(candidatesFor(target, form, both), form, both)).toEqual([])
})
