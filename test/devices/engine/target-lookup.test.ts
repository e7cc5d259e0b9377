import { expect, test } from 'vitest'
import { BENCH, toResourceId, overBothServers } from './bench.ts'

overBothServers((open) => {
  test('a visible node is found with one dump', async () => {
    const bench = await open()
    await bench.show('reading')
    const { success, data } = await bench.step({
      type: 'wait_for_node',
      params: { matcher: { resourceId: toResourceId('version') }, timeoutMs: 8000 },
    })
    expect(success).toBe(true)
    expect(data).toEqual({
      resource_id: toResourceId('version'),
      label: '1.2.3',
      timeout_ms: '8000',
    })
    expect(bench.calls).toEqual(['dump'])
  })

  test('wait_for_node waits longer than the retries of the step', async () => {
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
    // The node appears after about twelve seconds.
    const start = bench.clock.now()
    while (bench.clock.now() - start < 12_000) await new Promise((resolve) => setImmediate(resolve))
    bench.phone.setState(BENCH, { memory: { ready: true } })
    const envelope = await waiting
    expect(envelope.stepResults[0]).toMatchObject({ success: true, data: { label: 'It is ready' } })
    expect(bench.dumps()).toBeGreaterThan(10)
  })

  test('a wait ends at its time limit with the reason', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step({
      type: 'wait_for_node',
      params: { matcher: { text: 'No such' }, timeoutMs: 3000 },
    })
    expect(data['error']).toBe('NODE_NOT_FOUND')
    expect(bench.slept.reduce((sum, ms) => sum + ms, 0)).toBe(3000)
  })

  test('a wait without a time limit lasts as long as the execution', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step(
      { type: 'wait_for_node', params: { matcher: { text: 'No such' } } },
      { timeoutMs: 4000 },
    )
    expect(data).toMatchObject({ error: 'RESULT_ENVELOPE_TIMEOUT', last_error: 'NODE_NOT_FOUND' })
  })

  test('a click reuses the reading of the preceding wait', async () => {
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

  test('an old reading or one without the target is not reused', async () => {
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
    await bench.execute([wait, { type: 'click', params: { matcher: { text: 'No such' }, retry: { maxAttempts: 1 } } }])
    expect(bench.calls).toEqual(['dump', 'dump'])
  })

  test('a strict matcher that matches two nodes lists both and touches neither', async () => {
    const bench = await open()
    await bench.show('taps')
    for (const params of [{ matcher: { text: 'Twin' }, strict: true }, { matcher: { text: 'Twin', strict: true } }]) {
      const { data } = await bench.step({ type: 'click', params })
      expect(data).toMatchObject({ error: 'NODE_AMBIGUOUS', candidate_count: '2' })
      const candidates = JSON.parse(data['candidates'] ?? '') as Record<string, unknown>[]
      expect(candidates).toMatchObject([
        { label: 'Twin', resource_id: toResourceId('twin'), role: 'button' },
        { label: 'Twin', resource_id: toResourceId('twin') },
      ])
      expect(candidates[0]?.['path']).not.toBe(candidates[1]?.['path'])
    }
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: '' })
    expect(bench.dumps()).toBe(2)
  })

  test.each([
    ['the first of several', { matcher: { text: 'Twin' } }, 'first'],
    ['the node at the index', { matcher: { text: 'Twin', index: 1 }, strict: true }, 'second'],
    ['the node in the container', { matcher: { text: 'Twin' }, container: { id: 'lower' } }, 'second'],
    [
      "the node in the matcher's own container",
      { matcher: { text: 'Twin', container: { id: 'lower' } }, strict: true },
      'second',
    ],
  ])('%s is clicked', async (_name, params, expected) => {
    const bench = await open()
    await bench.show('taps')
    const written = JSON.parse(JSON.stringify(params).replaceAll('"lower"', `"${toResourceId('lower')}"`))
    await bench.step({ type: 'click', params: written as Record<string, unknown> })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: expected })
  })

  test('a missing container fails with CONTAINER_NOT_FOUND', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step({
      type: 'click',
      params: {
        matcher: { text: 'Twin' },
        container: { resourceId: toResourceId('none') },
        retry: { maxAttempts: 2, initialDelayMs: 10 },
      },
    })
    expect(data).toMatchObject({ error: 'CONTAINER_NOT_FOUND', attempts: '2' })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ twin: '' })
  })

  test('the retries of a missing node follow its preset with jitter', async () => {
    const bench = await open()
    await bench.show('taps')
    const action = { type: 'click', params: { matcher: { text: 'No such' } } }
    const { data } = await bench.step(action, { random: () => 0 })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', attempts: '5' })
    expect(bench.slept).toEqual([425, 850, 1700, 2550])
    expect(bench.dumps()).toBe(5)
  })

  test('a retry that would exceed the time limit is not started', async () => {
    const bench = await open()
    await bench.show('taps')
    const action = { type: 'click', params: { matcher: { text: 'No such' } } }
    const { data } = await bench.step(action, { random: () => 0.5, timeoutMs: 2000 })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', attempts: '3' })
    expect(bench.slept).toEqual([500, 1000])
  })

  test('read_text reads one text, all texts, texts in a container and descriptions', async () => {
    const bench = await open()
    await bench.show('reading')
    const line = { resourceId: toResourceId('line') }
    const envelope = await bench.execute([
      { type: 'read_text', params: { matcher: line } },
      { type: 'read_text', params: { matcher: line, all: true } },
      {
        type: 'read_text',
        params: { matcher: line, all: true, container: { resourceId: toResourceId('under') } },
      },
      { type: 'read_text', params: { matcher: { resourceId: toResourceId('icon') } } },
    ])
    expect(envelope.stepResults.map(({ data }) => data)).toEqual([
      { text: 'alpha' },
      { text: '["alpha","beta","gamma"]', all: 'true', count: '3' },
      {
        text: '["gamma"]',
        all: 'true',
        count: '1',
        container: JSON.stringify({ resourceId: toResourceId('under') }),
      },
      { text: 'An icon' },
    ])
    expect(bench.calls).toEqual(['dump', 'dump', 'dump', 'dump'])
  })

  test('read_text without a match fails with NODE_NOT_FOUND, also with all=true', async () => {
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
        matcher: { resourceId: toResourceId(id) },
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
    const params = { matcher: { resourceId: toResourceId(id) }, ...rule }
    const { success, data } = await bench.step({ type: 'read_text', params })
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: 'VALIDATOR_MISMATCH', raw_text })
    expect(bench.dumps()).toBe(1)
  })

  test('a pattern that is too large for the text is refused', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { reading: 'a'.repeat(1000) } })
    await bench.show('reading')
    const { data } = await bench.step({
      type: 'read_text',
      params: {
        matcher: { resourceId: toResourceId('temperature') },
        validator: 'regex',
        validatorPattern: 'a{0,490}',
      },
    })
    expect(data['error']).toBe('INVALID_REGEX_PATTERN')
  })

  test('read_key_value_pair reads the value next to a label', async () => {
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
