import { expect, test } from 'vitest'
import { WorkerPool } from '../../src/workers/worker-pool.ts'

const LIMITS = { processes: 1, timeout_ms: 30_000, waiting: 2, heap_megabytes: 64 }
const URL = '/api/recordings/parse'
const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const HEADER = JSON.stringify({
  type: 'recording_header',
  schemaVersion: 1,
  sessionId: 's',
  startedAt: 0,
  operatorPackage: 'p',
})
const EVENT = JSON.stringify({ ts: 1, seq: 1, type: 'press_key', key: 'back', snapshot: null })
const recordingOf = (events: number): Uint8Array =>
  encode({ ndjson: `${HEADER}\n${`${EVENT}\n`.repeat(events)}`, mode: 'full' })

test('a worker answers, and a failure keeps its code and details', async () => {
  const pool = new WorkerPool(LIMITS)
  const answer = await pool.run('answerRequest', { url: URL, body: recordingOf(2) })
  expect(JSON.parse(new TextDecoder().decode(answer))).toMatchObject({ sessionId: 's', steps: [{}, {}] })
  const refused = pool.run('answerRequest', { url: URL, body: encode({ ndjson: '{' }) })
  await expect(refused).rejects.toMatchObject({ code: 'RECORDING_PARSE_FAILED', details: { line: 1 } })
  const invalid = pool.run('answerRequest', { url: URL, body: encode({}) })
  await expect(invalid).rejects.toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'ndjson' } })
})

test('a task that takes too long ends with its process, and the next one gets a new process', async () => {
  const pool = new WorkerPool({ ...LIMITS, timeout_ms: 1 })
  const late = pool.run('answerRequest', { url: URL, body: recordingOf(20_000) })
  await expect(late).rejects.toMatchObject({ code: 'WORK_LIMIT_EXCEEDED', details: { limit: 'time' } })
  const again = pool.run('answerRequest', { url: URL, body: recordingOf(20_000) })
  await expect(again).rejects.toMatchObject({ code: 'WORK_LIMIT_EXCEEDED' })
})

test('a task that takes too much memory ends with its process and not with the daemon', async () => {
  const pool = new WorkerPool({ ...LIMITS, heap_megabytes: 32 })
  const large = pool.run('answerRequest', { url: URL, body: recordingOf(200_000) })
  await expect(large).rejects.toMatchObject({ code: 'WORK_LIMIT_EXCEEDED', details: { limit: 'memory' } })
})

test('more tasks than may wait are refused', async () => {
  const pool = new WorkerPool({ ...LIMITS, waiting: 1 })
  const first = pool.run('answerRequest', { url: URL, body: recordingOf(1) })
  const second = pool.run('answerRequest', { url: URL, body: recordingOf(1) })
  await expect(pool.run('answerRequest', { url: URL, body: recordingOf(1) })).rejects.toMatchObject({
    code: 'OVERLOADED',
  })
  await Promise.all([first, second])
})

test('an aborted task ends, whether it waits or runs', async () => {
  const pool = new WorkerPool(LIMITS)
  const stop = new AbortController()
  const body = recordingOf(20_000)
  const running = pool.run('answerRequest', { url: URL, body }, { signal: stop.signal })
  const waiting = pool.run('answerRequest', { url: URL, body }, { signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(running).rejects.toThrow('stopped')
  await expect(waiting).rejects.toThrow('stopped')
  await expect(pool.run('answerRequest', { url: URL, body: recordingOf(1) })).resolves.toBeInstanceOf(Uint8Array)
})
