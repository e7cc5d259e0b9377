import { expect, test } from 'vitest'
import { ScreenIndex } from '../../src/knowledge/interpret/read/screen-index.ts'
import type { Intent } from '../../src/knowledge/interpret/read/intent.ts'
import { parseScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'
import { findCandidates, selectFallbacks, type ScreenView } from '../../src/knowledge/interpret/read/selectors.ts'
import type { UiNode } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const id = (name: string) => ({ 'resource-id': `com.example:id/${name}` })
const button = (label: string, more: Readonly<Record<string, string>> = {}): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', ...more })
const page = (...parts: Sketch[]): Screen =>
  parseScreen(screen(node({ class: 'android.widget.FrameLayout' }, ...parts)), '.Page')

function buildView(
  screens: readonly Screen[],
  variable: readonly string[] = [],
  chosen: Parameters<ScreenIndex['listEntryTexts']>[0] = [],
): ScreenView {
  const intents = screens.map(
    (seen) => ({ before: seen, after: undefined, first_after: undefined }) as unknown as Intent,
  )
  const index = new ScreenIndex(intents)
  return {
    index,
    examples: new Map(),
    variable_texts: new Set(variable),
    entry_texts: index.listEntryTexts(chosen),
    isOfApp: () => true,
    isPersonal: () => false,
  }
}

const find = (seen: Screen, matches: (one: UiNode) => boolean): UiNode =>
  seen.nodes.find(matches) ?? expect.fail('no such node')
const hasText = (text: string) => (one: UiNode) => one.attributes['text'] === text

test('candidates are ordered: id, description, text, place, position', () => {
  const seen = page(button('Save', { ...id('save'), 'content-desc': 'Keep it' }), button('Other', id('other')))
  const sources = findCandidates(find(seen, hasText('Save')), seen, buildView([seen])).map(({ source }) => source)
  expect(sources).toEqual(['resource_id', 'id_and_text', 'content_description', 'text', 'position'])
})

test('a selector that matches two nodes on a screen of the same kind is dropped', () => {
  const first = page(button('Save', id('action')), text('One', id('title')))
  const second = page(
    button('Save', id('action')),
    text('One', id('title')),
    node({ class: 'android.widget.LinearLayout' }, button('Drop', id('action'))),
  )
  const alone = findCandidates(find(first, hasText('Save')), first, buildView([first]))
  expect(alone[0]?.selector).toMatchObject({ resource_id: 'com.example:id/action' })
  const [best] = findCandidates(find(first, hasText('Save')), first, buildView([first, second]))
  expect(best?.selector).toMatchObject({
    resource_id: 'com.example:id/action',
    text_equals: 'Save',
  })
})

test('chosen texts, counters and personal texts are never used in selectors', () => {
  for (const label of ['Lobby', 'Edit Lobby', '12 items', '09:41', 'ada@example.org', "Ada's room", '‹text:1›']) {
    const seen = page(button(label), button('Other'))
    const candidates = findCandidates(find(seen, hasText(label)), seen, buildView([seen], ['Lobby']))
    expect(
      candidates.map(({ source }) => source),
      label,
    ).toEqual(['position'])
    expect(candidates[0]?.annotation).toBe('DERIVED')
  }
})

test('texts of list entries are not used in selectors', () => {
  const row = (name: string, top: number) =>
    node(
      {
        class: 'android.widget.LinearLayout',
        clickable: 'true',
        ...id('row'),
        bounds: `[0,${top}][1080,${top + 150}]`,
      },
      text(name, { bounds: `[40,${top + 40}][600,${top + 110}]` }),
    )
  const rows = [row('Ada', 300), row('Grace', 450)]
  const seen = page(node({ class: 'androidx.recyclerview.widget.RecyclerView', bounds: '[0,300][1080,2200]' }, ...rows))
  const list = find(seen, (one) => (one.attributes['class'] ?? '').endsWith('RecyclerView'))
  const candidates = findCandidates(list, seen, buildView([seen]))
  expect(JSON.stringify(candidates)).not.toMatch(/Ada|Grace/)
  expect(candidates[0]?.selector).toEqual({
    class: 'androidx.recyclerview.widget.RecyclerView',
    annotation: 'STRUCTURAL',
  })
})

test('a switch without its own id is found by the label of its row', () => {
  const row = (label: string, top: number) =>
    node(
      { class: 'android.widget.LinearLayout', clickable: 'true', bounds: `[0,${top}][1080,${top + 150}]` },
      text(label, { 'resource-id': 'android:id/title', bounds: `[40,${top + 40}][600,${top + 110}]` }),
      node({
        class: 'android.widget.Switch',
        checkable: 'true',
        'resource-id': 'android:id/switch_widget',
        bounds: `[900,${top + 30}][1040,${top + 120}]`,
      }),
    )
  const list = { class: 'android.widget.ListView', bounds: '[0,300][1080,2200]' }
  const seen = page(node(list, row('Sound', 300), row('Light', 450)))
  const control = seen.nodes.findLast((one) => one.attributes['checkable'] === 'true')
  const [best] = findCandidates(control ?? expect.fail('no switch'), seen, buildView([seen]))
  expect(best).toMatchObject({
    source: 'label',
    selector: { class: 'android.widget.Switch', row: [{ part_equals: 'Light' }] },
  })
})

test('a dialog button is found by its text, otherwise by its place among the buttons of the same dialog', () => {
  const dialog = parseScreen(
    screen(
      node(
        { class: 'android.widget.FrameLayout', bounds: '[60,900][1020,1400]' },
        text('Sure?', { 'resource-id': 'android:id/alertTitle' }),
        button('Delete', { 'resource-id': 'android:id/button1', bounds: '[700,1300][1000,1380]' }),
        button('Cancel', { 'resource-id': 'android:id/button2', bounds: '[400,1300][690,1380]' }),
      ),
    ),
    '.Page',
  )
  const view = buildView([dialog])
  const candidates = findCandidates(find(dialog, hasText('Delete')), dialog, view)
  expect(candidates[0]?.selector).toMatchObject({
    resource_id: 'android:id/button1',
    text_equals: 'Delete',
  })
  expect(candidates.some(({ selector }) => selector.text_equals === undefined)).toBe(false)
  expect(selectFallbacks(find(dialog, hasText('Delete')), candidates, dialog, view)).toMatchObject([
    { page: { layout: ['button@82,88', 'button@51,88'], at: 0, floating: true, words: ['Sure?', 'Cancel'] } },
  ])
})

test('a fallback that matches on another screen is dropped', () => {
  const form = page(button('Save', id('save')), text('Form', id('form_title')))
  const other = parseScreen(
    screen(node({ class: 'android.widget.FrameLayout' }, button('Save', id('keep')), text('Else', id('x')))),
    '.Other',
  )
  const target = find(form, hasText('Save'))
  const alone = buildView([form])
  expect(selectFallbacks(target, findCandidates(target, form, alone), form, alone)).toMatchObject([
    { class: 'android.widget.Button', text_equals: 'Save' },
    { class: 'android.widget.Button', place: { x: 5, y: 5 } },
  ])
  const both = buildView([form, other])
  expect(selectFallbacks(target, findCandidates(target, form, both), form, both)).toEqual([])
})

test('a control is not found by the name of a person beside it', () => {
  const filter = node({ class: 'android.view.ViewGroup', clickable: 'true', bounds: '[900,100][1080,200]' })
  const header = (label: string) =>
    page(node({ bounds: '[0,100][1080,200]' }, text(label, { bounds: '[0,100][900,200]' }), filter))
  const describe = (label: string) => {
    const seen = header(label)
    const target = find(seen, (one) => one.attributes['clickable'] === 'true')
    return JSON.stringify(findCandidates(target, seen, buildView([seen])))
  }
  expect(describe('Show archived')).toContain('Show archived')
  expect(describe('Jonas Weber')).not.toContain('Jonas')
})
