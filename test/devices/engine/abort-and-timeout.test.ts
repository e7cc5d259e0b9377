import { expect, test } from 'vitest'
import { BENCH, overBothServers } from './bench.ts'

const PRESS = { type: 'click', params: { matcher: { text: 'Press me' } } }
const MISSING = {
  type: 'wait_for_node',
  params: { matcher: { text: 'No such' }, timeoutMs: 60_000 },
}

overBothServers((open) => {
  test.each([
    ['a wait', MISSING, 'dump'],
    ['a sleep', { type: 'sleep', params: { durationMs: 60_000 } }, undefined],
    ['the pause between two attempts', { type: 'click', params: { matcher: { text: 'No such' } } }, 'dump'],
    ['a scroll', { type: 'scroll', params: { settleDelayMs: 10_000 } }, 'swipe'],
  ])('an abort ends an execution during %s', async (_name, action, after) => {
    const bench = await open({ realTime: true })
    await bench.show('list')
    const abort = new AbortController()
    const reason = new Error('aborted')
    const running = bench.execute([action, PRESS], { signal: abort.signal })
    const outcome = running.catch((error: unknown) => error)
    await waitUntil(() => after === undefined || bench.calls.includes(after))
    await pause(60)
    abort.abort(reason)
    expect(await outcome).toBe(reason)
    expect(bench.started).toEqual(['s1'])
    expect(bench.finished).toEqual([])
    const calls = bench.calls.length
    await pause(300)
    expect(bench.calls).toHaveLength(calls)
  })

  test('an abort ends an execution during a command that hangs', async () => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    bench.phone.faults.hangCommand(/input tap/)
    const abort = new AbortController()
    const running = bench.execute([PRESS, PRESS], { signal: abort.signal })
    const outcome = running.catch((error: unknown) => error)
    await waitUntil(() => bench.calls.includes('tap'))
    await pause(30)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await outcome).toBe(reason)
    bench.phone.faults.clear()
    expect((await bench.step(PRESS)).success).toBe(true)
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
  })

  test('an execution aborted before its start calls nothing', async () => {
    const bench = await open()
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(bench.execute([PRESS], { signal })).rejects.toThrow('too late')
    expect(bench.calls).toEqual([])
    expect(bench.started).toEqual([])
  })

  test('an abort between two steps prevents the second', async () => {
    const bench = await open()
    await bench.show('taps')
    const abort = new AbortController()
    const onStepFinished = async () => abort.abort(new Error('between'))
    const running = bench.execute([PRESS, PRESS], { signal: abort.signal, onStepFinished })
    await expect(running).rejects.toThrow('between')
    expect(bench.started).toEqual(['s1'])
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
  })

  test('an abort after the last step is ignored', async () => {
    const bench = await open()
    await bench.show('taps')
    const abort = new AbortController()
    const onStepFinished = async () => abort.abort(new Error('late'))
    const envelope = await bench.execute([PRESS], { signal: abort.signal, onStepFinished })
    expect(envelope.status).toBe('success')
  })

  test('a sleep longer than the time limit ends with the execution', async () => {
    const bench = await open()
    const envelope = await bench.execute(
      [
        { type: 'press_key', params: { key: 'home' } },
        { type: 'sleep', id: 'nap', params: { durationMs: 60_000 } },
        PRESS,
      ],
      { timeoutMs: 1500 },
    )
    expect(envelope).toMatchObject({
      errorCode: 'RESULT_ENVELOPE_TIMEOUT',
      error: 'Step nap (sleep) failed: RESULT_ENVELOPE_TIMEOUT',
      hint: 'The time ran out in step nap (sleep); completed steps: s1.',
    })
    expect(Math.max(...bench.slept)).toBeLessThanOrEqual(1500)
    expect(bench.calls).toEqual(['keyevent'])
  })

  test('without remaining time no step is started', async () => {
    const bench = await open()
    const envelope = await bench.execute([PRESS, PRESS], { timeoutMs: 0 })
    expect(envelope).toMatchObject({ status: 'failed', errorCode: 'RESULT_ENVELOPE_TIMEOUT' })
    expect(envelope.hint).toMatch(/completed steps: none/)
    expect(bench.started).toEqual([])
    expect(bench.finished).toEqual([])
    expect(bench.calls).toEqual([])
  })

  test('a time limit that passes between two steps prevents the second', async () => {
    const bench = await open()
    await bench.show('taps')
    const onStepFinished = async () => bench.clock.sleep(5000)
    const envelope = await bench.execute([PRESS, PRESS], { timeoutMs: 4000, onStepFinished })
    expect(envelope.stepResults.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed'])
    expect(envelope.errorCode).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(bench.started).toEqual(['s1'])
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
  })

  test('an error of the host callback rejects the execution', async () => {
    const bench = await open()
    await bench.show('taps')
    const onStepFinished = async () => {
      throw new Error('the disk is full')
    }
    const running = bench.execute([PRESS, PRESS], { onStepFinished })
    await expect(running).rejects.toThrow('the disk is full')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
  })
})

async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(2)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
