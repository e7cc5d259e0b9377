import { expect, test } from 'vitest'
import { compareLanguage, comparePageWords, findOnPage, formatPart, readLayout } from '../../src/screen/page-layout.ts'
import { findsTargetIn } from '../../src/devices/engine/workflow-targets.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import type { Hierarchy, UiNode } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from './tree-builder.ts'

const button = (label: string, bounds: string, more: Readonly<Record<string, string>> = {}): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds, ...more })
/** Flutter: all nodes are views with a description. */
const icon = (label: string, bounds: string, more: Readonly<Record<string, string>> = {}): Sketch =>
  node({ 'content-desc': label, clickable: 'true', bounds, ...more })

const first = ({ roots }: Hierarchy): UiNode => roots[0] ?? expect.fail('no root')
const find = ({ nodes }: Hierarchy, label: string): UiNode =>
  nodes.find((one) => one.attributes['text'] === label || one.attributes['content-desc'] === label) ??
  expect.fail(`no ${label}`)

function sketch(tree: Hierarchy, target: string, words: readonly string[] = [], title?: string) {
  const parts = readLayout(first(tree))
  const isFloating = (first(tree).bounds?.left ?? 0) > 0
  return {
    layout: parts.map(formatPart),
    at: parts.findIndex((part) => part.node === find(tree, target)),
    ...(isFloating && { floating: true }),
    words: [...words],
    ...(title !== undefined && { title }),
  }
}

const dialog = (title: string, ...labels: readonly string[]): Hierarchy =>
  screen(
    node(
      { class: 'android.widget.FrameLayout', bounds: '[60,900][1020,1400]' },
      text(title, { bounds: '[100,940][980,1000]' }),
      ...labels.map((label, at) => button(label, `[${500 + at * 200},1280][${680 + at * 200},1360]`)),
    ),
  )
const bar = (
  title: string,
  labels: readonly string[],
  chosen = -1,
  tabs: readonly string[] = ['Home', 'Lists', 'More'],
): Hierarchy =>
  screen(
    node(
      { class: 'android.widget.FrameLayout' },
      text(title, { bounds: '[40,80][500,160]' }),
      ...labels.map((label, at) => icon(label, `[${600 + at * 150},80][${720 + at * 150},180]`)),
      node(
        { class: 'com.google.android.material.bottomnavigation.BottomNavigationView', bounds: '[0,2000][1080,2200]' },
        ...tabs.map((label, at) =>
          icon(label, `[${at * 360},2000][${at * 360 + 360},2200]`, at === chosen ? { selected: 'true' } : {}),
        ),
      ),
    ),
  )

test('a control is found by its place among the controls of its page', () => {
  const page = sketch(bar('Notes', ['Search', 'Sort', 'Add']), 'Sort')
  const now = bar('Notizen', ['Suchen', 'Sortieren', 'Neu'])
  expect(findOnPage(first(now), page)).toBe(find(now, 'Sortieren'))
  expect(page.layout).toContain('text@75,6')
})

test('a page with another control beside the target, or with another tab chosen, is not the same', () => {
  const page = sketch(bar('Notes', ['Search', 'Sort'], 0), 'Sort')
  expect(findOnPage(first(bar('Notes', ['Search', 'Order'], 0)), page)).toBeDefined()
  expect(findOnPage(first(bar('Notes', ['Search', 'Share', 'Order'], 0)), page)).toBeUndefined()
  expect(findOnPage(first(bar('Notes', ['Search', 'Order'], 2)), page)).toBeUndefined()
})

test('in a small window all controls must be there, in any language', () => {
  const page = sketch(dialog('Delete the note?', 'Cancel', 'Delete'), 'Delete', ['Delete the note?', 'Cancel'])
  const german = dialog('Notiz löschen?', 'Abbrechen', 'Löschen')
  expect(findOnPage(first(german), page)).toBe(find(german, 'Löschen'))
  expect(comparePageWords(first(german), page)).toBe('foreign')
  expect(findOnPage(first(dialog('Failed', 'OK')), page)).toBeUndefined()
  expect(findOnPage(first(bar('Notes', ['Search', 'Sort'])), page)).toBeUndefined()
})

