import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { RecordingEvent, RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import type { Recording } from '../../../src/devices/recording/ndjson.ts'

export const REAL_EXPORTS = ['discharge-limit', 'climate-power'] as const

export function readRealExport(name: (typeof REAL_EXPORTS)[number]): string {
  const folder = join(import.meta.dirname, '../../fixtures/recordings')
  return readFileSync(join(folder, `${name}.export.json`), 'utf8').trimEnd()
}

/** Restores the recording of an export, without its trees. */
export function restoreRecording({ session, events }: RecordingExport): Recording {
  return {
    header: { type: 'recording_header', ...session },
    events: events.map(({ deltaMsSincePrevious: _delta, snapshot: _snapshot, ...event }) => event),
  }
}

export const header = {
  type: 'recording_header',
  schemaVersion: 1,
  sessionId: 'morning-1',
  startedAt: 1_700_000_000_000,
  operatorPackage: 'org.apprentice',
} as const

const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
const textOrNull = fc.option(texts)
const integer = fc.integer({ min: -10_000, max: 10_000 })
const snapshot = fc.oneof(
  fc.constant({}),
  fc.record({ snapshot: fc.option(fc.constantFrom('', '<hierarchy/>', '<a b="&amp;">\n</a>')) }),
)
const marks = { ts: fc.integer({ min: 0, max: 2 ** 41 }), seq: fc.nat(40) }
const place = { packageName: fc.constantFrom('', 'com.a', 'com.b', 'com.a.keyboard') }

const event: fc.Arbitrary<RecordingEvent> = fc
  .tuple(
    fc.oneof(
      fc.record({ ...marks, type: fc.constant('window_change' as const), ...place }),
      fc.record({
        ...marks,
        type: fc.constant('window_change' as const),
        ...place,
        className: textOrNull,
        title: textOrNull,
      }),
      fc.record({
        ...marks,
        type: fc.constant('click' as const),
        ...place,
        resourceId: textOrNull,
        text: textOrNull,
        contentDesc: textOrNull,
        bounds: fc.record({ left: integer, top: integer, right: integer, bottom: integer }),
      }),
      fc.record({
        ...marks,
        type: fc.constant('scroll' as const),
        ...place,
        resourceId: fc.constantFrom(null, 'com.a:id/list'),
        scrollX: integer,
        scrollY: integer,
        maxScrollX: integer,
        maxScrollY: integer,
      }),
      fc.record({
        ...marks,
        type: fc.constant('press_key' as const),
        key: fc.constant('back' as const),
      }),
      fc.record({
        ...marks,
        type: fc.constant('text_change' as const),
        ...place,
        resourceId: fc.constantFrom(null, 'com.a:id/field'),
        text: texts,
      }),
    ),
    snapshot,
  )
  .map(([one, tree]): RecordingEvent => ({ ...one, ...tree }))

export const anyRecording: fc.Arbitrary<Recording> = fc.record({
  header: fc.record({
    type: fc.constant('recording_header' as const),
    schemaVersion: fc.constant(1),
    sessionId: texts,
    startedAt: fc.integer({ min: 0, max: 2 ** 41 }),
    operatorPackage: texts,
  }),
  events: fc.array(event, { maxLength: 30 }),
})
