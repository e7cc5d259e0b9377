import { expect, test } from 'vitest'
import { type GroupClass, analyzeStructure } from '../../../src/screen/structure/structure.ts'
import { type Sketch, node, text } from '../tree-builder.ts'
import { TOUCH, at, box, drawChips, drawTabs, findLabelled, show } from './toolkit-trees.ts'

function classify(label: string, page: Sketch): GroupClass | undefined {
  const visible = show(page)
  const structure = analyzeStructure(visible)
  const row = structure.findRow(findLabelled(visible, label))
  return row && structure.classify(row.group)
}

const button = (label: string, place: Readonly<Record<string, string>>) =>
  node({ class: 'android.widget.Button', text: label, ...TOUCH, ...place })

test('a bar at the lower edge is navigation, the chosen tab included', () => {
  const page = box({}, drawTabs('Search'))
  expect(classify('Inbox', page)).toBe('navigation')
  expect(classify('Search', page)).toBe('navigation')
})

test('tabs that count themselves are navigation wherever they are, in any language', () => {
  const tabs = ['首页', '进度', '设置'].map((name, index) =>
    node({
      'content-desc': `${name}\n第 ${index + 1} 个标签，共 3 个`,
      ...TOUCH,
      ...at(index * 360, 1200, (index + 1) * 360, 1400),
    }),
  )
  expect(classify('首页\n第 1 个标签，共 3 个', box({}, ...tabs))).toBe('navigation')
})

test('tabs that count themselves from the right are navigation too', () => {
  const tabs = [3, 2, 1].map((number, index) =>
    node({ 'content-desc': `صفحة\n${number} من 3`, ...TOUCH, ...at(index * 360, 1200, (index + 1) * 360, 1400) }),
  )
  expect(classify('صفحة\n1 من 3', box({}, ...tabs))).toBe('navigation')
})

test('a bar of buttons with prices or beside a text field is no navigation', () => {
  const prices = [8, 9, 10].map((price, index) =>
    button(`S/ ${price}`, at(20 + index * 350, 2000, 340 + index * 350, 2140)),
  )
  expect(classify('S/ 9', box({}, box(at(0, 2000, 1080, 2140), ...prices)))).toBe('furniture')
  const tools = ['Attach', 'Record', 'Send'].map((name, index) =>
    node({ 'content-desc': name, ...TOUCH, ...at(20 + index * 350, 2000, 160 + index * 350, 2140) }),
  )
  const field = node({ class: 'android.widget.EditText', ...TOUCH, ...at(170, 2000, 360, 2140) })
  expect(classify('Send', box({}, box(at(0, 2000, 1080, 2140), ...tools, field)))).not.toBe('navigation')
})

test('a tab with a badge belongs to the bar', () => {
  const tabs = ['Explore', 'Saved', 'Search', 'Activity'].map((name, index) => {
    const [left, right] = [index * 270, (index + 1) * 270]
    const caption = text(name, at(left + 20, 2120, right - 20, 2180))
    const badge = [
      node({ class: 'android.widget.ImageView', 'content-desc': 'New', ...at(left + 150, 2050, left + 190, 2090) }),
      text('3', at(left + 150, 2050, left + 190, 2090)),
      text('new', at(left + 150, 2091, left + 190, 2110)),
    ]
    return node({ ...TOUCH, ...at(left, 2040, right, 2200) }, ...(index === 1 ? badge : []), caption)
  })
  const visible = show(box({}, box(at(0, 2040, 1080, 2200), ...tabs)))
  expect(analyzeStructure(visible).groups.map(({ members }) => members.length)).toEqual([4])
})

test('icons scattered over a page are furniture', () => {
  const icons = ['Close', 'Shuffle', 'Previous', 'Next', 'Repeat'].map((name, index) => {
    const [left, top] = [40 + (index % 3) * 330, 300 + Math.floor(index / 3) * 500]
    return node(
      { ...TOUCH, ...at(left, top, left + 110, top + 110) },
      node({ 'content-desc': name, ...at(left + 20, top + 20, left + 90, top + 90) }),
    )
  })
  expect(classify('Next', box({}, ...icons))).toBe('furniture')
})

