import { expect, test } from 'vitest'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { parseNdjson, type Recording, formatNdjson } from '../../../src/devices/recording/ndjson.ts'
import { buildStepLog } from '../../../src/devices/recording/step-log.ts'
import { attribute, parseHierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { LIMITS, RecordedPhone } from './recorded-phone.ts'

const CLIMATE = 'org.apprentice.climate'
const NOTES = 'org.apprentice.notes'
const PORTAL = 'org.apprentice.portal'

const outline = ({ events }: Recording) => events.map((event) => [event.type, readDetail(event)])

function readDetail(event: RecordingEvent): string | null {
  if (event.type === 'window_change') return event.className ?? null
  if (event.type === 'press_key') return event.key
  return event.type === 'scroll' ? event.resourceId : event.text
}

/** The tree of a click contains the clicked node with its bounds. */
function expectNodeInTree(event: RecordingEvent): void {
  if (event.type !== 'click') return
  const read = parseHierarchy(event.snapshot ?? '')
  const { left, top, right, bottom } = event.bounds
  const matches = read.ok
    ? read.hierarchy.nodes.filter((node) => attribute(node, 'bounds') === `[${left},${top}][${right},${bottom}]`)
    : []
  expect(matches.map((node) => attribute(node, 'resource-id'))).toContain(event.resourceId ?? '')
}

test('taps become clicks on their targets', async () => {
  const hand = await RecordedPhone.make()
  const recorder = await hand.record()
  await hand.touch('Climate')
  await hand.waitFor('Lobby')
  await hand.touch('Lobby')
  await hand.touch('Warmer')
  await hand.touch('Save')
  const { recording, failure } = await recorder.stop(LIMITS)
  expect(failure).toBeUndefined()
  expect(outline(recording)).toEqual([
    ['click', 'Climate'],
    ['window_change', `${CLIMATE}.UnitListActivity`],
    ['click', 'Lobby'],
    ['window_change', `${CLIMATE}.UnitActivity`],
    ['click', '+'],
    ['click', 'Save'],
  ])
  expect(recording.events[2]).toMatchObject({
    packageName: CLIMATE,
    resourceId: `${CLIMATE}:id/unit`,
    contentDesc: null,
  })
  expect(recording.events[3]).toMatchObject({ title: 'Lobby' })
  recording.events.forEach(expectNodeInTree)
  expect(recording.header).toMatchObject({
    sessionId: 'hands-on',
    operatorPackage: 'org.apprentice',
  })
  expect(hand.steps.map(({ action_label }) => action_label)).toEqual([
    'Tap "Climate"',
    'Tap "Lobby"',
    'Tap "Warmer"',
    'Tap "Save"',
  ])
  expect(hand.steps.every(({ caused_state_change }) => caused_state_change)).toBe(true)
  expect(hand.losses).toEqual([])
})

test('a recording that starts inside an app starts with its window', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  const recorder = await hand.record()
  const { recording } = await recorder.stop(LIMITS)
  expect(outline(recording)).toEqual([['window_change', `${NOTES}.NoteListActivity`]])
  expect(buildStepLog(recording, 'v1').steps).toMatchObject([{ type: 'open_app', packageName: NOTES }])
})

test('typing, long presses and back are recorded', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  const recorder = await hand.record()
  const { person } = hand.phone
  await hand.touch('New note')
  await hand.touch('title')
  await hand.byHand(() => person.typeText('Milk'))
  await hand.touch('body')
  await hand.byHand(() => person.typeText('2 l'))
  await hand.byHand(() => person.typeKey('BACK'))
  await hand.touch('Save')
  await hand.touch('Groceries', 700)
  const { recording } = await recorder.stop(LIMITS)
  expect(outline(recording).slice(1)).toEqual([
    ['click', 'New note'],
    ['window_change', `${NOTES}.NoteEditorActivity`],
    ['click', 'Title'],
    ['text_change', 'Milk'],
    ['click', 'Write something'],
    ['text_change', '2 l'],
    ['press_key', 'back'],
    ['click', 'Save'],
    ['window_change', `${NOTES}.NoteListActivity`],
    ['click', 'Groceries'],
    ['window_change', `${NOTES}.NoteEditorActivity`],
  ])
  expect(recording.events[4]).toMatchObject({ resourceId: `${NOTES}:id/title` })
  expect(hand.steps.map(({ action_label }) => action_label)).toEqual([
    'Tap "New note"',
    'Tap the title field',
    'Type ‹Milk› into title',
    'Tap the body field',
    'Type ‹2 l› into body',
    'Go back',
    'Tap "Save"',
    'Long-press "Groceries"',
  ])
  expect(parseNdjson(formatNdjson(recording))).toEqual(recording)
})

