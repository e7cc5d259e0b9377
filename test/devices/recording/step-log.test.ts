import { expect, test } from 'vitest'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { RecordingExport, RecordingStepLog } from '@apprentice/contracts/devices/recording.ts'
import fc from 'fast-check'
import { buildStepLog } from '../../../src/devices/recording/step-log.ts'
import { anyRecording, header, readRealExport, restoreRecording } from './recordings.ts'

const window = (seq: number, packageName: string, snapshot?: string): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'window_change',
  packageName,
  ...(snapshot === undefined ? {} : { snapshot }),
})
const click = (seq: number, snapshot: string | null): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'click',
  packageName: 'com.a',
  resourceId: 'com.a:id/save',
  text: 'Save',
  contentDesc: null,
  bounds: { left: 1, top: 2, right: 3, bottom: 4 },
  snapshot,
})
const scroll = (seq: number, scrollY: number, resourceId: string | null = null): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'scroll',
  packageName: 'com.a',
  resourceId,
  scrollX: 0,
  scrollY,
  maxScrollX: 0,
  maxScrollY: 900,
  snapshot: `<tree ${seq}>`,
})
const typed = (seq: number, text: string, resourceId: string | null = null): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'text_change',
  packageName: 'com.a',
  resourceId,
  text,
})
const back = (seq: number): RecordingEvent => ({ ts: seq, seq, type: 'press_key', key: 'back' })

test('the v1 log has only the first window and the clicks', () => {
  const events = [window(0, 'com.a', '<w>'), click(1, '<c>'), window(2, 'com.b', '<x>'), typed(3, 'hi'), back(4)]
  expect(buildStepLog({ header, events }, 'v1')).toEqual({
    sessionId: 'morning-1',
    schemaVersion: 1,
    steps: [
      { seq: 0, type: 'open_app', packageName: 'com.a', uiStateBefore: '<w>' },
      {
        seq: 1,
        type: 'click',
        packageName: 'com.a',
        resourceId: 'com.a:id/save',
        text: 'Save',
        contentDesc: null,
        bounds: { left: 1, top: 2, right: 3, bottom: 4 },
        uiStateBefore: '<c>',
      },
    ],
  })
})

test('warnings list missing trees in file order, then dropped scrolls by seq', () => {
  const events = [scroll(5, 1), click(3, null), scroll(2, 1), window(1, 'com.a'), click(0, '')]
  const log = buildStepLog({ header, events }, 'v1')
  expect(log._warnings).toEqual([
    'seq 3: snapshot missing on click event (uiStateBefore null)',
    'seq 1: snapshot missing on window_change event (uiStateBefore null)',
    'seq 0: snapshot missing on click event (uiStateBefore null)',
    'seq 2: scroll event dropped (not extracted in v1)',
    'seq 5: scroll event dropped (not extracted in v1)',
  ])
  expect(log.steps.map(({ seq, type }) => [seq, type])).toEqual([
    [0, 'click'],
    [1, 'open_app'],
    [3, 'click'],
  ])
})

test('the full log has typing, keys and scrolling, with repetitions joined', () => {
  const events = [
    window(0, 'com.a', '<w>'),
    typed(1, 'm', 'com.a:id/q'),
    typed(2, 'milk', 'com.a:id/q'),
    typed(3, 'x', 'com.a:id/other'),
    back(4),
    scroll(5, 100),
    scroll(6, 300),
    click(7, '<c>'),
    scroll(8, 50, 'com.a:id/list'),
  ]
  const { steps, _warnings } = buildStepLog({ header, events }, 'full')
  expect(_warnings).toBeUndefined()
  expect(steps.slice(1, 5)).toEqual([
    {
      seq: 1,
      type: 'enter_text',
      packageName: 'com.a',
      resourceId: 'com.a:id/q',
      text: 'milk',
      uiStateBefore: null,
    },
    expect.objectContaining({ seq: 3, type: 'enter_text', text: 'x' }),
    { seq: 4, type: 'press_key', key: 'back', uiStateBefore: null },
    {
      seq: 5,
      type: 'scroll',
      packageName: 'com.a',
      resourceId: null,
      scrollX: 0,
      scrollY: 300,
      maxScrollX: 0,
      maxScrollY: 900,
      eventCount: 2,
      uiStateBefore: '<tree 5>',
    },
  ])
  expect(steps.slice(5).map(({ seq, type }) => [seq, type])).toEqual([
    [7, 'click'],
    [8, 'scroll'],
  ])
})

test.each([
  ['discharge-limit', 9, 25],
  ['climate-power', 6, 36],
] as const)('the real recording %s gives %i steps and %i warnings', (name, steps, warnings) => {
  const artifact = RecordingExport.parse(JSON.parse(readRealExport(name)))
  const log = buildStepLog(restoreRecording(artifact), 'v1')
  expect(log.steps).toHaveLength(steps)
  expect(log._warnings).toHaveLength(warnings)
})

test('both logs of any recording match the contract and contain all clicks', () => {
  fc.assert(
    fc.property(anyRecording, (recording) => {
      const [short, full] = [buildStepLog(recording, 'v1'), buildStepLog(recording, 'full')]
      expect(RecordingStepLog.parse(short)).toEqual(short)
      expect(RecordingStepLog.parse(full)).toEqual(full)
      const clicks = recording.events.filter(({ type }) => type === 'click').length
      for (const log of [short, full]) {
        expect(log.steps.filter(({ type }) => type === 'click')).toHaveLength(clicks)
      }
    }),
  )
})
