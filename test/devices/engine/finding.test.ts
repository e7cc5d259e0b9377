import { expect, test } from 'vitest'
import { BENCH, idOf, overBothFaces } from './bench.ts'

overBothFaces((open) => {
  test('a node that is there is found with one dump', async () => {
    const bench = await open()
    await bench.show('reading')
    const { success, data } = await bench.step({
      type: 'wait_for_node',
      params: { matcher: { resourceId: idOf('version') }, timeoutMs: 8000 },
    })
    expect(success).toBe(true)
    expect(data).toEqual({ resource_id: idOf('version'), label: '1.2.3', timeout_ms: '8000' })
    expect(bench.calls).toEqual(['dump'])
  })

  test('a node that comes late is waited for beyond the usual retries', async () => {
    const bench = await open()
    await bench.show('taps')
    const waiting = bench.execute([
      {
        type: 'wait_for_node',
        params: {
          matcher: { text: 'It is ready' },
          timeoutMs: 20_000,
          retry: { maxAttempts: 1 },
        },
      },
    ])
    // The node comes after some twelve seconds of sleeps.
    const start = bench.clock.now()
    while (bench.clock.now() - start < 12_000) await new Promise((resolve) => setImmediate(resolve))
    bench.phone.setState(BENCH, { memory: { ready: true } })
    const envelope = await waiting
    expect(envelope.stepResults[0]).toMatchObject({ success: true, data: { label: 'It is ready' } })
    expect(bench.dumps()).toBeGreaterThan(10)
  })

  test('a wait ends at its own time, with the reason', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step({
      type: 'wait_for_node',
      params: { matcher: { text: 'No such' }, timeoutMs: 3000 },
    })
    expect(data['error']).toBe('NODE_NOT_FOUND')
    expect(bench.slept.reduce((sum, ms) => sum + ms, 0)).toBe(3000)
  })

  test('a wait without a time of its own lasts as long as the execution', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step(
      { type: 'wait_for_node', params: { matcher: { text: 'No such' } } },
      { timeoutMs: 4000 },
    )
    expect(data).toMatchObject({ error: 'RESULT_ENVELOPE_TIMEOUT', last_error: 'NODE_NOT_FOUND' })
  })

  test('what a wait has just seen is not dumped again for the click that follows', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'wait_for_node', params: { matcher: { text: 'Press me' }, timeoutMs: 5000 } },
      { type: 'click', params: { matcher: { text: 'Press me' } } },
      { type: 'click', params: { matcher: { text: 'Press me' } } },
    ])
    expect(envelope.status).toBe('success')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 2 })
    expect(bench.calls).toEqual(['dump', 'tap', 'dump', 'tap'])
  })

  test('what a wait saw too long ago, or lacks the target, is dumped anew', async () => {
    const bench = await open()
    await bench.show('taps')
    const wait = {
      type: 'wait_for_node',
      params: { matcher: { text: 'Press me' }, timeoutMs: 5000 },
    }
    await bench.execute([
      wait,
      { type: 'sleep', params: { durationMs: 400 } },
      { type: 'click', params: { matcher: { text: 'Press me' } } },
    ])
    expect(bench.calls).toEqual(['dump', 'dump', 'tap'])
    bench.calls.length = 0
    await bench.execute([
      wait,
      { type: 'click', params: { matcher: { text: 'No such' }, retry: { maxAttempts: 1 } } },
    ])
    expect(bench.calls).toEqual(['dump', 'dump'])
  })

  test('a strict matcher that fits two nodes is refused with both, and neither is touched', async () => {
    const bench = await open()
    await bench.show('taps')
    for (const params of [
      { matcher: { text: 'Twin' }, strict: true },
      { matcher: { text: 'Twin', strict: true } },
    ]) {
      const { data } = await bench.step({ type: 'click', params })
      expect(data).toMatchObject({ error: 'NODE_AMBIGUOUS', candidate_count: '2' })
      const candidates = JSON.parse(data['candidates'] ?? '') as Record<string, unknown>[]
      expect(candidates).toMatchObject([
        { label: 'Twin', resource_id: idOf('twin'), role: 'button' },
        { label: 'Twin', resource_id: idOf('twin') },
      ])
      expect(candidates[0]?.['path']).not.toBe(candidates[1]?.['path'])
    }
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: '' })
    expect(bench.dumps()).toBe(2)
  })

  test.each([
    ['the first of several', { matcher: { text: 'Twin' } }, 'first'],
    ['the one of the index', { matcher: { text: 'Twin', index: 1 }, strict: true }, 'second'],
    [
      'the one in the container',
      { matcher: { text: 'Twin' }, container: { id: 'lower' } },
      'second',
    ],
    [
      "the one in the matcher's own container",
      { matcher: { text: 'Twin', container: { id: 'lower' } }, strict: true },
      'second',
    ],
  ])('without ambiguity %s is clicked', async (_name, params, expected) => {
    const bench = await open()
    await bench.show('taps')
    const written = JSON.parse(JSON.stringify(params).replaceAll('"lower"', `"${idOf('lower')}"`))
    await bench.step({ type: 'click', params: written as Record<string, unknown> })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: expected })
  })

  test('a container that is not there is named', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step({
      type: 'click',
      params: {
        matcher: { text: 'Twin' },
        container: { resourceId: idOf('none') },
        retry: { maxAttempts: 2, initialDelayMs: 10 },
      },
    })
    expect(data).toMatchObject({ error: 'CONTAINER_NOT_FOUND', attempts: '2' })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: '' })
  })

  test('the tries of a missing node follow its preset, shaken by a seeded jitter', async () => {
    const bench = await open()
    await bench.show('taps')
    const action = { type: 'click', params: { matcher: { text: 'No such' } } }
    const { data } = await bench.step(action, { random: () => 0 })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', attempts: '5' })
    expect(bench.slept).toEqual([425, 850, 1700, 2550])
    expect(bench.dumps()).toBe(5)
  })

  test('a try that would not end in time is not begun', async () => {
    const bench = await open()
    await bench.show('taps')
    const action = { type: 'click', params: { matcher: { text: 'No such' } } }
    const { data } = await bench.step(action, { random: () => 0.5, timeoutMs: 2000 })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', attempts: '3' })
    expect(bench.slept).toEqual([500, 1000])
  })

  test('texts are read: one, all, in a container, by description', async () => {
    const bench = await open()
    await bench.show('reading')
    const line = { resourceId: idOf('line') }
    const envelope = await bench.execute([
      { type: 'read_text', params: { matcher: line } },
      { type: 'read_text', params: { matcher: line, all: true } },
      {
        type: 'read_text',
        params: { matcher: line, all: true, container: { resourceId: idOf('under') } },
      },
      { type: 'read_text', params: { matcher: { resourceId: idOf('icon') } } },
    ])
    expect(envelope.stepResults.map(({ data }) => data)).toEqual([
      { text: 'alpha' },
      { text: '["alpha","beta","gamma"]', all: 'true', count: '3' },
      {
        text: '["gamma"]',
        all: 'true',
        count: '1',
        container: JSON.stringify({ resourceId: idOf('under') }),
      },
      { text: 'An icon' },
    ])
    expect(bench.calls).toEqual(['dump', 'dump', 'dump', 'dump'])
  })

  test('nothing to read is a missing node, also when all are wanted', async () => {
    const bench = await open()
    await bench.show('reading')
    for (const all of [false, true]) {
      const { data } = await bench.step({
        type: 'read_text',
        params: { matcher: { text: 'No such' }, all, retry: { maxAttempts: 1 } },
      })
      expect(data['error']).toBe('NODE_NOT_FOUND')
    }
  })

  test.each([
    ['temperature', 'temperature', undefined, '21.5 °C'],
    ['version', 'version', undefined, '1.2.3'],
    ['version', 'regex', String.raw`\d+\.\d+\.\d+`, '1.2.3'],
  ])('%s passes the validator %s', async (id, validator, validatorPattern, text) => {
    const bench = await open()
    await bench.show('reading')
    const { data } = await bench.step({
      type: 'read_text',
      params: {
        matcher: { resourceId: idOf(id) },
        validator,
        ...(validatorPattern !== undefined && { validatorPattern }),
      },
    })
    expect(data).toEqual({ text, validator })
  })

  test.each([
    ['version', { validator: 'temperature' }, '1.2.3'],
    ['temperature', { validator: 'version' }, '21.5 °C'],
    ['version', { validator: 'regex', validatorPattern: String.raw`\d+` }, '1.2.3'],
    ['line', { validator: 'regex', validatorPattern: '(a|aa)+$x' }, 'alpha'],
  ])('%s fails the validator %o', async (id, rule, raw_text) => {
    const bench = await open()
    await bench.show('reading')
    const params = { matcher: { resourceId: idOf(id) }, ...rule }
    const { success, data } = await bench.step({ type: 'read_text', params })
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: 'VALIDATOR_MISMATCH', raw_text })
    expect(bench.dumps()).toBe(1)
  })

  test('a pattern that never ends is no pattern', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { reading: `${'a'.repeat(40)}!` } })
    await bench.show('reading')
    const { data } = await bench.step({
      type: 'read_text',
      params: {
        matcher: { resourceId: idOf('temperature') },
        validator: 'regex',
        validatorPattern: '(a+)+',
      },
    })
    expect(data['error']).toBe('INVALID_REGEX_PATTERN')
  })

  test('the value that stands with a label', async () => {
    const bench = await open()
    await bench.show('reading')
    const read = (text: string, retry = {}) =>
      bench.step({
        type: 'read_key_value_pair',
        params: { labelMatcher: { textEquals: text }, retry },
      })
    expect((await read('Serial')).data).toEqual({ label: 'Serial', value: 'ABC-123' })
    expect((await read('Alone')).data['error']).toBe('VALUE_NODE_NOT_FOUND')
    expect((await read('Nowhere')).data['error']).toBe('NODE_NOT_FOUND')
    expect(bench.dumps()).toBe(3)
  })
})
