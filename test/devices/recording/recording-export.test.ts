import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { exportRecording } from '../../../src/devices/recording/recording-export.ts'
import { anyRecording, header, REAL_EXPORTS, readRealExport, restoreRecording } from './recordings.ts'

/** The JSON of an export as a client writes it. */
const printJson = (artifact: RecordingExport): string => JSON.stringify(artifact, null, 2)

test.each(REAL_EXPORTS)('the real recording %s is exported to the same bytes', (name) => {
  const text = readRealExport(name)
  const artifact = RecordingExport.parse(JSON.parse(text))
  expect(printJson(artifact)).toBe(text)
  const again = printJson(exportRecording(restoreRecording(artifact)))
  expect(again).toBe(text.replaceAll('"present": true', '"present": false'))
})

test('an export without events has an empty timeline', () => {
  const artifact = exportRecording({ header, events: [] })
  expect(artifact).toMatchObject({
    counts: { totalEvents: 0, byType: {} },
    packageTransitions: [],
    timeline: { firstEventTs: null, lastEventTs: null, durationMs: null },
  })
})

test('counts, deltas and transitions of any export are consistent', () => {
  fc.assert(
    fc.property(anyRecording, fc.constantFrom('omit', 'include'), (recording, snapshots) => {
      const artifact = exportRecording(recording, { snapshots })
      expect(RecordingExport.parse(artifact)).toEqual(artifact)
      const { events, counts, timeline, packageTransitions } = artifact
      expect(counts.totalEvents).toBe(recording.events.length)
      expect(Object.values(counts.byType).reduce((sum, n) => sum + n, 0)).toBe(events.length)
      const deltas = events.map(({ deltaMsSincePrevious }) => deltaMsSincePrevious ?? 0)
      expect(deltas.reduce((sum, ms) => sum + ms, 0)).toBe(timeline.durationMs ?? 0)
      expect(events.filter(({ deltaMsSincePrevious }) => deltaMsSincePrevious === null)).toHaveLength(
        Math.min(1, events.length),
      )
      for (const { fromPackageName, toPackageName } of packageTransitions) {
        expect(fromPackageName).not.toBe(toPackageName)
      }
      expect(events.map(({ seq }) => seq)).toEqual(recording.events.map(({ seq }) => seq).toSorted((a, b) => a - b))
      const trees = recording.events.filter(({ snapshot }) => snapshot).length
      expect(events.filter(({ snapshot }) => snapshot.present)).toHaveLength(trees)
      const printed = events.filter(({ snapshot }) => snapshot.xml !== null)
      expect(printed).toHaveLength(snapshots === 'include' ? trees : 0)
    }),
  )
})

const shopping: readonly RecordingEvent[] = [
  {
    ts: 1,
    seq: 0,
    type: 'window_change',
    packageName: 'com.shop',
    className: null,
    title: "Ada's lists",
    snapshot: '<hierarchy words="milk"/>',
  },
  { ts: 2, seq: 1, type: 'text_change', packageName: 'com.shop', resourceId: null, text: '' },
  { ts: 3, seq: 2, type: 'text_change', packageName: 'com.shop', resourceId: null, text: 'milk' },
  { ts: 4, seq: 3, type: 'text_change', packageName: 'com.shop', resourceId: null, text: '41' },
  {
    ts: 5,
    seq: 4,
    type: 'click',
    packageName: 'com.shop',
    resourceId: 'com.shop:id/row',
    text: 'Oat milk, 41 of 414',
    contentDesc: 'Save',
    bounds: { left: 0, top: 0, right: 1, bottom: 1 },
  },
]

test('a redacted export has no typed text, title or tree, and keeps everything else', () => {
  const recording = { header, events: shopping }
  const artifact = exportRecording(recording, { snapshots: 'include', redact: true })
  const text = printJson(artifact)
  expect(text).not.toMatch(/milk|Ada|"41"|<hierarchy/)
  expect(artifact.snapshotMode).toBe('omit')
  expect(artifact.events.map((event) => ('text' in event ? event.text : null))).toEqual([
    null,
    '',
    '•••',
    '•••',
    'Oat •••, ••• of 414',
  ])
  expect(artifact.events[4]).toMatchObject({ contentDesc: 'Save', resourceId: 'com.shop:id/row' })
  expect(printJson(exportRecording(recording, { snapshots: 'include' }))).toMatch(/milk/)
})

test('unknown keys of an export are accepted', () => {
  const text = readRealExport('climate-power').replace('{', '{ "colour": "red",')
  expect(RecordingExport.safeParse(JSON.parse(text)).success).toBe(true)
})
