import { expect, test } from 'vitest'
import { formatPart, readLayout } from '../../../src/screen/page-layout.ts'
import { parseHierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { type Bench, CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const gone = {
  text: 'Gone',
  fallbacks: [{ text: 'Gone too' }, { text: 'Plain' }, part('pair'), { textContains: 'plai' }],
}
const once = { retry: { maxAttempts: 1 } }

/** The page on the screen, with the control that shows a text as target. */
async function sketchPage({ driver }: Bench, label: string) {
  const dump = await driver.dump({ timeoutMs: 5000, signal: new AbortController().signal })
  const read = parseHierarchy(dump.outcome === 'failed' ? '' : dump.xml)
  const nodes = read.ok ? read.hierarchy.nodes : expect.fail('no tree')
  const target = nodes.find(({ attributes }) => attributes['text'] === label) ?? expect.fail(`no ${label}`)
  const parts = readLayout(target)
  return { layout: parts.map(formatPart), at: parts.findIndex(({ node }) => node === target) }
}

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

  test('a control is touched where it stood if its page is recognised by its words or by its language', async () => {
    const bench = await opened()
    const page = await sketchPage(bench, 'Remember me')
    const click = (words: readonly string[]) => ({
      type: 'click',
      params: { matcher: { text: 'Gone', fallbacks: [{ clickable: true, page: { ...page, words } }] }, ...once },
    })
    const known = ['Quick', 'Stuck', 'Lazy', 'Guarded', 'Remember me', 'Plain', 'Switches']
    const foreign = ['Schnell', 'Fest', 'Träge', 'Merken']
    // All words of the app are known, but not those of this page: it is another page.
    expect((await bench.step(click(foreign), { words: known })).data).toMatchObject({ drift: 'other_page' })
    expect(bench.phone.touches()).toBe(0)
    expect(await bench.step(click(foreign), { words: [...foreign, 'Umschalter'] })).toMatchObject({ success: true })
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ remember: true })
    expect(await bench.step(click(known.slice(0, 4)), { words: known })).toMatchObject({
      success: true,
      data: { drift: 'first_anchor_missing', drift_votes: '2' },
    })
    expect(bench.phone.touches()).toBe(2)
  })

  test('a page of the same shape proves nothing in the language of the demonstration', async () => {
    const bench = await opened()
    const page = { ...(await sketchPage(bench, 'Remember me')), words: ['Schnell', 'Fest', 'Träge', 'Merken'] }
    const matcher = { text: 'Gone', fallbacks: [{ clickable: true, page }] }
    const claim = { type: 'expect', params: { matcher, timeoutMs: 300 } }
    const known = ['Quick', 'Stuck', 'Lazy', 'Remember me', 'Guarded', 'Plain', 'Switches']
    expect((await bench.step(claim, { words: known })).data).toMatchObject({
      error: 'VERIFY_FAILED',
      observed: 'missing',
    })
    expect(await bench.step(claim, { words: page.words })).toMatchObject({ success: true })
  })
})