test('words tell a renamed target from another page in the same language', () => {
  const page = sketch(bar('Notes', ['Search', 'Add note']), 'Add note', ['Search', 'Home', 'Lists', 'More'], 'Notes')
  const renamed = bar('Notes', ['Search', 'New note'])
  const other = bar('Cities', ['Search', 'Add city'])
  expect(comparePageWords(first(renamed), page)).toBe('same')
  expect(comparePageWords(first(other), page)).toBe('different')
  const matcher = { textEquals: 'Add note', fallbacks: [{ class: 'android.view.View', page }] }
  expect(resolveTarget(renamed, { matcher })).toMatchObject({
    kind: 'found',
    fallback: 1,
    votes: 2,
    page_words: 'same',
  })
  expect(resolveTarget(other, { matcher })).toMatchObject({ kind: 'missing' })
})

test('numbers in texts do not count', () => {
  const page = sketch(dialog('Delete 3 notes?', 'Cancel', 'Delete'), 'Delete', ['Delete 3 notes?', 'Cancel'])
  expect(comparePageWords(first(dialog('Delete 12 notes?', 'Cancel', 'Remove')), page)).toBe('same')
})

test('the language of a page is read from the texts of the app, not from rows of data', () => {
  const words = ['Search', 'Sort', 'Home', 'Lists', 'More', 'Notes']
  expect(compareLanguage(first(bar('Notes', ['Search', 'Sort'])), words)).toBe('same')
  const now = bar('Notizen', ['Suchen', 'Sortieren'], -1, ['Start', 'Listen', 'Mehr'])
  expect(compareLanguage(first(now), words)).toBe('foreign')
  expect(compareLanguage(first(dialog('Sure?', 'OK')), words)).toBeUndefined()
})

test('a page that is read from right to left is mirrored', () => {
  const tabs = (labels: readonly string[]): Hierarchy =>
    screen(
      node(
        { class: 'android.widget.FrameLayout', bounds: '[0,0][1080,2400]' },
        ...labels.map((label, at) => icon(label, `[${at * 360},2200][${at * 360 + 360},2400]`)),
      ),
    )
  const known = sketch(tabs(['Home', 'Search', 'Library']), 'Library', ['Home', 'Search'])
  expect(findOnPage(first(tabs(['Start', 'Suche', 'Bücherei'])), known)?.attributes['content-desc']).toBe('Bücherei')
  expect(findOnPage(first(tabs(['مكتبتك', 'بحث', 'الرئيسية'])), known)?.attributes['content-desc']).toBe('مكتبتك')
})

test('a window that only has the shape of an expected one does not belong to the workflow', () => {
  const expected = dialog('Accept this job?', 'Cancel', 'Accept')
  const matcher = {
    textEquals: 'Accept',
    fallbacks: [{ page: sketch(expected, 'Accept', ['Accept this job?', 'Cancel']) }],
  }
  const accept = { id: 'accept', type: 'click', params: { matcher } } as never
  const other = dialog('More in the centre', 'Stay here', 'Switch')
  const finds = (tree: Hierarchy, language: 'same' | 'foreign') =>
    findsTargetIn(tree, first(tree), { upcoming: [accept], language })
  expect(finds(expected, 'same')).toBe(true)
  expect(finds(other, 'same')).toBe(false)
  expect(finds(other, 'foreign')).toBe(true)
})

/** A question or an offer in the window of the page itself. Dumps may leave out the box around it. */
function withPanel(isBoxed: boolean, title: string, ...labels: readonly string[]): Hierarchy {
  const parts = [
    text(title, { bounds: '[100,940][980,1000]' }),
    ...labels.map((label, at) => button(label, `[${100 + at * 450},1280][${500 + at * 450},1360]`)),
  ]
  const content = [
    text('Status', { bounds: '[40,100][300,160]' }),
    text('Your message', { bounds: '[40,1000][600,1060]' }),
    button('Withdraw application', '[40,1160][600,1260]'),
  ]
  const scrim = node({ clickable: 'true', bounds: '[0,0][1080,2200]' })
  return screen(
    node(
      { class: 'android.webkit.WebView', bounds: '[0,0][1080,2200]' },
      ...(isBoxed ? [node({ bounds: '[0,0][1080,2200]' }, ...content)] : [...content, scrim]),
      ...(isBoxed ? [node({ bounds: '[60,900][1020,1400]' }, ...parts)] : parts),
    ),
  )
}

