import { expect, test } from 'vitest'
import { Snapshot, type SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { buildElementRef, resolveRef } from '../../src/screen/element-ref.ts'
import { isDynamicText } from '../../src/screen/fingerprint.ts'
import { buildSnapshot, toRevisionState } from '../../src/screen/snapshot.ts'
import { buildCapture, buildTestSnapshot } from './snapshot-builder.ts'
import { type Sketch, node, text } from './tree-builder.ts'

const TOGGLE = { class: 'android.widget.Switch', checkable: 'true', 'resource-id': 'a:id/wifi' }
const page = (more: {
  title?: string
  checked?: string
  focused?: string
  left?: number
  extra?: readonly Sketch[]
}): Sketch =>
  node(
    {},
    text(more.title ?? 'Network', { bounds: `[${more.left ?? 0},0][500,90]` }),
    node({ ...TOGGLE, checked: more.checked ?? 'false', focused: more.focused ?? 'false' }),
    ...(more.extra ?? []),
  )

function elementAt(root: Sketch, path: string): SnapshotElement {
  const found = buildTestSnapshot(root).elements.find(({ node_path }) => node_path === path)
  if (found === undefined) throw new Error(`no element ${path}`)
  return found
}

test('a snapshot matches its contract and is deterministic', () => {
  const capture = buildCapture([page({})])
  const snapshot = buildSnapshot(capture, null)
  expect(Snapshot.parse(snapshot)).toEqual(snapshot)
  expect(buildSnapshot(buildCapture([page({})]), null)).toEqual(snapshot)
  expect(snapshot).toMatchObject({
    snapshot_revision: 1,
    revision_reason: 'first',
    captured_at: '1970-01-01T00:16:40.000Z',
    captured_at_ms: 1_000_000,
    dump_finished_ms: 1_001_500,
    package: 'com.example',
    loading_state: null,
  })
})

test('every node is an element with references to its parent and children', () => {
  const { elements } = buildTestSnapshot(node({}, node({ 'resource-id': 'a:id/only' }), node({}, text('x'))))
  expect(elements.map(({ parent_index, children }) => [parent_index, children])).toEqual([
    [null, [1, 2]],
    [0, []],
    [0, [3]],
    [2, []],
  ])
})

test('an element has names, position and identity', () => {
  expect(
    elementAt(node({}, node({ 'resource-id': 'a:id/b', text: 'Go', bounds: '[10,20][31,41]' })), '0.0'),
  ).toMatchObject({
    text: 'Go',
    content_description: null,
    resource_id: 'a:id/b',
    stable_id: 'a:id/b',
    test_tag: 'a:id/b',
    bounds: [10, 20, 31, 41],
    center: [20, 30],
    visible: true,
    matcher_role: 'text',
  })
  expect(elementAt(node({ 'content-desc': 'Menu' }), '0').stable_id).toBe('Menu')
  expect(elementAt(node({ text: 'Only words' }), '0').stable_id).toBeNull()
})

test.each([
  [{ 'resource-id': 'a:id/x', text: 'T' }, 'resource_id', 1, 'resource_id'],
  [{ 'content-desc': 'D', text: 'T' }, 'content_description', 0.9, 'content_description'],
  [{ text: 'T' }, 'text', 0.6, 'text_match'],
  [{ class: 'a.Lone' }, 'class', 0.35, 'class_match'],
])('the handle of %j is its %s', (attributes, source, confidence, reason) => {
  expect(elementAt(node({}, node(attributes)), '0.0').selector).toMatchObject({
    source,
    confidence,
    reason,
    matches: 1,
  })
})

test('a shared handle has a lower confidence', () => {
  const rows = (count: number) => node({}, ...Array.from({ length: count }, () => node({ 'resource-id': 'a:id/row' })))
  expect(elementAt(rows(2), '0.0').selector).toMatchObject({
    confidence: 0.5,
    reason: 'non_unique',
    matches: 2,
  })
  expect(elementAt(rows(4), '0.0').selector).toMatchObject({ confidence: 0.25, matches: 4 })
  expect(elementAt(node({ class: '' }), '0').selector).toBeNull()
})

test('state contains only reported values', () => {
  expect(elementAt(node({ checked: 'true' }), '0').state).toEqual({
    enabled: true,
    focused: false,
    selected: false,
  })
  expect(elementAt(node({ ...TOGGLE, checked: 'true', selected: 'true' }), '0').state).toEqual({
    enabled: true,
    focused: false,
    selected: true,
    checked: true,
  })
  const field = { class: 'android.widget.EditText', text: 'Ann' }
  expect(elementAt(node(field), '0').state.text_value).toBe('Ann')
  expect(elementAt(node({ ...field, hint: 'Ann' }), '0').state.text_value).toBe('')
  expect(elementAt(node({ value: '7', expanded: 'true' }), '0').state).toMatchObject({
    value: 7,
    expanded: true,
  })
})

test('a snapshot contains no password text', () => {
  const field = node({ class: 'android.widget.EditText', text: 'hunter2', password: 'true' })
  const snapshot = buildTestSnapshot(field)
  expect(JSON.stringify(snapshot)).not.toContain('hunter2')
  expect(snapshot.elements[0]).toMatchObject({ text: null, label: '', password: true })
  const other = node({ class: 'android.widget.EditText', text: 'other', password: 'true' })
  expect(buildTestSnapshot(other).content_hash).toBe(snapshot.content_hash)
})

test('controls have their supported actions', () => {
  expect(elementAt(node({ class: 'android.widget.SeekBar' }), '0').semantic).toEqual({
    is_clickable: false,
    is_container: false,
    semantic_role: 'slider',
    adjustable: true,
    supported_actions: ['adjust'],
    state_shape: 'continuous',
  })
  expect(elementAt(node({ class: 'x.FrameLayout', clickable: 'true' }), '0').semantic).toEqual({
    is_clickable: true,
    is_container: true,
    supported_actions: ['tap'],
  })
})

test.each([
  [{ class: 'android.widget.ProgressBar' }, 'progress_indicator'],
  [{ class: 'com.google.CircularProgressIndicator' }, 'progress_indicator'],
  [{ 'resource-id': 'a:id/shimmer_box' }, 'skeleton'],
  [{ text: 'Loading' }, 'loading_indicator'],
  [{ text: 'Please wait...' }, 'loading_indicator'],
  [{ text: 'Loading your messages\u2026' }, 'loading_indicator'],
  [{ text: 'Busy' }, 'busy_indicator'],
  [{ class: 'android.widget.Spinner' }, undefined],
  [{ class: 'android.widget.SeekBar' }, undefined],
  [{ class: 'android.widget.RatingBar' }, undefined],
  [{ text: 'Pending orders' }, undefined],
  [{ text: 'Loading', clickable: 'true' }, undefined],
  [{ text: `Loading ${'x'.repeat(40)}...` }, undefined],
  [{ class: 'android.widget.ProgressBar', bounds: '[0,0][0,0]' }, undefined],
])('%j signals %s', (attributes, signal) => {
  expect(buildTestSnapshot(node({}, node(attributes))).loading_state?.signal).toBe(signal)
})

test.each([
  ['page title', page({ title: 'Other' }), 2, 'text'],
  ['switch', page({ checked: 'true' }), 2, 'state'],
  ['new element', page({ extra: [text('More')] }), 2, 'structure'],
  ['place of the title', page({ left: 40 }), 2, 'structure'],
  ['focus', page({ focused: 'true' }), 1, null],
  ['place by a pixel', page({ left: 1 }), 1, null],
])('a change of %s gives revision %i with reason %s', (_, after, revision, reason) => {
  const first = buildTestSnapshot(page({}))
  const second = buildTestSnapshot(after, toRevisionState(first))
  expect(second).toMatchObject({ snapshot_revision: revision, revision_reason: reason })
})

test('dynamic text does not change the revision, a new activity does', () => {
  const first = buildTestSnapshot(page({ title: '12:30' }))
  const later = buildTestSnapshot(page({ title: '12:31' }), toRevisionState(first))
  expect(later).toMatchObject({ snapshot_revision: 1, revision_reason: null })
  const capture = buildCapture([page({ title: '12:31' })], { activity: 'com.example/.Other' })
  expect(buildSnapshot(capture, toRevisionState(later))).toMatchObject({
    snapshot_revision: 2,
    revision_reason: 'screen',
  })
})

test.each([
  ['Meeting at 9:05', true],
  ['2026-01-31 report', true],
  ['80%', true],
  ['42', true],
  ['1,234,567', true],
  ['12,345,678,901', false],
  ['3 new', false],
  ['Version 1.2', false],
])('%j is dynamic: %s', (value, dynamic) => {
  expect(isDynamicText(value)).toBe(dynamic)
})

test('a toggle changes only the content hash', () => {
  const [off, on] = [buildTestSnapshot(page({})), buildTestSnapshot(page({ checked: 'true' }))]
  expect(on.fingerprint).toBe(off.fingerprint)
  expect(on.screen_id).toBe(off.screen_id)
  expect(on.content_hash).not.toBe(off.content_hash)
})

test('new text changes fingerprint and content hash, not the screen id', () => {
  const [one, two] = [buildTestSnapshot(page({})), buildTestSnapshot(page({ title: 'Bluetooth' }))]
  expect(two.fingerprint).not.toBe(one.fingerprint)
  expect(two.content_hash).not.toBe(one.content_hash)
  expect(two.screen_id).toBe(one.screen_id)
})

test('the fingerprint is independent of the tree order', () => {
  const [a, b] = [text('A', { bounds: '[0,0][9,9]' }), text('B', { bounds: '[0,50][9,60]' })]
  const plain = (one: Sketch, two: Sketch) => buildTestSnapshot(node({}, one, two)).fingerprint
  expect(plain(a, b)).toBe(plain(b, a))
})

test('the fingerprint covers fifty elements, the content hash all', () => {
  const rows = (last: string) =>
    node(
      {},
      ...Array.from({ length: 51 }, (_, at) =>
        text(at === 50 ? last : `Row ${at}x`, { bounds: `[0,${at * 40}][900,${at * 40 + 40}]` }),
      ),
    )
  const [one, two] = [buildTestSnapshot(rows('End')), buildTestSnapshot(rows('Other end'))]
  expect(two.fingerprint).toBe(one.fingerprint)
  expect(two.content_hash).not.toBe(one.content_hash)
})

test('elements of a dialog are visible if the display size is unknown', () => {
  const dialog = node({ bounds: '[90,700][990,1500]' }, text('OK', { bounds: '[600,1400][900,1490]' }))
  const snapshot = buildSnapshot(buildCapture([dialog], { resolution: null }), null)
  expect(snapshot.resolution).toEqual({ width: 990, height: 1500 })
  expect(snapshot.elements.every(({ visible }) => visible)).toBe(true)
})

const row = (name: string, top: number) =>
  text(name, { bounds: `[0,${top}][1080,${top + 100}]`, 'resource-id': 'a:id/row' })

test('a reference resolves to its element after a move', () => {
  const before = buildTestSnapshot(node({}, row('A', 0), row('B', 100)))
  const [, , second] = before.elements
  if (second === undefined) throw new Error('no row')
  const ref = buildElementRef(second, before)
  expect(resolveRef(ref, before)).toMatchObject({ ok: true, re_resolved: false, drift_px: 0 })
  const moved = buildTestSnapshot(node({}, row('B', 30)))
  expect(resolveRef(ref, moved)).toMatchObject({
    ok: true,
    element: { node_path: '0.0' },
    re_resolved: true,
    drift_px: 70,
  })
  expect(resolveRef(ref, buildTestSnapshot(node({}, row('C', 100))))).toEqual({
    ok: false,
    code: 'STALE_REFERENCE',
    candidates: [],
  })
  expect(resolveRef(ref, buildTestSnapshot(node({}, row('B', 0), row('B', 200))))).toEqual({
    ok: false,
    code: 'AMBIGUOUS_TARGET',
    candidates: ['0.0', '0.1'],
  })
})

test('an element without a name is found only at its old position', () => {
  const box = (top: number) => node({}, node({ bounds: `[0,${top}][50,${top + 50}]` }))
  const before = buildTestSnapshot(box(0))
  const [, element] = before.elements
  if (element === undefined) throw new Error('no box')
  const ref = buildElementRef(element, before)
  expect(resolveRef(ref, before)).toMatchObject({ ok: true, re_resolved: false })
  expect(resolveRef(ref, buildTestSnapshot(box(80)))).toMatchObject({ code: 'STALE_REFERENCE' })
})
