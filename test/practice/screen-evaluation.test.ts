import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import { parseScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'
import { listAffordances } from '../../src/knowledge/goal-search/affordances.ts'
import { evaluateSubGoal } from '../../src/knowledge/goal-search/evaluate-goal.ts'
import { readSubGoal } from './sub-goal.ts'

interface Row {
  readonly title: string
  readonly summary: string
  readonly control: 'none' | 'Switch' | 'CheckBox' | 'RadioButton'
  readonly checked: boolean
  readonly clickable: boolean
}

const formatFlag = (name: string, value: boolean) => `${name}="${value}"`
const formatNode = (type: string, attributes: string, inner = '') =>
  `<node index="0" text="" resource-id="" content-desc="" package="p" class="android.widget.${type}" enabled="true" ${attributes}>${inner}</node>`

function buildScreen(rowLists: readonly Row[], title = 'Display'): Screen {
  const body = rowLists.map(({ title: name, summary, control, checked, clickable }, at) => {
    const top = 100 + at * 100
    const bounds = `bounds="[0,${top}][1000,${top + 90}]"`
    const texts = [name, summary]
      .filter((text) => text !== '')
      .map((text) => formatNode('TextView', `${bounds} `).replace('text=""', `text="${text}"`))
    const box =
      control === 'none' ? '' : formatNode(control, `checkable="true" ${formatFlag('checked', checked)} ${bounds}`)
    return formatNode('LinearLayout', `${formatFlag('clickable', clickable)} ${bounds}`, texts.join('') + box)
  })
  const bar = formatNode(
    'Toolbar',
    'bounds="[0,0][1000,90]"',
    formatNode('TextView', 'bounds="[0,0][1000,90]"').replace('text=""', `text="${title}"`),
  )
  const xml = `<hierarchy rotation="0">${formatNode('FrameLayout', 'bounds="[0,0][1000,2000]"', bar + body.join(''))}</hierarchy>`
  const read = parseHierarchy(xml)
  if (!read.ok) throw new Error(read.message)
  return parseScreen(read.hierarchy, undefined)
}

const texts = fc.constantFrom('Dark theme', 'Sound', 'Wi-Fi', 'Battery', 'Saver', 'On', 'Off', '')
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    title: texts,
    summary: texts,
    control: fc.constantFrom('none', 'none', 'Switch', 'CheckBox', 'RadioButton'),
    checked: fc.boolean(),
    clickable: fc.boolean(),
  }),
  { maxLength: 8 },
)

test('each affordance matches exactly one clickable node that contains no control', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const screen = buildScreen(given)
      const ways = listAffordances(screen)
      expect(new Set(ways.map(({ key }) => key)).size).toBe(ways.length)
      for (const { matcher } of ways) {
        const found = resolveTarget(screen.tree, { matcher, strict: true })
        expect(found.kind).toBe('found')
        if (found.kind !== 'found') continue
        expect(found.node.attributes['clickable']).toBe('true')
        expect(found.node.children.some((one) => one.attributes['checkable'] === 'true')).toBe(false)
      }
      expect(listAffordances(buildScreen(given))).toEqual(ways)
    }),
  )
})

/** A row that says its state in words is a toggle of its own; `controls.test.ts` has those. */
const dropStateTiles = (given: readonly Row[]): Row[] => given.filter(({ control }) => control !== 'none')

/** Words for a state are no names. */
const findName = (labels: readonly string[]): string | undefined =>
  labels.find((text) => !['', 'On', 'Off'].includes(text))

test('a switch is evaluated only if exactly one matches the goal', () => {
  const goal = readSubGoal('turn on dark theme')
  fc.assert(
    fc.property(rows.map(dropStateTiles), (given) => {
      const matches = given.filter(
        ({ control, title, summary }) =>
          (control === 'Switch' || control === 'CheckBox') && findName([title, summary]) === 'Dark theme',
      )
      const { state } = evaluateSubGoal(goal, { screen: buildScreen(given), trail: [] })
      const [only] = matches
      if (matches.length !== 1 || only === undefined) expect(state).toBe('unseen')
      else expect(state).toBe(only.checked ? 'holds' : 'open')
    }),
  )
})
