import { expect, test } from 'vitest'
import { ExpectParams } from '@apprentice/contracts/devices/control-params.ts'
import { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { observeClaim } from '../../src/devices/engine/expectation.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import { formatPart, isPlaceTaken, readLayout } from '../../src/screen/page-layout.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from './tree-builder.ts'

const button = (label: string, bounds: string): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds })
const label = (words: string, top: number): Sketch => text(words, { bounds: `[40,${top}][1000,${top + 80}]` })

/** A page of a booking: a title, a state, and buttons below each other. */
const booking = (title: string, state: string, ...buttons: string[]): Hierarchy =>
  screen(
    node(
      {},
      label(title, 100),
      label(state, 240),
      label('A5, A6', 380),
      ...buttons.map((words, at) => button(words, `[40,${600 + at * 160}][1000,${720 + at * 160}]`)),
    ),
  )

const open = booking('Booking', 'Confirmed', 'Add snacks', 'Cancel booking')
const cancelled = booking('Booking', 'Cancelled', 'Add snacks')
const offen = booking('Buchung', 'Bestätigt', 'Snacks dazu', 'Buchung stornieren')
const storniert = booking('Buchung', 'Storniert', 'Snacks dazu')

const sketch = (tree: Hierarchy, words: string) => {
  const target = tree.nodes.find((one) => one.attributes['text'] === words) ?? expect.fail(`no ${words}`)
  const parts = readLayout(target, { texts: true })
  return { layout: parts.map(formatPart), texts: true, at: parts.findIndex((part) => part.node === target) }
}
const claim = (change: 'added' | 'changed', words = 'Cancelled') =>
  ExpectParams.parse({
    matcher: { class: 'android.widget.TextView', textEquals: words },
    otherLanguage: { matcher: { class: 'android.widget.TextView', page: sketch(cancelled, 'Cancelled') }, change },
  })
const holds = (now: Hierarchy, change: 'added' | 'changed', earlier: Hierarchy[], language: 'same' | 'foreign') =>
  observeClaim(now, claim(change), { earlier, language }).holds

test('in another language a label that the work adds or changes must do so at its place', () => {
  expect(holds(storniert, 'changed', [offen], 'foreign')).toBe(true)
  expect(holds(offen, 'changed', [offen], 'foreign')).toBe(false)
  expect(holds(storniert, 'added', [settings('Einstellungen', 'Netzwerk', 'Anzeige', 'Ton')], 'foreign')).toBe(true)
  expect(holds(storniert, 'added', [storniert], 'foreign')).toBe(false)
  // Before any touch nothing can have changed.
  expect(holds(storniert, 'added', [], 'foreign')).toBe(false)
})

test('in the language of the demonstration only the words count', () => {
  expect(holds(storniert, 'changed', [offen], 'same')).toBe(false)
  expect(holds(cancelled, 'changed', [open], 'same')).toBe(true)
})

const settings = (...names: string[]): Hierarchy =>
  screen(
    node(
      {},
      label(names[0] ?? '', 100),
      node(
        { class: 'android.widget.ListView', scrollable: 'true', bounds: '[0,300][1080,2000]' },
        ...names.slice(1).map((words, at) =>
          node(
            {
              class: 'android.widget.LinearLayout',
              clickable: 'true',
              bounds: `[0,${300 + at * 200}][1080,${500 + at * 200}]`,
            },
            text(words, { bounds: `[40,${330 + at * 200}][900,${400 + at * 200}]` }),
          ),
        ),
      ),
    ),
  )
const find = (tree: Hierarchy, matcher: object): string => {
  const found = resolveTarget(tree, { matcher: NodeMatcher.parse(matcher), strict: true })
  return found.kind === 'found' ? (found.node.children[0]?.attributes['text'] ?? '') : found.kind
}

test('a row of a page is found by its place only on a page in another language', () => {
  const row = { class: 'android.widget.LinearLayout', clickable: true }
  const matcher = {
    ...row,
    containing: { partEquals: 'Display' },
    fallbacks: [{ ...row, member: { at: 1, of: 3 }, foreignTo: ['Settings', 'Network', 'Display', 'Sound'] }],
  }
  expect(find(settings('Settings', 'Network', 'Display', 'Sound'), matcher)).toBe('Display')
  expect(find(settings('Einstellungen', 'Netzwerk', 'Anzeige', 'Ton'), matcher)).toBe('Anzeige')
  expect(find(settings('Settings', 'Network', 'Screen', 'Sound'), matcher)).toBe('missing')
  expect(find(settings('Einstellungen', 'Netzwerk', 'Konto', 'Anzeige', 'Ton'), matcher)).toBe('missing')
})

