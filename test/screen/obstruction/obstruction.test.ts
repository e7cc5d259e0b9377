import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findObstruction } from '../../../src/screen/obstruction/obstruction.ts'
import { AGREE_PHRASES } from '../../../src/screen/words/agree.ts'
import { DISMISS_PHRASES } from '../../../src/screen/words/dismiss.ts'
import { type Sketch, node, screen, text } from '../tree-builder.ts'

const APP = new Set(['com.example'])
const at = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const button = (label: string, more: Readonly<Record<string, string>> = {}) =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', ...at(100, 1300, 980, 1400), ...more })
const icon = (more: Readonly<Record<string, string>>) =>
  node({ class: 'android.widget.ImageView', clickable: 'true', ...at(900, 820, 1000, 900), ...more })
const dialog = (...children: readonly Sketch[]) => node(at(60, 800, 1020, 1500), ...children)
const question = (words: string) => text(words, at(100, 900, 980, 1000))
const rows = ['Milk', 'Bread', 'Eggs', 'Tea', 'Salt'].map((label, index) =>
  node(
    { clickable: 'true', ...at(0, 200 + index * 200, 1080, 400 + index * 200) },
    text(label, at(40, 240 + index * 200, 600, 300 + index * 200)),
  ),
)
const list = node({ class: 'androidx.recyclerview.widget.RecyclerView', ...at(0, 200, 1080, 2200) }, ...rows)
const find = (...roots: readonly Sketch[]) => findObstruction(screen(...roots), APP)
const labelled = (found: ReturnType<typeof find>) =>
  found?.control && (found.control.attributes['text'] || found.control.attributes['content-desc'])

test.each([
  [[button('Rate now'), button('Not now')], 'Not now'],
  [[button('Bewerten'), button('Später')], 'Später'],
  [[button('Abonnieren'), icon({ 'content-desc': 'Schließen' })], 'Schließen'],
  [[button('Update'), button('✕')], '✕'],
  [[button('許可'), button('許可しない')], '許可しない'],
  [[button('Yes'), button('No')], undefined],
  [[button('OK')], undefined],
  [[button('Discard'), button('Save')], undefined],
  [[button('Close account'), button('Keep it')], undefined],
  [[button('Later', { enabled: 'false' }), button('Now')], undefined],
])('of the buttons %# only one that dismisses is chosen', (buttons, expected) => {
  const found = find(dialog(question('Something to decide'), ...buttons))
  expect(found).toMatchObject({ kind: 'dialog', closesOnBack: true })
  expect(labelled(found)).toBe(expected)
})

test('a word that the dialog asks about is not used to dismiss it', () => {
  const asked = dialog(question('Cancel this order?'), button('Cancel'), button('Keep'))
  expect(find(asked)?.control).toBeUndefined()
  expect(labelled(find(dialog(question('Join the club?'), button('Cancel'), button('Join'))))).toBe('Cancel')
  const skipping = dialog(question('그래도 건너뛰시겠어요?'), button('건너뛰기'), button('계속'))
  expect(find(skipping)?.control).toBeUndefined()
})

test('an icon without words is recognised by its id, unless it closes something a person owns', () => {
  const named = (id: string) => icon({ 'resource-id': `com.example:id/${id}` })
  const control = (id: string) => find(dialog(question('News for you'), named(id), button('Read')))?.control
  for (const id of ['btnClose', 'close', 'iv_dismiss', 'skip_button']) expect(control(id)).toBeDefined()
  for (const id of ['disclose', 'close_account', 'submit', 'closet']) expect(control(id)).toBeUndefined()
})

test('a permission request is denied by its id in any language', () => {
  const name = { package: 'com.google.android.permissioncontroller' }
  const deny = 'com.android.permissioncontroller:id/permission_deny_button'
  const allow = 'com.android.permissioncontroller:id/permission_allow_button'
  const root = node(
    { ...at(60, 800, 1020, 1500), ...name },
    text('Povolit aplikaci fotit?', { ...at(100, 900, 980, 1000), ...name }),
    button('Povolit', { ...name, 'resource-id': allow }),
    button('Nepovolovat', { ...name, 'resource-id': deny }),
  )
  expect(find(root)).toMatchObject({ kind: 'permission' })
  expect(labelled(find(root))).toBe('Nepovolovat')
})

test.each([
  ['progress', [question('Saving'), node({ class: 'android.widget.ProgressBar' }), button('Cancel')]],
  ['a loading text', [question('Please wait'), button('Cancel')]],
  ['an unfinished action', [question('Sending…'), button('Cancel')]],
  ['a field', [question('Name'), node({ class: 'android.widget.EditText' }), button('Cancel'), button('Save')]],
  ['many choices', [question('Sort by'), ...['A', 'B', 'C', 'D', 'Cancel'].map((label) => button(label))]],
])('a dialog with %s belongs to what is happening', (_name, children) => {
  expect(find(dialog(...children))).toBeUndefined()
})

test('a sheet with a scrim is an obstruction, an ordinary screen is not', () => {
  const scrim = node({ clickable: 'true', ...at(0, 0, 1080, 2200) })
  const sheet = node(
    at(0, 1500, 1080, 2200),
    text('Turn on reminders?', at(40, 1550, 1000, 1600)),
    button('Turn on', at(40, 1700, 1000, 1800)),
    button('Not now', at(40, 1850, 1000, 1950)),
  )
  const found = find(node({}, list, scrim, sheet))
  expect(found).toMatchObject({ kind: 'sheet', closesOnBack: true })
  expect(labelled(found)).toBe('Not now')
  expect(found?.outside?.y).toBeLessThan(1500)
  expect(find(node({}, list))).toBeUndefined()
})

