import { expect, test } from 'vitest'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { redactEvents } from '../../src/devices/recording/export-redaction.ts'
import { shareDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'

const daemon = shareDaemon()
const bounds = { left: 0, top: 0, right: 1, bottom: 1 }
const click = (seq: number, text: string): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'click',
  packageName: 'a.b',
  resourceId: null,
  text,
  contentDesc: null,
  bounds,
})
const typing = (seq: number, text: string): RecordingEvent => ({
  ts: seq,
  seq,
  type: 'text_change',
  packageName: 'a.b',
  resourceId: null,
  text,
})
const HEADER = { type: 'recording_header', schemaVersion: 1, sessionId: 's', startedAt: 0, operatorPackage: 'p' }

test('a redacted export masks whole labels if more texts were typed than can be searched for', () => {
  const few = [typing(1, 'Ada Lovelace'), click(2, 'Send to Ada Lovelace')]
  expect(redactEvents(few)[1]).toMatchObject({ text: 'Send to •••' })
  const many = Array.from({ length: 201 }, (_, at) => typing(at, `text ${at}`))
  expect(redactEvents([...many, click(300, 'Send to text 7'), click(301, 'Save')]).slice(-2)).toMatchObject([
    { text: '•••' },
    { text: '•••' },
  ])
})

test('a redacted export of many typed texts and labels does not block the event loop', async () => {
  const events = Array.from({ length: 20_000 }, (_, at) =>
    at % 2 === 0 ? typing(at, `typed text number ${at}`) : click(at, `a label with typed text number ${at} `.repeat(8)),
  )
  const ndjson = [HEADER, ...events].map((line) => JSON.stringify(line)).join('\n')
  const body = { ndjson, redact: true }
  let reply: Awaited<ReturnType<ReturnType<typeof daemon>['post']>> | undefined
  const turn = await measureLongestTurn(async () => {
    reply = await daemon().post('/api/recordings/export', body)
  })
  expect(reply?.statusCode).toBe(200)
  expect(reply?.json()).toMatchObject({ counts: { totalEvents: 20_000 } })
  expect(turn).toBeLessThan(200)
})

test('a comparison of more checkpoints or events than can be aligned is refused by the name of the field', async () => {
  const baseline = {
    exportVersion: 1,
    session: { sessionId: 's', schemaVersion: 1, startedAt: 0, operatorPackage: 'p' },
    snapshotMode: 'omit',
    events: [],
    counts: { totalEvents: 0, byType: {} },
    packageTransitions: [],
    timeline: { firstEventTs: null, lastEventTs: null, durationMs: null },
  }
  const event = { ...click(1, 'Save'), deltaMsSincePrevious: null, snapshot: { present: false, xml: null } }
  const tooLong = { ...baseline, events: Array.from({ length: 5001 }, () => event) }
  const reply = await daemon().post('/api/recordings/compare', { baseline: tooLong, result: {} })
  expect(reply.json()).toMatchObject({
    error: { code: 'RECORDING_COMPARE_FAILED', details: { path: 'baseline.events' } },
  })
  const checkpoints = Array.from({ length: 501 }, (_, at) => ({ id: `step_${at}`, status: 'ok' }))
  const result = { skillResult: { checkpoints } }
  const second = await daemon().post('/api/recordings/compare', { baseline, result })
  expect(second.json<{ error: { code: string } }>().error.code).toBe('RECORDING_COMPARE_FAILED')
})