test('an option is found by its place among as many in another language', () => {
  const row = { class: 'android.widget.LinearLayout', clickable: true }
  const of = ['Voucher', 'Credit card', 'Cash']
  const choose = (value: string) => ({
    ...row,
    containing: { partEquals: value },
    fallbacks: [{ class: row.class, option: { value, of }, foreignTo: ['Refund to', ...of] }],
  })
  const german = settings('Erstattung', 'Gutschein', 'Kreditkarte', 'Bar')
  expect(find(german, choose('Credit card'))).toBe('Kreditkarte')
  expect(find(german, choose('Cheque'))).toBe('missing')
  expect(find(settings('Refund to', 'Voucher', 'Bank card', 'Cash'), choose('Credit card'))).toBe('missing')
})

test('of more or fewer options the one with the number of the wanted one is found', () => {
  const row = { class: 'android.widget.LinearLayout', clickable: true }
  const of = ['30 min', '1 hour', '1.5 hours', '2 hours']
  const choose = (value: string) => ({
    ...row,
    containing: { partEquals: value },
    fallbacks: [{ class: row.class, option: { value, of }, foreignTo: ['How long?', ...of] }],
  })
  const italian = settings('Per quanto tempo?', '30 minuti', '1 ora', '1,5 ore', '2 ore', '3 ore')
  expect(find(italian, choose('2 hours'))).toBe('2 ore')
  expect(find(italian, choose('1.5 hours'))).toBe('1,5 ore')
  expect(find(italian, choose('3 hours'))).toBe('3 ore')
  expect(find(italian, choose('4 hours'))).toBe('missing')
  const twice = settings('Per quanto tempo?', '2 ore', '2 giorni', '3 ore')
  expect(find(twice, choose('2 hours'))).toBe('missing')
})

test('a control that is gone leaves its place free', () => {
  const cancel = open.nodes.find((one) => one.attributes['text'] === 'Cancel booking') ?? expect.fail('no button')
  expect(isPlaceTaken(cancel, offen.roots[0] ?? expect.fail('no page'))).toBe(true)
  expect(isPlaceTaken(cancel, cancelled.roots[0] ?? expect.fail('no page'))).toBe(false)
})

/** A menu of rows with a label each. */
const menu = (...rows: string[]): Hierarchy =>
  screen(
    node(
      { bounds: '[500,300][1080,1000]' },
      ...rows.map((words, at) => button(words, `[500,${300 + at * 120}][1080,${420 + at * 120}]`)),
    ),
  )
const menuTarget = (tree: Hierarchy, words: string, more: object) => {
  const { at, layout } = sketch(tree, words)
  return {
    textEquals: words,
    fallbacks: [{ class: 'android.widget.Button', page: { layout, at, floating: true }, ...more }],
  }
}
const press = (tree: Hierarchy, matcher: object): string => {
  const found = resolveTarget(tree, { matcher: NodeMatcher.parse(matcher), strict: true })
  return found.kind === 'found' ? (found.node.attributes['text'] ?? '') : found.kind
}

test('a control that may mean the opposite is found at its place if it says the same action', () => {
  const pin = menuTarget(menu('Share', 'Pin', 'Archive'), 'Pin', { means: ['pin'] })
  expect(press(menu('Teilen', 'Anheften', 'Archivieren'), pin)).toBe('Anheften')
  expect(press(menu('共有', 'ピン留め', 'アーカイブ'), pin)).toBe('ピン留め')
  expect(press(menu('Teilen', 'Nicht mehr anheften', 'Archivieren'), pin)).toBe('missing')
  expect(press(menu('Teilen', 'Archivieren', 'Anheften'), pin)).toBe('missing')
})

test('a control that removes something is not found by its place alone', () => {
  const rename = menuTarget(menu('Share', 'Due date', 'Archive'), 'Due date', {})
  expect(press(menu('Teilen', 'Fällig am', 'Archivieren'), rename)).toBe('Fällig am')
  expect(press(menu('Teilen', 'Löschen', 'Archivieren'), rename)).toBe('missing')
})

test('a row under another label is found between the rows beside it', () => {
  const row = { class: 'android.widget.LinearLayout', clickable: true }
  const matcher = {
    ...row,
    containing: { partEquals: 'Screen timeout' },
    fallbacks: [{ ...row, between: { after: 'Lock screen', before: 'Dark theme' } }],
  }
  expect(find(settings('Display', 'Lock screen', 'Auto screen off', 'Dark theme'), matcher)).toBe('Auto screen off')
  expect(find(settings('Display', 'Lock screen', 'Dark theme', 'Colours'), matcher)).toBe('missing')
  expect(find(settings('Display', 'Lock screen', 'Delete all', 'Dark theme'), matcher)).toBe('missing')
})
