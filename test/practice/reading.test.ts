import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHierarchy } from '../../src/screen/hierarchy.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import { readScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'
import { affordancesOf } from '../../src/knowledge/goal-search/affordances.ts'
import { readGoal } from '../../src/knowledge/goal-search/goal.ts'
import { standingOf } from '../../src/knowledge/goal-search/goal-status.ts'

interface Row {
  readonly title: string
  readonly summary: string
  readonly control: 'none' | 'Switch' | 'CheckBox' | 'RadioButton'
  readonly checked: boolean
  readonly clickable: boolean
}

const flag = (name: string, value: boolean) => `${name}="${value}"`
const node = (type: string, attributes: string, inner = '') =>
  `<node index="0" text="" resource-id="" content-desc="" package="p" class="android.widget.${type}" enabled="true" ${attributes}>${inner}</node>`

function screenOf(rows: readonly Row[], title = 'Display'): Screen {
  const body = rows.map(({ title: words, summary, control, checked, clickable }, at) => {
    const top = 100 + at * 100
    const bounds = `bounds="[0,${top}][1000,${top + 90}]"`
    const texts = [words, summary]
      .filter((text) => text !== '')
      .map((text) => node('TextView', `${bounds} `).replace('text=""', `text="${text}"`))
    const box =
      control === 'none'
        ? ''
        : node(control, `checkable="true" ${flag('checked', checked)} ${bounds}`)
    return node('LinearLayout', `${flag('clickable', clickable)} ${bounds}`, texts.join('') + box)
  })
  const bar = node(
    'Toolbar',
    'bounds="[0,0][1000,90]"',
    node('TextView', 'bounds="[0,0][1000,90]"').replace('text=""', `text="${title}"`),
  )
  const xml = `<hierarchy rotation="0">${node('FrameLayout', 'bounds="[0,0][1000,2000]"', bar + body.join(''))}</hierarchy>`
  const read = parseHierarchy(xml)
  if (!read.ok) throw new Error(read.message)
  return readScreen(read.hierarchy, undefined)
}

const word = fc.constantFrom('Dark theme', 'Sound', 'Wi-Fi', 'Battery', 'Saver', 'On', 'Off', '')
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    title: word,
    summary: word,
    control: fc.constantFrom('none', 'none', 'Switch', 'CheckBox', 'RadioButton'),
    checked: fc.boolean(),
    clickable: fc.boolean(),
  }),
  { maxLength: 8 },
)

test('every way names one thing on its screen, once, and never a control', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const screen = screenOf(given)
      const ways = affordancesOf(screen)
      expect(new Set(ways.map(({ key }) => key)).size).toBe(ways.length)
      for (const { matcher } of ways) {
        const found = resolveTarget(screen.tree, { matcher, strict: true })
        expect(found.kind).toBe('found')
        if (found.kind !== 'found') continue
        expect(found.node.attributes['clickable']).toBe('true')
        expect(found.node.children.some((one) => one.attributes['checkable'] === 'true')).toBe(
          false,
        )
      }
      expect(affordancesOf(screenOf(given))).toEqual(ways)
    }),
  )
})

test('a switch counts as meant only where nothing else could be', () => {
  const goal = readGoal('turn on dark theme')
  if (!goal.clear) throw new Error('unclear')
  fc.assert(
    fc.property(rows, (given) => {
      const meant = given.filter(
        ({ control, title, summary }) =>
          (control === 'Switch' || control === 'CheckBox') &&
          (title === '' ? summary : title) === 'Dark theme',
      )
      const { state } = standingOf(goal.goal, { screen: screenOf(given), trail: [] })
      const [only] = meant
      if (meant.length !== 1 || only === undefined) expect(state).toBe('unseen')
      else expect(state).toBe(only.checked ? 'holds' : 'open')
    }),
  )
})