test('a sheet as Flutter draws it, with the scrim after it, is found', () => {
  const sheet = node(
    at(0, 0, 1080, 2200),
    node({ 'content-desc': 'Try the new editor', ...at(40, 1550, 1000, 1600) }),
    node({ 'content-desc': 'Try it', clickable: 'true', ...at(40, 1700, 500, 1800) }),
    node({ 'content-desc': 'Maybe later', clickable: 'true', ...at(540, 1700, 1000, 1800) }),
  )
  const scrim = node({ 'content-desc': 'Scrim', clickable: 'true', ...at(0, 0, 1080, 1500) })
  const found = find(node({}, node({}, sheet, node({}, scrim))))
  expect(found).toMatchObject({ kind: 'sheet' })
  expect(labelled(found)).toBe('Maybe later')
})

test('a camera or map that takes touches is not a scrim', () => {
  const preview = node({ clickable: 'true', ...at(0, 0, 1080, 2200) })
  const bar = node(
    at(0, 1900, 1080, 2200),
    text('Photo mode', at(0, 1900, 500, 2000)),
    button('Shutter', at(500, 1900, 600, 2000)),
  )
  expect(find(node({}, preview, bar))).toBeUndefined()
})

test('a consent banner over the content is left only by its own control', () => {
  const banner = (...buttons: readonly Sketch[]) =>
    node(at(0, 1800, 1080, 2200), text('We use cookies to improve this site', at(40, 1820, 1000, 1900)), ...buttons)
  const accept = button('Accept all', at(40, 2000, 500, 2100))
  const found = find(node({}, list, banner(accept, button('Reject all', at(540, 2000, 1000, 2100)))))
  expect(found).toMatchObject({ kind: 'banner', closesOnBack: false })
  expect(labelled(found)).toBe('Reject all')
  expect(find(node({}, list, banner(accept)))).toBeUndefined()
})

test('a full-screen offer is left by its close icon, a screen of the app is not', () => {
  const close = icon({ 'content-desc': 'Close', ...at(20, 100, 120, 200) })
  const offer = node({}, close, text('Go premium', at(0, 500, 1080, 600)), button('Start free trial'))
  expect(find(offer)).toMatchObject({ kind: 'promotion', closesOnBack: false })
  const detail = node({}, close, text('Milk', at(0, 500, 1080, 600)), button('Details'))
  expect(find(detail)).toBeUndefined()
  const form = node({}, close, node({ class: 'android.widget.EditText' }), button('Save'))
  expect(find(form)).toBeUndefined()
})

test('a keyboard is recognised by the shortened content of a focused field, or by its window', () => {
  const field = node({ class: 'android.widget.EditText', focused: 'true', ...at(0, 200, 1080, 300) })
  const content = (bottom: number) => node({ 'resource-id': 'android:id/content', ...at(0, 0, 1080, bottom) }, field)
  expect(find(node({}, content(1400)))).toMatchObject({ kind: 'keyboard', closesOnBack: true })
  expect(find(node({}, content(2150)))).toBeUndefined()
  const keys = node({ package: 'com.google.android.inputmethod.latin', ...at(0, 1400, 1080, 2200) })
  expect(find(node({}, list), keys)).toMatchObject({ kind: 'keyboard' })
})

test('windows of system apps are obstructions, windows of other apps are not', () => {
  const shade = { package: 'com.android.systemui' }
  const clear = button('Clear', shade)
  const open = node(shade, text('Notifications', shade), clear)
  expect(find(open)).toMatchObject({ kind: 'system', closesOnBack: true })
  expect(find(node(shade, clear))).toBeUndefined()
  expect(find(dialog(question('Copied')))).toBeUndefined()
  const other = { package: 'com.other' }
  expect(find(node(other, text('Inbox', other)))).toBeUndefined()
  const bar = node({ ...shade, ...at(0, 0, 1080, 72) }, text('12:00', { ...shade, ...at(0, 0, 200, 72) }))
  expect(find(node({}, list), bar)).toBeUndefined()
})

const listPhrases = (table: Readonly<Record<string, string>>) =>
  Object.values(table).flatMap((phrases) => phrases.split(',').map((phrase) => phrase.trim()))

test('whatever the buttons say, none that agrees is chosen', () => {
  const agreeing = fc.constantFrom(...listPhrases(AGREE_PHRASES))
  const dismissing = fc.constantFrom(...listPhrases(DISMISS_PHRASES))
  const mixed = fc.tuple(dismissing, agreeing).map((words) => words.join(' '))
  const labels = fc.array(fc.oneof(agreeing, dismissing, mixed, fc.string({ maxLength: 12 })), { maxLength: 4 })
  const dismissals = new Set(listPhrases(DISMISS_PHRASES))
  fc.assert(
    fc.property(labels, (given) => {
      const found = find(dialog(question('Good morning'), ...given.map((label) => button(label))))
      const label = labelled(found)
      const isHarmless = label === undefined || dismissals.has(label) || /^[x×✕]$/i.test(label.trim())
      expect({ label, isHarmless }).toEqual({ label, isHarmless: true })
    }),
  )
})
