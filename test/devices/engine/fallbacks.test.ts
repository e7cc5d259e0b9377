import { expect, test } from 'vitest'
import { CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const gone = {
  text: 'Gone',
  fallbacks: [{ text: 'Gone too' }, { text: 'Plain' }, part('pair'), { textContains: 'plai' }],
}
const once = { retry: { maxAttempts: 1 } }

overEmbeddedServer((open) => {
  const opened = async (screen = 'switches') => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test.each([
    ['click', { matcher: gone }],
    ['wait_for_node', { matcher: gone, timeoutMs: 1000 }],
    ['read_text', { matcher: gone }],
    ['scroll_and_click', { matcher: gone }],
    ['expect', { matcher: gone }],
  ])('%s uses the node that most fallbacks find and reports the drift', async (type, params) => {
    const bench = await opened()
    const { success, data } = await bench.step({ type, params })
    expect({ success, ...data }).toMatchObject({
      success: true,
      used_fallback: '2',
      drift: 'first_anchor_missing',
      drift_votes: '2',
    })
    const isTouched = ['click', 'scroll_and_click'].includes(type)
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ picked: isTouched ? 'plain' : '' })
    expect(bench.finished[0]?.evidence.fallback).toBe(2)
  })

  test('a matcher and its fallbacks use the same reading', async () => {
    const bench = await opened()
    await bench.step({ type: 'click', params: { matcher: gone } })
    expect(bench.calls).toEqual(['dump', 'tap'])
  })

  test('a matcher that finds a node ignores its fallbacks', async () => {
    const bench = await opened()
    const matcher = { text: 'Plain', fallbacks: [{ text: 'Remember me' }] }
    const { data } = await bench.step({ type: 'click', params: { matcher } })
    expect(data).not.toHaveProperty('used_fallback')
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ picked: 'plain', remember: false })
  })

  test('an ambiguous matcher fails without trying fallbacks, and an ambiguous fallback does not vote', async () => {
    const bench = await opened()
    const fallbacks = [{ text: 'Plain' }]
    const many = { matcher: { ...part('task'), fallbacks }, strict: true, ...once }
    expect((await bench.step({ type: 'click', params: many })).data['error']).toBe('NODE_AMBIGUOUS')
    const matcher = { text: 'Gone', fallbacks: [part('task'), ...fallbacks] }
    const two = { matcher, strict: true, ...once }
    expect((await bench.step({ type: 'click', params: two })).data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      drift: 'lone_anchor',
    })
    expect(bench.phone.touches()).toBe(0)
  })

  test('a target is missing if no fallback matches', async () => {
    const bench = await opened()
    const matcher = { text: 'Gone', fallbacks: [{ text: 'Gone too' }] }
    const { data } = await bench.step({ type: 'click', params: { matcher, ...once } })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND' })
    expect(data).not.toHaveProperty('used_fallback')
  })

  test('fallbacks also work for stepper parts, pair labels and guards', async () => {
    const bench = await opened('numbers')
    const old = (name: string) => ({ text: 'Gone', fallbacks: [part(name), { ...part(name), enabled: true }] })
    const adjusted = await bench.step({
      type: 'adjust_until',
      when: old('word'),
      params: { value: old('value_value'), increase: old('value_plus'), target: 7 },
    })
    expect(adjusted).toMatchObject({ success: true, data: { used_fallback: '1' } })
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ value: 7 })
    await bench.show('reading')
    const labelMatcher = { text: 'Gone', fallbacks: [{ text: 'Serial' }] }
    const pair = await bench.step({ type: 'read_key_value_pair', params: { labelMatcher } })
    expect(pair.data).toMatchObject({ label: 'Serial', value: 'ABC-123', used_fallback: '1' })
  })

  test('what a single fallback finds is touched only if that cannot harm', async () => {
    const bench = await opened()
    const matcher = { text: 'Gone', fallbacks: [{ text: 'Plain' }, { text: 'Gone too' }] }
    const refused = await bench.step({ type: 'click', params: { matcher, ...once } })
    expect(refused.data).toMatchObject({ error: 'NODE_NOT_FOUND', drift: 'lone_anchor' })
    const typed = { matcher: { text: 'Gone', fallbacks: [{ text: 'Quick' }] }, checked: true, ...once }
    expect((await bench.step({ type: 'set_checked', params: typed })).data).toMatchObject({ drift: 'lone_anchor' })
    expect(bench.phone.touches()).toBe(0)
    const opening = { type: 'click', params: { matcher }, expects: { effect: 'local_state' } }
    expect(await bench.step(opening)).toMatchObject({ success: true, data: { drift_votes: '1' } })
    const read = await bench.step({ type: 'read_text', params: { matcher } })
    expect(read).toMatchObject({ success: true, data: { text: 'Plain', drift: 'first_anchor_missing' } })
  })
})