test('keys of an attached keyboard are recorded as the text of the field', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  await hand.driver.openUri('notes://note/1', LIMITS)
  const recorder = await hand.record()
  await hand.touch('title')
  await hand.byHand(async () => {
    for (const key of ['A', '1']) await hand.phone.person.typeKey(key)
  })
  const { recording } = await recorder.stop(LIMITS)
  expect(recording.events.at(-1)).toMatchObject({ type: 'text_change', text: 'GroceriesA1' })
})

test('a password is never recorded', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(PORTAL, LIMITS)
  const recorder = await hand.record()
  await hand.touch('user')
  await hand.byHand(() => hand.phone.person.typeText('ada'))
  await hand.touch('password')
  await hand.byHand(() => hand.phone.person.typeText('engine'))
  const { recording } = await recorder.stop(LIMITS)
  const typed = recording.events.filter(({ type }) => type === 'text_change')
  expect(typed).toMatchObject([{ text: 'ada' }])
  expect(formatNdjson(recording)).not.toMatch(/engine|•/)
  expect(JSON.stringify(hand.steps)).not.toMatch(/engine|•/)
  expect(hand.steps.at(-1)).toMatchObject({
    action_label: 'Type a password into password',
    secret: true,
  })
  expect(hand.steps.at(-1)?.text).toBeUndefined()
})

test('a swipe becomes a scroll with the distance that the list moved', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(CLIMATE, LIMITS)
  await hand.waitFor('Lobby')
  const recorder = await hand.record()
  await hand.byHand(() => hand.phone.person.swipe([540, 1700], [540, 1300]))
  await hand.byHand(() => hand.phone.person.swipe([540, 1000], [540, 1200]))
  const { recording } = await recorder.stop(LIMITS)
  expect(recording.events.slice(1)).toMatchObject([
    {
      type: 'scroll',
      packageName: CLIMATE,
      resourceId: `${CLIMATE}:id/units`,
      scrollX: 0,
      scrollY: 400,
    },
    { type: 'scroll', scrollY: -200 },
  ])
  expect(hand.steps.map(({ action_label }) => action_label)).toEqual(['Scroll down', 'Scroll up'])
})

test('the home button is a step and gives a window change in the recording', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  const recorder = await hand.record()
  await hand.byHand(() => hand.phone.person.touch(540, 2340))
  const { recording } = await recorder.stop(LIMITS)
  expect(hand.steps.map(({ action_label }) => action_label)).toEqual(['Go to the home screen'])
  expect(recording.events.map((event) => 'packageName' in event && event.packageName)).toEqual([
    NOTES,
    'com.android.launcher3',
  ])
})

test('quick taps on one button are all recorded; a tap on an unread screen has no target', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(CLIMATE, LIMITS)
  await hand.waitFor('Lobby')
  const recorder = await hand.record(600)
  const lobby = hand.findMiddle('Lobby')
  await hand.byHand(async () => {
    await hand.phone.person.touch(lobby.x, lobby.y)
    const warmer = hand.findMiddle('Warmer')
    await hand.phone.person.touch(warmer.x, warmer.y)
  })
  const warmer = hand.findMiddle('Warmer')
  await hand.byHand(async () => {
    for (let tap = 0; tap < 3; tap += 1) await hand.phone.person.touch(warmer.x, warmer.y)
  })
  const { recording } = await recorder.stop(LIMITS)
  expect(outline(recording).slice(1)).toEqual([
    ['click', 'Lobby'],
    ['click', null],
    ['window_change', `${CLIMATE}.UnitActivity`],
    ['click', '+'],
    ['click', '+'],
    ['click', '+'],
  ])
  expect(recording.events[2]).toMatchObject({
    resourceId: null,
    snapshot: null,
    bounds: { left: warmer.x, top: warmer.y, right: warmer.x, bottom: warmer.y },
  })
})

test('a touch without a target and without a change gives no event', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  const recorder = await hand.record()
  await hand.phone.person.touch(540, 1900)
  const { recording } = await recorder.stop(LIMITS)
  expect(recording.events).toHaveLength(1)
  expect(hand.steps).toEqual([])
})

test('touches on a phone without shell_v2 are recorded', async () => {
  const hand = await RecordedPhone.make({ features: ['cmd'] })
  const recorder = await hand.record()
  await hand.touch('Notes')
  const { recording } = await recorder.stop(LIMITS)
  expect(outline(recording)).toEqual([
    ['click', 'Notes'],
    ['window_change', `${NOTES}.NoteListActivity`],
  ])
})