test.each([true, false])('an offer over a page is not the question that had its shape there, box %s', (isBoxed) => {
  const question = withPanel(isBoxed, 'Withdraw your application?', 'Keep it', 'Withdraw')
  // Most words are data of the page or of the question, so few of them are there again.
  const data = ['Sent', 'Two weeks', 'Part time']
  const words = ['Withdraw your application?', 'Keep it', ...data, 'Status', 'Withdraw application']
  const page = sketch(question, 'Withdraw', words)
  const offer = withPanel(isBoxed, 'Career tips every Monday', 'No thanks', 'Subscribe')
  expect(findOnPage(first(offer), page)).toBe(find(offer, 'Subscribe'))
  expect(comparePageWords(find(offer, 'Subscribe'), page)).toBe('different')
  const renamed = withPanel(isBoxed, 'Withdraw your application?', 'Keep it', 'Yes, withdraw')
  expect(comparePageWords(find(renamed, 'Yes, withdraw'), page)).toBe('same')
})

test('the layout may count what stands in rows of data, because the rows of a form look like data', () => {
  const row = (label: string, value: string, top: number): Sketch =>
    node(
      { clickable: 'true', bounds: `[0,${top}][1080,${top + 150}]` },
      text(label, { bounds: `[40,${top + 20}][500,${top + 80}]` }),
      text(value, { bounds: `[40,${top + 90}][500,${top + 140}]` }),
    )
  const form = screen(
    node(
      {},
      text('Reminder', { bounds: '[40,40][600,120]' }),
      button('Back', '[900,40][1040,120]'),
      row('Time', '08:00', 300),
      row('Repeat', 'Every day', 460),
      row('Sound', 'Bell', 620),
    ),
  )
  const time = find(form, 'Time').parent ?? expect.fail('no row')
  expect(readLayout(time).some((part) => part.node === time)).toBe(false)
  const parts = readLayout(time, { rows: true })
  const at = parts.findIndex((part) => part.node === time)
  expect(at).toBeGreaterThanOrEqual(0)
  expect(findOnPage(time, { layout: parts.map(formatPart), rows: true, at, words: [] })).toBe(time)
})

test('pages that say too little alone tell the language together', () => {
  const words = ['Settings', 'Navigate up', 'Network', 'Internet']
  const small = (title: string) =>
    first(screen(node({}, text(title, { bounds: '[40,40][600,120]' }), icon('Navigate up', '[900,40][1040,120]'))))
  const seen = new Map<string, boolean>()
  expect(compareLanguage(small('Einstellungen'), words, seen)).toBeUndefined()
  for (const title of ['Netzwerk', 'WLAN']) expect(compareLanguage(small(title), words, seen)).toBeUndefined()
  expect(compareLanguage(small('Verbindung'), words, seen)).toBe('foreign')
  const known = new Map<string, boolean>()
  for (const title of ['Settings', 'Network', 'Internet', 'Home']) {
    expect(compareLanguage(small(title), words, known)).not.toBe('foreign')
  }
})

test('a target outside what scrolls needs only the same frame around the content', () => {
  const report = (...lines: readonly string[]): Hierarchy =>
    screen(
      node(
        {},
        button('Back', '[20,40][160,140]'),
        text('Status', { bounds: '[800,40][1040,120]' }),
        button('Send', '[40,2000][1040,2150]'),
        node(
          { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,300][1080,1900]' },
          ...lines.map((line, at) => text(line, { bounds: `[40,${320 + at * 130}][700,${400 + at * 130}]` })),
        ),
      ),
    )
  const long = report('Train', 'Hotel', 'Dinner', 'Taxi', 'Parking', 'Fee')
  const parts = readLayout(first(long), { texts: true, rows: true }).filter(({ moves }) => !moves)
  const at = parts.findIndex((part) => part.node === find(long, 'Status'))
  const page = { layout: parts.map(formatPart), texts: true, rows: true, at }
  const longest = report('Train', 'Hotel', 'Dinner', 'Taxi', 'Parking', 'Fee', 'Lunch', 'Bus', 'Ferry')
  expect(findOnPage(first(longest), page)).toBe(find(longest, 'Status'))
  expect(findOnPage(first(bar('Notes', ['Search', 'Sort'])), page)).toBeUndefined()
})
