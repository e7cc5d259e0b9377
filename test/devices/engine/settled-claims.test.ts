import { expect, test } from 'vitest'
import { type Bench, type BenchOptions, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.claims'
const add = { type: 'click', params: { matcher: { text: 'Add' } } }
const claim = (text: string, more: Record<string, unknown> = {}) => ({
  type: 'expect',
  params: { matcher: { text }, settled: true, timeoutMs: 1000, ...more },
})
const added = claim('New')

overEmbeddedServer((open) => {
  const opened = async (saved: Record<string, string | number | boolean> = {}, options: BenchOptions = {}) => {
    const bench = await open(options)
    await bench.visit(APP, 'claims:list')
    bench.phone.setState(APP, { saved })
    return bench
  }
  const countPauses = (bench: Bench) => bench.slept.filter((ms) => ms >= 2400).length

  test('a claim that holds twice is confirmed after one pause, with two readings', async () => {
    const bench = await opened()
    const envelope = await bench.execute([add, added])
    expect(envelope.stepResults[1]).toMatchObject({ success: true, data: { observed: 'New', settled_ms: '4000' } })
    expect(bench.calls.filter((call) => call === 'dump')).toHaveLength(3)
    expect(countPauses(bench)).toBe(1)
  })

  test('a claim holds for the first time on the reading that ended the step before it', async () => {
    const bench = await opened()
    const wait = { type: 'wait_for_node', params: { matcher: { text: 'New' } } }
    const envelope = await bench.execute([add, wait, added])
    expect(envelope.stepResults[2]).toMatchObject({ success: true, data: { settled_ms: '4000' } })
    expect(bench.dumps()).toBe(3)
  })

  test('a slow dump is part of the pause, but ends no earlier than it', async () => {
    const bench = await opened({}, { latency: 'realistic' })
    const ends: number[] = []
    const envelope = await bench.execute([add, added], { onReading: ({ times }) => void ends.push(times.finishedMs) })
    expect(envelope.status).toBe('success')
    const [, first = 0, second = 0] = ends
    expect(second - first).toBeGreaterThanOrEqual(2400)
    // The pause is shorter by the fastest reading, which takes at least 1.2 seconds.
    expect(countPauses(bench)).toBe(0)
    expect(Math.max(...bench.slept)).toBeLessThanOrEqual(1300)
  })

  test('several claims share one pause and its readings', async () => {
    const bench = await opened()
    const envelope = await bench.execute([add, added, claim('Claims'), claim('No such', { present: false })])
    expect(envelope.status).toBe('success')
    expect(countPauses(bench)).toBe(1)
    expect(bench.dumps()).toBe(3)
    expect(envelope.stepResults.map(({ data }) => data['settled_ms'])).toEqual([
      undefined,
      undefined,
      undefined,
      '4000',
    ])
  })

  test.each([[[added]], [[added, claim('Claims')]]])(
    'what is taken back after two seconds is not a success',
    async (claims) => {
      const bench = await opened({ back_ms: 2000 })
      const envelope = await bench.execute([add, ...claims])
      expect(envelope.status).toBe('failed')
      expect(envelope.stepResults.at(-1)?.data).toMatchObject({
        error: 'VERIFY_FAILED',
        claim: 's2',
        observed: 'missing',
        observed_before: 'New',
        taken_back: 'true',
      })
    },
  )

  test('a claim that held by its words must hold by them again, although the app seems to speak another language', async () => {
    const bench = await opened({ back_ms: 2000 })
    const words = ['Liste', 'Einträge', 'Hinzufügen']
    const byPlace = { otherLanguage: { matcher: { textEquals: 'Claims' }, change: 'shown' } }
    const envelope = await bench.execute([add, claim('New', byPlace)], { words })
    expect(envelope.stepResults[1]?.data).toMatchObject({ observed_before: 'New', taken_back: 'true' })
    const foreign = await opened({ back_ms: 2000 })
    expect((await foreign.execute([add, claim('Neu', byPlace)], { words })).status).toBe('success')
  })

  test('what was shown at once and is taken back after a server answered is not a success', async () => {
    const bench = await opened({ back_ms: 3500 })
    expect((await bench.execute([add, added])).stepResults[1]?.data).toMatchObject({ taken_back: 'true' })
  })

  test('a message that disappears needs to hold only once, but a failure that follows refutes it', async () => {
    const bench = await opened({ back_ms: 2000 })
    const passing = claim('New', { transient: true })
    const envelope = await bench.execute([add, passing])
    expect(envelope.status).toBe('success')
    expect(envelope.stepResults[1]?.data).not.toHaveProperty('lasted')
    expect(countPauses(bench)).toBe(1)
    const late = await opened({ status: 'Sent', late_status: '', message: 'Could not be sent' })
    expect((await late.execute([add, passing])).stepResults[1]?.data).toMatchObject({
      contradicted_by: 'Could not be sent',
    })
  })

  test('a text that is still there when messages are gone has lasted, unless the page shows something new', async () => {
    const passing = claim('New', { transient: true })
    const bench = await opened()
    const envelope = await bench.execute([add, passing])
    expect(envelope.stepResults[1]).toMatchObject({ success: true, data: { lasted: 'true' } })
    expect(bench.slept.at(-1)).toBeGreaterThan(10_000)
    const changing = await opened()
    let readings = 0
    const later = await changing.execute([add, passing], {
      onReading: () => {
        readings += 1
        if (readings === 4) changing.phone.setState(APP, { saved: { notice: 'Undone' } })
      },
    })
    expect(later.stepResults[1]).toMatchObject({ success: true })
    expect(later.stepResults[1]?.data).not.toHaveProperty('lasted')
    // Together with a state, a message needs no more time.
    const both = await opened()
    const confirmed = await both.execute([add, passing, claim('Claims')])
    expect(confirmed.stepResults[2]?.data).not.toHaveProperty('lasted')
    expect(Math.max(...both.slept)).toBe(3800)
  })

  test('what was there before is not what was added', async () => {
    const twice = claim('New', { added: true })
    const bench = await opened()
    expect((await bench.execute([add, twice])).status).toBe('success')
    const again = await bench.execute([add, twice])
    expect(again.status).toBe('success')
    const old = await bench.execute([add, claim('Old', { added: true })])
    expect(old.stepResults[1]?.data).toMatchObject({ error: 'VERIFY_FAILED', observed: 'there before' })
    const untouched = await opened()
    expect((await untouched.execute([claim('Old', { added: true })])).status).toBe('success')
  })

  test('a claim about an entry does not hold if two entries fit', async () => {
    const bench = await opened()
    const sent = { ...added, params: { ...added.params, matcher: { text: 'Sent', row: [{ partEquals: 'New' }] } } }
    expect((await bench.execute([add, sent])).status).toBe('success')
    expect((await bench.execute([add, sent])).stepResults[1]?.data).toMatchObject({
      error: 'VERIFY_FAILED',
      observed: '2 alike',
    })
    const another = { ...sent, params: { ...sent.params, added: true } }
    expect((await bench.execute([add, another])).status).toBe('success')
  })

  test('a screen that shows something new after the pause is looked at once more', async () => {
    const late = await opened({ late_ms: 1500, back_ms: 4000 })
    const envelope = await late.execute([add, claim('Claims'), claim('Old')])
    expect(envelope.stepResults[2]).toMatchObject({ success: true, data: { settled_ms: '6400' } })
    const back = await opened({ late_ms: 1500, back_ms: 4000 })
    const gone = claim('Late', { present: false })
    expect((await back.execute([add, gone])).stepResults[1]?.data).toMatchObject({ taken_back: 'true' })
  })

  test.each(['Saved on this phone. Waiting to sync.', 'Queued'])(
    'the message "%s" refutes a claim, also when it is gone',
    async (passing) => {
      const bench = await opened({ passing })
      expect((await bench.execute([add, added])).stepResults[1]?.data).toMatchObject({ contradicted_by: passing })
    },
  )

  test.each(['Sending…', 'Saving', 'Saved'])('the message "%s" does not, when it is gone', async (passing) => {
    const bench = await opened({ passing })
    expect((await bench.execute([add, claim('New', { timeoutMs: 5000 })])).status).toBe('success')
  })

  test('a notice that there is no connection refutes, also if it was there before', async () => {
    const bench = await opened({ notice: 'No internet connection' })
    expect((await bench.execute([add, added])).stepResults[1]?.data).toMatchObject({
      contradicted_by: 'No internet connection',
    })
    const known = claim('New', { tolerated: ['No internet connection'] })
    expect((await bench.execute([add, known])).status).toBe('success')
  })

  test('the status of another row that shows the same counts if it is new', async () => {
    const bench = await opened({ status: 'Waiting to send', headline: 'New' })
    expect((await bench.execute([add, added])).stepResults[1]?.data).toMatchObject({
      contradicted_by: 'Waiting to send',
    })
  })

  test('the pause can be set, and without settled there is none', async () => {
    const bench = await opened({ back_ms: 2000 })
    const short = await bench.execute([add, claim('New', { settleMs: 500 })])
    expect(short.status).toBe('success')
    expect(countPauses(bench)).toBe(0)
    const plain = await bench.step(claim('Old', { settled: false }))
    expect(plain.data).not.toHaveProperty('settled_ms')
  })

  test.each([
    ['Failed', 'failure'],
    ['Not sent. Tap to retry', 'failure'],
    ['Wird gesendet', 'waiting'],
    ['Pending', 'waiting'],
    ['En attente', 'waiting'],
    ['发送失败', 'failure'],
  ])('the status "%s" in the row of the claim refutes it', async (status, kind) => {
    const bench = await opened({ status })
    const { data } = (await bench.execute([add, added])).stepResults[1] ?? expect.fail('no step')
    expect(data).toMatchObject({ error: 'VERIFY_FAILED', contradicted_by: status, contradiction: kind })
  })

  test.each(['Sent', 'Error-free', 'Delivered 12:30', ''])('the status "%s" does not', async (status) => {
    const bench = await opened({ status })
    expect((await bench.execute([add, added])).status).toBe('success')
  })

  test('a status that is waiting at first and then done does not refute', async () => {
    const bench = await opened({ status: 'Sending…', late_status: 'Sent' })
    const envelope = await bench.execute([add, claim('New', { timeoutMs: 5000 })])
    expect(envelope.status).toBe('success')
  })

  test('the status of another row does not count', async () => {
    const bench = await opened()
    expect((await bench.step(claim('Old'))).success).toBe(true)
    expect((await bench.step(claim('Older'))).data).toMatchObject({ contradicted_by: 'Failed' })
  })

  test('a text that the demonstration showed too is tolerated, whatever its digits', async () => {
    const bench = await opened({ status: 'Pending 12' })
    const tolerated = ['pending 7']
    expect((await bench.execute([add, claim('New', { tolerated })])).status).toBe('success')
  })

  test('a text that the run looks for does not count', async () => {
    const bench = await opened({ status: 'Pending' })
    expect((await bench.execute([add, claim('Pending')])).status).toBe('success')
  })

  test('a new message outside the list refutes, one that was there before does not', async () => {
    const bench = await opened({ message: 'Could not reach the server' })
    const refuted = await bench.execute([add, added])
    expect(refuted.stepResults[1]?.data).toMatchObject({ contradicted_by: 'Could not reach the server' })
    const again = await opened({ notice: 'Could not reach the server' })
    expect((await again.execute([add, added])).status).toBe('success')
  })

  test('beside a claim outside lists only what is new counts', async () => {
    const bench = await opened()
    expect((await bench.execute([add, claim('Summary')])).status).toBe('success')
    const changed = await opened({ aside_after: 'Failed 3 times' })
    expect((await changed.execute([add, claim('Summary')])).stepResults[1]?.data).toMatchObject({
      contradicted_by: 'Failed 3 times',
    })
  })

  test('claims share a pause across steps that only read', async () => {
    const bench = await opened()
    const read = { type: 'read_text', params: { matcher: { text: 'Summary' } } }
    expect((await bench.execute([add, added, read, claim('Claims')])).status).toBe('success')
    expect(countPauses(bench)).toBe(1)
  })

  test('what was taken back is not searched on another tab', async () => {
    const bench = await opened({ back_ms: 2000, tab: 'two' })
    const landmarks = [{ text: 'One', selected: true }]
    const envelope = await bench.execute([add, added], { landmarks })
    expect(envelope.stepResults[1]?.data).toMatchObject({ taken_back: 'true' })
    expect(bench.phone.state(APP).saved).toMatchObject({ tab: 'two' })
    const missing = await bench.step(claim('No such', { settled: false, timeoutMs: 300 }), { landmarks })
    expect(missing.success).toBe(false)
    expect(bench.phone.state(APP).saved).toMatchObject({ tab: 'one' })
  })

  test('a dialog about a failure still counts after it was dismissed', async () => {
    const bench = await opened({ dialog: true })
    const { data } = (await bench.execute([add, added])).stepResults[1] ?? expect.fail('no step')
    expect(data).toMatchObject({ error: 'VERIFY_FAILED', dismissed: 'Close' })
    expect(data['contradicted_by']).toMatch(/^Could not save/)
  })

  test('a failed entry does not count as already done', async () => {
    const bench = await opened({ status: 'Failed' })
    await bench.execute([add])
    const check = claim('New', { elseSkipTo: 's3' })
    const rest = [
      { type: 'sleep', params: { durationMs: 1 } },
      { type: 'sleep', params: { durationMs: 1 } },
    ]
    const envelope = await bench.execute([check, ...rest])
    expect(envelope.stepResults[0]?.data).toMatchObject({ held: 'false', skip_to: 's3' })
    expect(countPauses(bench)).toBe(0)
  })
})