test('a line of cells resolves to the cells', () => {
  const lines = [0, 1].map((line) =>
    box(
      at(0, 300 + line * 300, 1080, 590 + line * 300),
      ...['Cars', 'Homes', 'Jobs'].map((name, index) =>
        box(
          { ...TOUCH, ...at(index * 360, 300 + line * 300, (index + 1) * 360, 590 + line * 300) },
          text(`${name} ${line}`, at(index * 360 + 20, 500 + line * 300, index * 360 + 300, 560 + line * 300)),
        ),
      ),
    ),
  )
  const visible = show(box({ scrollable: 'true' }, ...lines))
  const row = analyzeStructure(visible).findRow(findLabelled(visible, 'Homes 1'))
  expect(row?.group.members).toHaveLength(3)
})

test('tabs at the top with one chosen are navigation', () => {
  const tabs = ['Played', 'Wanted', 'Best'].map((name, index) =>
    node(
      { ...TOUCH, selected: `${index === 1}`, ...at(index * 360, 220, (index + 1) * 360, 340) },
      text(name, at(index * 360 + 40, 240, index * 360 + 300, 320)),
    ),
  )
  expect(classify('Played', box({}, box(at(0, 220, 1080, 340), ...tabs)))).toBe('navigation')
})

test('options that can be checked are a choice, also in a form of several such parts', () => {
  const part = (top: number, title: string, names: readonly string[]) =>
    box(
      at(40, top, 1040, top + 300),
      text(title, at(40, top, 600, top + 60)),
      box(
        at(40, top + 100, 1040, top + 220),
        ...names.map((name, index) =>
          node(
            {
              checkable: 'true',
              checked: `${index === 0}`,
              ...TOUCH,
              ...at(40 + index * 500, top + 100, 520 + index * 500, top + 220),
            },
            text(name, at(60 + index * 500, top + 120, 400 + index * 500, top + 200)),
            node({
              class: 'android.widget.RadioButton',
              ...at(40 + index * 500, top + 100, 520 + index * 500, top + 220),
            }),
          ),
        ),
      ),
    )
  const page = box(
    { scrollable: 'true' },
    part(200, 'Mode', ['Standard', 'Sport']),
    part(600, 'Speed', ['Slow', 'Fast']),
    part(1000, 'Lane', ['Left', 'Right']),
  )
  const visible = show(page)
  const structure = analyzeStructure(visible)
  const row = structure.findRow(findLabelled(visible, 'Fast'))
  expect(row?.group.members).toHaveLength(2)
  expect(row && structure.classify(row.group)).toBe('choice')
})

test('a strip of chips is a choice', () => {
  expect(classify('Family', box({}, drawChips(['All', 'Family', 'Work'], 4)))).toBe('choice')
})

test('cards in a strip are data', () => {
  const cards = ['Rome', 'Oslo', 'Lima'].map((name, index) =>
    box(
      { ...TOUCH, ...at(40 + index * 340, 300, 360 + index * 340, 800) },
      text(name, at(60 + index * 340, 600, 300 + index * 340, 660)),
      text('from 99', at(60 + index * 340, 700, 300 + index * 340, 760)),
    ),
  )
  expect(classify('Oslo', box({}, box({ scrollable: 'true', ...at(0, 290, 1080, 810) }, ...cards)))).toBe('data')
})

test('a grid of named icons that scrolls is data', () => {
  const icons = ['Camera', 'Clock', 'Files', 'Maps', 'Music', 'Notes'].map((name, index) => {
    const [left, top] = [(index % 3) * 360, 300 + Math.floor(index / 3) * 400]
    return text(name, { ...TOUCH, 'long-clickable': 'true', ...at(left, top, left + 360, top + 390) })
  })
  const list = { class: 'androidx.recyclerview.widget.RecyclerView', ...at(0, 300, 1080, 1500) }
  expect(classify('Maps', box({}, node(list, ...icons)))).toBe('data')
})

test('a key pad is furniture', () => {
  const keys = Array.from({ length: 9 }, (_, index) => {
    const [left, top] = [(index % 3) * 360, 1200 + Math.floor(index / 3) * 200]
    return box(
      { ...TOUCH, ...at(left, top, left + 350, top + 190) },
      text(`${index + 1}`, at(left + 100, top, left + 200, top + 190)),
    )
  })
  expect(classify('5', box({}, ...keys))).toBe('furniture')
})

test('buttons below each other and fields are furniture', () => {
  const page = box(
    {},
    node({ class: 'android.widget.EditText', hint: 'E-mail', text: 'ada@b.org', ...TOUCH, ...at(40, 300, 1040, 420) }),
    node({ class: 'android.widget.EditText', hint: 'Name', text: 'Ada', ...TOUCH, ...at(40, 440, 1040, 560) }),
    button('Sign in', at(40, 700, 1040, 820)),
    button('Register', at(40, 840, 1040, 960)),
  )
  expect(classify('ada@b.org', page)).toBe('furniture')
  expect(classify('Register', page)).toBe('furniture')
})

