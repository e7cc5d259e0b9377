import { expect, test } from 'vitest'
import { Execution } from '@apprentice/contracts/devices/execution.ts'
import { runExecution } from '../../../src/devices/engine/execution/run-execution.ts'
import { ProxyRecorder } from '../../../src/devices/recording/proxy-recorder.ts'
import { toCapturedStep } from '../../../src/devices/recording/captured-step.ts'
import type { Recording } from '../../../src/devices/recording/ndjson.ts'
import { takeSnapshot } from '../../../src/devices/driver/screen-snapshot.ts'
import { LIMITS, RecordedPhone } from './recorded-phone.ts'

const CLIMATE = 'org.apprentice.climate'
const SETTINGS = 'com.android.settings'
const NOTES = 'org.apprentice.notes'

/** The events without times, and with only the presence of trees. */
const summarize = ({ events }: Recording) =>
  events.map(({ ts: _ts, snapshot, ...event }) => ({ ...event, hasTree: snapshot !== null }))

/** Runs actions through the engine and records them. */
async function recordByProxy(hand: RecordedPhone, actions: readonly object[]) {
  const recorder = new ProxyRecorder({ sessionId: 'proxy', startedAtMs: Date.now() })
  const { hierarchy, snapshot } = await takeSnapshot(hand.driver, LIMITS, null)
  recorder.addScreen({ hierarchy, activity: snapshot.activity }, Date.now())
  const labels: string[] = []
  const execution = Execution.parse({
    commandId: 'c',
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 20_000,
    actions: actions.map((action, index) => ({ id: `a${index}`, ...action })),
  })
  const envelope = await runExecution(execution, {
    driver: hand.driver,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    captureEvidence: true,
    saveScreenshot: async () => expect.fail('unexpected screenshot'),
    onStepStarted: async () => {},
    onStepFinished: async ({ id }, { before, after, node, point }) => {
      const action = execution.actions.find((one) => one.id === id) ?? expect.fail('unknown step')
      const activity = (await hand.driver.foreground(LIMITS))?.activity
      const { hierarchy, captured_at } = after ?? {}
      const screen = hierarchy && { hierarchy, captured_at, activity }
      const step = toCapturedStep(action, { at_ms: Date.now(), before, after: screen, node, point })
      if (step !== undefined) labels.push(recorder.addStep(step).described.action_label)
    },
  })
  expect(envelope.error).toBeNull()
  return { recording: recorder.toRecording(), labels }
}

test('setting a temperature gives the same recording by touch and by proxy', async () => {
  const hand = await RecordedPhone.make()
  const touching = await hand.record()
  await hand.touch('Climate')
  await hand.waitFor('Lobby')
  await hand.touch('Lobby')
  await hand.touch('Warmer')
  await hand.touch('Save')
  const touched = await touching.stop(LIMITS)

  const other = await RecordedPhone.make()
  const proxied = await recordByProxy(other, [
    { type: 'click', params: { matcher: { contentDescEquals: 'Climate' } } },
    { type: 'wait_for_node', params: { matcher: { textEquals: 'Lobby' } } },
    { type: 'click', params: { matcher: { textEquals: 'Lobby' } } },
    { type: 'click', params: { matcher: { contentDescEquals: 'Warmer' } } },
    { type: 'click', params: { matcher: { resourceId: `${CLIMATE}:id/save` } } },
  ])
  expect(summarize(proxied.recording)).toEqual(summarize(touched.recording))
  expect(proxied.labels).toEqual(hand.steps.map(({ action_label }) => action_label))
})

test('scrolling by a swipe and moving a slider give the same recording by touch and by proxy', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(SETTINGS, LIMITS)
  const up = { from: { x: 500, y: 1500 }, to: { x: 500, y: 1100 } }
  const touching = await hand.record()
  await hand.byHand(() => hand.phone.person.swipe(pair(up.from), pair(up.to)))
  await hand.touch('Display')
  const along = alongSlider(hand)
  await hand.byHand(() => hand.phone.person.swipe(pair(along.from), pair(along.to)))
  const touched = await touching.stop(LIMITS)

  const other = await RecordedPhone.make()
  await other.driver.openApp(SETTINGS, LIMITS)
  const proxied = await recordByProxy(other, [
    { type: 'swipe', params: up },
    { type: 'click', params: { matcher: { textEquals: 'Display' } } },
    { type: 'swipe', params: along },
  ])
  expect(summarize(proxied.recording)).toEqual(summarize(touched.recording))
  expect(proxied.labels).toEqual(hand.steps.map(({ action_label }) => action_label))
  expect(proxied.labels).toEqual(['Scroll down', 'Tap "Display"', 'Move "Brightness level"'])
})

const pair = ({ x, y }: { x: number; y: number }) => [x, y] as const

function alongSlider({ phone }: RecordedPhone) {
  const slider = phone.screenNodes().find(({ className }) => className.endsWith('SeekBar'))
  const { left, top, right, bottom } = (slider ?? expect.fail('no slider')).bounds
  const y = Math.floor((top + bottom) / 2)
  return { from: { x: left + 60, y }, to: { x: right - 60, y } }
}

test('writing a note and going back gives the same recording by touch and by proxy', async () => {
  const hand = await RecordedPhone.make()
  await hand.driver.openApp(NOTES, LIMITS)
  const touching = await hand.record()
  await hand.touch('New note')
  await hand.touch('title')
  await hand.byHand(() => hand.phone.person.typeText('Milk'))
  await hand.byHand(() => hand.phone.person.typeKey('BACK'))
  await hand.touch('Save')
  const touched = await touching.stop(LIMITS)

  const other = await RecordedPhone.make()
  await other.driver.openApp(NOTES, LIMITS)
  const title = { resourceId: `${NOTES}:id/title` }
  const proxied = await recordByProxy(other, [
    { type: 'click', params: { matcher: { textEquals: 'New note' } } },
    { type: 'click', params: { matcher: title } },
    { type: 'enter_text', params: { matcher: title, text: 'Milk' } },
    { type: 'press_key', params: { key: 'back' } },
    { type: 'click', params: { matcher: { textEquals: 'Save' } } },
  ])
  expect(summarize(proxied.recording)).toEqual(summarize(touched.recording))
  expect(proxied.labels).toEqual(hand.steps.map(({ action_label }) => action_label))
})
