import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SnapshotDiff } from '@apprentice/contracts/devices/snapshot.ts'
import { diffSnapshots } from '../../src/screen/diff.ts'
import { buildSnapshot } from '../../src/screen/snapshot.ts'
import { buildCapture, buildTestSnapshot } from './snapshot-builder.ts'
import { type Sketch, node, text } from './tree-builder.ts'
import { countRuns } from '../kit/count-runs.ts'

const diff = (before: Sketch, after: Sketch) => {
  const result = diffSnapshots(buildTestSnapshot(before), buildTestSnapshot(after))
  expect(SnapshotDiff.parse(result)).toEqual(result)
  return result
}
const labels = (elements: readonly { readonly label: string }[]) => elements.map(({ label }) => label)

const toggle = (more: Readonly<Record<string, string>>) =>
  node({ class: 'android.widget.Switch', checkable: 'true', 'resource-id': 'a:id/wifi', ...more })

const list = (from: number, count: number, label = (at: number) => `Row ${at}`): Sketch =>
  node(
    {},
    text('Title', { 'resource-id': 'a:id/title' }),
    node(
      { 'resource-id': 'a:id/list', scrollable: 'true' },
      ...Array.from({ length: count }, (_, at) =>
        node(
          { bounds: `[0,${at * 100}][1080,${at * 100 + 100}]` },
          text(label(from + at), {
            'resource-id': 'a:id/name',
            bounds: `[0,${at * 100}][1080,${at * 100 + 50}]`,
          }),
        ),
      ),
    ),
  )

test('two readings of one screen do not differ', () => {
  expect(diff(list(0, 4), list(0, 4))).toEqual({
    screen_changed: false,
    activity: { before: 'com.example/.MainActivity', after: 'com.example/.MainActivity' },
    added: [],
    removed: [],
    changed: [],
    scrolled: [],
    empty: true,
  })
})

test('a toggle is one change of one element', () => {
  const result = diff(node({}, toggle({ checked: 'false' })), node({}, toggle({ checked: 'true' })))
  expect(result.changed).toEqual([
    {
      before_path: '0.0',
      element: expect.objectContaining({ resource_id: 'a:id/wifi' }) as unknown,
      checked: { before: false, after: true },
    },
  ])
  expect(result).toMatchObject({ added: [], removed: [], empty: false, screen_changed: false })
})

test('changes of text, enabled and selected are reported separately', () => {
  const before = node({}, text('Off'), toggle({ enabled: 'false' }), node({ selected: 'false' }))
  const after = node({}, text('On'), toggle({ enabled: 'true' }), node({ selected: 'true' }))
  const { changed } = diff(before, after)
  expect(changed).toMatchObject([
    { text: { before: 'Off', after: 'On' } },
    { enabled: { before: false, after: true } },
    { selected: { before: false, after: true } },
  ])
  expect(changed[0]).not.toHaveProperty('enabled')
})

test('a scrolled list is reported as a scroll, not as renamed rows', () => {
  const result = diff(list(0, 5), list(2, 5))
  expect(result.scrolled).toMatchObject([{ container: { resource_id: 'a:id/list' }, dx: 0, dy: -200, moved: 3 }])
  expect(labels(result.removed)).toEqual(['Row 0', 'Row 1'])
  expect(labels(result.added)).toEqual(['Row 5', 'Row 6'])
  expect(result.changed).toEqual([])
  expect(result.screen_changed).toBe(false)
})

test('in a list that scrolled far, another row at the same path is not a renamed row', () => {
  const result = diff(list(0, 5), list(3, 5))
  expect(result.scrolled).toMatchObject([{ dy: -300, moved: 2 }])
  expect(labels(result.removed)).toEqual(['Row 0', 'Row 1', 'Row 2'])
  expect(labels(result.added)).toEqual(['Row 5', 'Row 6', 'Row 7'])
  expect(result.changed).toEqual([])
})

test('one moved element does not make a list scrolled', () => {
  const at = (top: number) =>
    node(
      { scrollable: 'true' },
      text('A', { bounds: '[0,0][9,9]' }),
      text('B', { bounds: '[0,20][9,29]' }),
      text('C', { bounds: `[0,${top}][9,${top + 9}]` }),
    )
  expect(diff(at(40), at(60)).scrolled).toEqual([])
})

test('a row renamed in its place is a change, not a scroll', () => {
  const renamed = list(0, 4, (at) => (at === 1 ? 'Renamed' : `Row ${at}`))
  const result = diff(list(0, 4), renamed)
  expect(result.changed).toMatchObject([{ text: { before: 'Row 1', after: 'Renamed' } }])
  expect(result).toMatchObject({ added: [], removed: [], scrolled: [] })
})

test('a row added at the end is added, the others stay', () => {
  const result = diff(list(0, 3), list(0, 4))
  expect(labels(result.added).filter((label) => label !== '')).toEqual(['Row 3'])
  expect(result).toMatchObject({ removed: [], changed: [], scrolled: [] })
})

test('an element with a unique id is paired wherever it moves', () => {
  const before = node({}, text('1 item', { 'resource-id': 'a:id/count' }))
  const after = node({}, node(), node({}, text('2 items', { 'resource-id': 'a:id/count' })))
  expect(diff(before, after).changed).toMatchObject([
    { before_path: '0.0', element: { node_path: '0.1.0' }, text: { after: '2 items' } },
  ])
})

test('another activity or mostly other elements are another screen', () => {
  const before = buildTestSnapshot(list(0, 3))
  const elsewhere = buildSnapshot(buildCapture([list(0, 3)], { activity: 'com.example/.Other' }), null)
  expect(diffSnapshots(before, elsewhere)).toMatchObject({
    screen_changed: true,
    activity: { after: 'com.example/.Other' },
    empty: false,
  })
  const other = node(
    { class: 'x.FrameLayout' },
    node({ 'resource-id': 'a:id/player', class: 'x.Player' }),
    node({ 'resource-id': 'a:id/volume', class: 'x.Volume' }),
  )
  expect(diffSnapshots(before, buildTestSnapshot(other)).screen_changed).toBe(true)
  expect(diffSnapshots(before, buildTestSnapshot(list(9, 3))).screen_changed).toBe(false)
  const banner = node({ 'resource-id': 'a:id/banner', class: 'x.Banner' })
  const joined = buildTestSnapshot(node({}, ...list(0, 3).children, banner))
  expect(joined.screen_id).not.toBe(before.screen_id)
  expect(diffSnapshots(before, joined).screen_changed).toBe(false)
})

test('added and removed swap when the order of the readings does', () => {
  const word = fc.constantFrom('A', 'B', 'C', '')
  const rows = fc.array(word, { maxLength: 6 }).map((labels) => node({}, ...labels.map((one) => text(one))))
  fc.assert(
    fc.property(rows, rows, (one, two) => {
      const [there, back] = [diff(one, two), diff(two, one)]
      expect(there.added.length).toBe(back.removed.length)
      expect(there.removed.length).toBe(back.added.length)
      expect(there.empty).toBe(back.empty)
      const difference = there.added.length - there.removed.length
      expect(difference).toBe(buildTestSnapshot(two).elements.length - buildTestSnapshot(one).elements.length)
    }),
    { numRuns: countRuns(300) },
  )
})
