import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TouchRecorder } from '../../../src/devices/touch/touch-recorder.ts'
import { eventually, transportFailure } from '../driver/outcomes.ts'
import { LIMITS, RecordedPhone } from './recorded-phone.ts'

const NOTES = 'org.apprentice.notes'

async function recordedNotes() {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  return { hand, recorder: await hand.record() }
}

test('a lost phone ends the recording with the failure and keeps the events', async () => {
  const { hand, recorder } = await recordedNotes()
  await hand.touch('New note')
  await hand.rig.vanish(hand.phone)
  await eventually(
    () => recorder.failure,
    (failure) => failure !== undefined,
  )
  const { recording, failure } = await recorder.stop(LIMITS)
  expect(failure?.kind).toMatch(/^device_(lost|not_found|offline)$/)
  expect(hand.losses).toEqual([failure])
  expect(recording.events.map(({ type }) => type)).toEqual(['window_change', 'click', 'window_change'])
})

test('stop ends within its time limit if the screen cannot be read', async () => {
  const { hand, recorder } = await recordedNotes()
  hand.phone.faults.hangCommand(/uiautomator/)
  const { x, y } = hand.findMiddle('New note')
  await hand.phone.person.touch(x, y)
  const result = await Promise.race([recorder.stop({ timeoutMs: 1000 }), sleep(10_000, undefined)])
  expect(result?.failure).toBeUndefined()
  expect(result?.recording.events).toMatchObject([{ type: 'window_change' }, { type: 'click', text: 'New note' }])
})

test('stopping twice returns the same result', async () => {
  const { recorder } = await recordedNotes()
  const first = await recorder.stop(LIMITS)
  expect(await recorder.stop(LIMITS)).toEqual(first)
})

test('touches after the end are not recorded', async () => {
  const { hand, recorder } = await recordedNotes()
  const before = await recorder.stop(LIMITS)
  const { x, y } = hand.findMiddle('New note')
  await hand.phone.person.touch(x, y)
  expect(await recorder.stop(LIMITS)).toEqual(before)
})

test('touches on a screen that never becomes idle are recorded', async () => {
  const { hand, recorder } = await recordedNotes()
  hand.phone.faults.set('dumpNeverIdle')
  await hand.touch('New note')
  hand.phone.faults.clear()
  expect(hand.steps).toMatchObject([{ action_label: 'Tap "New note"', caused_state_change: false }])
  await hand.touch('title')
  const { recording } = await recorder.stop(LIMITS)
  expect(recording.events.map(({ type }) => type)).toContain('click')
})

test('a few failed readings have no effect', async () => {
  const { hand, recorder } = await recordedNotes()
  hand.phone.faults.set('dumpNullRoot', 2)
  await hand.touch('New note')
  const { recording } = await recorder.stop(LIMITS)
  expect(hand.steps).toMatchObject([{ action_label: 'Tap "New note"', caused_state_change: true }])
  expect(recording.events.at(-1)).toMatchObject({ className: `${NOTES}.NoteEditorActivity` })
})

test('a phone without a touch panel is refused', async () => {
  const { device } = await RecordedPhone.make()
  const { shell } = device
  const withoutPanel: typeof shell = {
    serial: shell.serial,
    features: (limits) => shell.features(limits),
    run: (line, limits) => shell.run(line === 'getevent -lp' ? 'echo' : line, limits),
  }
  const starting = TouchRecorder.start({ sessionId: 's', device: { ...device, shell: withoutPanel } }, LIMITS)
  await expect(starting).rejects.toMatchObject({ code: 'RECORDING_START_FAILED' })
})

test('a phone that is missing or does not answer cannot be recorded', async () => {
  const hand = await RecordedPhone.make()
  hand.phone.faults.hangCommand(/getevent -lt/)
  const silent = TouchRecorder.start({ sessionId: 's', device: hand.device }, { timeoutMs: 600 })
  expect((await transportFailure(silent)).kind).toBe('deadline')
  await hand.rig.vanish(hand.phone)
  const absent = TouchRecorder.start({ sessionId: 's', device: hand.device }, LIMITS)
  expect((await transportFailure(absent)).kind).toMatch(/^device_(lost|not_found|offline)$/)
})