test('a column of small controls beside a page that scrolls is furniture', () => {
  const controls = ['Like', 'Share', 'Save'].map((name, index) =>
    node({ 'content-desc': name, ...TOUCH, ...at(900, 1000 + index * 200, 1060, 1160 + index * 200) }),
  )
  expect(classify('Share', box({ scrollable: 'true' }, ...controls))).toBe('furniture')
})

test('nodes without words are no data', () => {
  const pictures = [0, 1, 2].map((index) =>
    node({ class: 'android.widget.ImageView', ...TOUCH, ...at(40 + index * 340, 300, 360 + index * 340, 700) }),
  )
  const structure = analyzeStructure(show(box({}, box({ scrollable: 'true', ...at(0, 290, 1080, 710) }, ...pictures))))
  expect(structure.groups.map((group) => structure.classify(group))).toEqual(['furniture'])
})

test('wheels of a picker are no rows', () => {
  const wheels = [0, 1, 2].map((index) =>
    node(
      {
        class: 'android.widget.ScrollView',
        scrollable: 'true',
        ...at(100 + index * 300, 1000, 380 + index * 300, 1400),
      },
      ...['04', '05', '06'].map((value, line) =>
        text(value, at(100 + index * 300, 1000 + line * 130, 380 + index * 300, 1120 + line * 130)),
      ),
    ),
  )
  const structure = analyzeStructure(show(box({}, ...wheels)))
  expect(structure.rows.filter(({ group }) => structure.classify(group) === 'data')).toEqual([])
})

test('a button in the top bar does not join the bar at the lower edge', () => {
  const tab = (name: string, left: number, top: number) =>
    node(
      { ...TOUCH, ...at(left, top, left + 360, top + 160) },
      text(name, at(left + 40, top + 40, left + 300, top + 120)),
    )
  const page = box(
    {},
    tab('Settings', 720, 80),
    text('Good morning', at(40, 300, 900, 400)),
    tab('Home', 0, 2040),
    tab('Search', 360, 2040),
    tab('Library', 720, 2040),
  )
  expect(classify('Library', page)).toBe('navigation')
})

test('rows with a marked button inside are rows of data', () => {
  const rows = ['Ferris Wheel', 'Half a Lemon', 'Hush'].map((song, index) => {
    const top = 400 + index * 180
    return node(
      { ...TOUCH, ...at(0, top, 1080, top + 168) },
      text(song, at(48, top + 20, 600, top + 80)),
      text('Sunday Static', at(48, top + 90, 600, top + 140)),
      node(
        { ...TOUCH, ...at(900, top + 20, 1032, top + 150) },
        node({ 'content-desc': 'More options', ...at(900, top + 20, 1032, top + 150) }),
        node({ class: 'android.widget.Button', ...at(900, top + 20, 1032, top + 150) }),
      ),
    )
  })
  expect(classify('Half a Lemon', box({}, node(at(0, 400, 1080, 2000), ...rows)))).toBe('data')
})

test('a round button above the bar at the lower edge does not join it', () => {
  const control = (name: string, place: Readonly<Record<string, string>>) =>
    node({ ...TOUCH, ...place }, text(name, place))
  const page = box(
    {},
    text('Good morning', at(40, 300, 900, 400)),
    control('New note', at(640, 1812, 1032, 1962)),
    control('Home', at(0, 2040, 360, 2200)),
    control('Search', at(360, 2040, 720, 2200)),
    control('Library', at(720, 2040, 1080, 2200)),
  )
  expect(classify('Library', page)).toBe('navigation')
})

test('a chosen day above the buttons of a window does not join them', () => {
  const control = (name: string, place: Readonly<Record<string, string>>) =>
    node({ ...TOUCH, ...place }, text(name, place), node({ class: 'android.widget.Button', ...place }))
  const page = box(
    {},
    control('12', at(600, 996, 720, 1116)),
    control('Cancel', at(600, 1518, 816, 1644)),
    control('OK', at(840, 1518, 960, 1644)),
  )
  const structure = analyzeStructure(show(page))
  expect(structure.groups.map(({ members }) => members.length)).toEqual([2])
})
