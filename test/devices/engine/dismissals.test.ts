import { expect, test } from 'vitest'
import { type Bench, BENCH, CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const once = { retry: { maxAttempts: 1 } }
const click = (text: string, more = once) => ({
  type: 'click',
  params: { matcher: { text }, ...more },
})
const dismissals = [{ text: 'Not now' }, { text: 'Seen' }, { text: 'Another day' }]
const saved = (bench: Bench) => bench.phone.state(CONTROLS).saved

overEmbeddedServer((open) => {
  const opened = async (screen: string) => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test.each([
    ['click', click('Plain'), 'switches'],
    ['wait_for_node', { type: 'wait_for_node', params: { matcher: { text: 'Plain' } } }, 'switches'],
    ['read_text', { type: 'read_text', params: { matcher: part('word'), ...once } }, 'numbers'],
    ['expect', { type: 'expect', params: { matcher: part('word') } }, 'numbers'],
    ['scroll', { type: 'scroll', params: { container: part('items') } }, 'barred'],
    ['scroll_and_click', { type: 'scroll_and_click', params: { matcher: { text: 'Item 9' } } }, 'barred'],
    ['set_checked', { type: 'set_checked', params: { matcher: { text: 'Quick' }, checked: true } }, 'switches'],
    [
      'adjust_until',
      {
        type: 'adjust_until',
        params: { value: part('value_value'), increase: part('value_plus'), target: 7 },
      },
      'numbers',
    ],
    [
      'wait_for_navigation',
      {
        type: 'wait_for_navigation',
        params: { expectedNode: { text: 'Plain' }, timeoutMs: 3000 },
      },
      'switches',
    ],
  ])('%s dismisses a known dialog', async (_type, action, screen) => {
    const bench = await opened(screen)
    bench.phone.showDialog(CONTROLS, 'offer')
    const { success, data } = await bench.step(action, { dismissals })
    expect({ success, dismissed: data['dismissed'] }).toEqual({
      success: true,
      dismissed: 'Not now',
    })
    expect(saved(bench)).toMatchObject({ offers: 1 })
  })

  test('a dismissal that covers nothing is not touched', async () => {
    const bench = await opened('switches')
    const { success, data } = await bench.step(click('Plain'), {
      dismissals: [{ text: 'Remember me' }],
    })
    expect(success).toBe(true)
    expect(data).not.toHaveProperty('dismissed')
    expect(saved(bench)).toMatchObject({ remember: false, picked: 'plain' })
  })

  test('a search dismisses only after the whole list was searched', async () => {
    const bench = await opened('barred')
    const dismissals = [{ resourceId: part('bar').resourceId }]
    const search = (text: string) => ({
      type: 'scroll_and_click',
      params: { matcher: { text }, maxSwipes: 50 },
    })
    const there = await bench.step(search('Item 25'), { dismissals })
    expect(there.success).toBe(true)
    expect(saved(bench)).toMatchObject({ picked: 'item 25', bar_taps: 0 })
    const nowhere = await bench.step(search('No such'), { dismissals })
    expect(nowhere.data).toMatchObject({ error: 'NODE_NOT_FOUND' })
    expect(saved(bench)).toMatchObject({ bar_taps: 2 })
  })

  test('a window of another app that covers the expected one is reported', async () => {
    const bench = await opened('switches')
    bench.phone.popUp({ title: 'Low battery', cancelable: false, buttons: [{ text: 'Got it' }] })
    const wait = {
      type: 'wait_for_navigation',
      params: { expectedPackage: 'org.apprentice.notes', timeoutMs: 500 },
    }
    expect((await bench.step(wait, { dismissals })).data).toMatchObject({
      error: 'NAVIGATION_TIMEOUT',
      in_the_way: 'Low battery: Got it',
    })
  })

  test('a system window is dismissed, and each step reports its own dismissals', async () => {
    const bench = await opened('switches')
    bench.phone.popUp({ title: 'Low battery', buttons: [{ text: 'Got it' }] })
    const running = bench.execute([click('Plain'), click('Remember me')], {
      dismissals: [...dismissals, { text: 'Got it' }],
    })
    expect((await running).stepResults.map(({ data }) => data['dismissed'])).toEqual(['Got it', undefined])
    expect(saved(bench)).toMatchObject({ picked: 'plain', remember: true })
  })

  test('an unknown dialog that cannot be left is reported with the error of the step', async () => {
    const bench = await opened('switches')
    bench.phone.showDialog(CONTROLS, 'sure')
    const { data } = await bench.step(click('Plain'), { dismissals })
    expect(data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      in_the_way: 'Are you sure?: This cannot be undone.',
    })
    expect(data).not.toHaveProperty('dismissed')
    expect(saved(bench)).toMatchObject({ guarded: false })
    const seen = { type: 'expect', params: { matcher: { text: 'Plain' }, timeoutMs: 400 } }
    expect((await bench.step(seen)).data).toMatchObject({
      error: 'VERIFY_FAILED',
      in_the_way: 'Are you sure?: This cannot be undone.',
    })
  })

  test('a missing target without a dialog reports no dialog', async () => {
    const bench = await opened('switches')
    const { data } = await bench.step(click('No such'))
    expect(data).not.toHaveProperty('in_the_way')
  })

  test('a dialog that reappears is dismissed at most twice per execution', async () => {
    const bench = await opened('switches')
    bench.phone.showDialog(CONTROLS, 'nag')
    const plenty = { retry: { maxAttempts: 5, initialDelayMs: 10 } }
    const { success, data } = await bench.step(click('Plain', plenty), { dismissals })
    expect(success).toBe(false)
    expect(data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      dismissed: 'Seen, Seen',
      in_the_way: 'Rate us: Seen',
      attempts: '5',
    })
    expect(saved(bench)).toMatchObject({ nagged: 2 })
  })

  test('the limit of two counts over all steps of one execution', async () => {
    const bench = await opened('switches')
    const steps = [click('Plain'), click('Quick'), click('Remember me')]
    const started = async () => bench.phone.showDialog(CONTROLS, 'poll')
    const envelope = await bench.execute(steps, { dismissals, onStepStarted: started })
    expect(envelope.stepResults.map(({ success }) => success)).toEqual([true, true, false])
    expect(saved(bench)).toMatchObject({ offers: 2, picked: 'plain', quick: true, remember: false })
    await bench.execute([click('Remember me')], { dismissals })
    expect(saved(bench)).toMatchObject({ offers: 3, remember: true })
  })

  test('a dialog that covers the screen does not prove an absence', async () => {
    const bench = await opened('switches')
    bench.phone.showDialog(CONTROLS, 'offer')
    const { success, data } = await bench.step(
      { type: 'expect', params: { matcher: { text: 'Plain' }, present: false, timeoutMs: 600 } },
      { dismissals },
    )
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: 'VERIFY_FAILED', dismissed: 'Not now', observed: 'Plain' })
  })

  test('the evidence of a step does not contain its dismissals', async () => {
    const bench = await opened('switches')
    bench.phone.showDialog(CONTROLS, 'offer')
    await bench.step(click('Plain'), { dismissals })
    const { evidence } = bench.finished[0] ?? expect.fail('no step')
    expect(evidence.node).toMatchObject({ label: 'Plain' })
    expect(evidence.before?.package).toBe(CONTROLS)
  })

  test('a popup of the climate app is dismissed', async () => {
    const bench = await open()
    const climate = 'org.apprentice.climate'
    await bench.visit(climate, 'climate://unit/1')
    bench.phone.showDialog(climate, 'maintenance', { name: 'Lobby' })
    const { success } = await bench.step(
      {
        type: 'set_checked',
        params: { matcher: { resourceId: `${climate}:id/power` }, checked: false },
      },
      { dismissals: [{ text: 'Later' }] },
    )
    expect(success).toBe(true)
    const local = bench.phone.state(climate).screens.at(-1)?.local
    expect(local).toMatchObject({ draft: { power: false } })
  })

  test('more than ten dismissals are refused', async () => {
    const bench = await open()
    await bench.show('taps')
    const many = Array.from({ length: 11 }, () => ({ text: 'x' }))
    await expect(bench.step(click('Press me'), { dismissals: many })).rejects.toThrow(/dismissals/)
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 0 })
  })
})
