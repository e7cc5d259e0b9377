import { expect, test } from 'vitest'
import { CONTROLS, overEmbeddedServer } from './bench.ts'

const click = (text: string) => ({
  type: 'click',
  params: { matcher: { text }, retry: { maxAttempts: 1 } },
})

overEmbeddedServer((open) => {
  const opened = async (screen = 'switches') => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test.each([
    [{ when: { text: 'Quick' } }, undefined],
    [{ when: { text: 'No such' } }, 'when'],
    [{ unless: { text: 'Quick' } }, 'unless'],
    [{ unless: { text: 'No such' } }, undefined],
    [{ when: { text: 'Quick' }, unless: { text: 'No such' } }, undefined],
    [{ when: { text: 'Quick' }, unless: { text: 'Lazy' } }, 'unless'],
    [{ when: { text: 'No such' }, unless: { text: 'Lazy' } }, 'unless'],
    [{ when: { resourceId: `${CONTROLS}:id/task`, strict: true } }, undefined],
  ])('with %j a step is skipped by %s', async (guards, skipped_by) => {
    const bench = await opened()
    const { success, outcome, data } = await bench.step({ ...click('Plain'), ...guards })
    expect(success).toBe(true)
    expect(outcome).toBe(skipped_by === undefined ? 'succeeded' : 'skipped')
    expect(data['skipped_by']).toBe(skipped_by)
    const isDone = skipped_by === undefined
    expect(bench.phone.touches()).toBe(isDone ? 1 : 0)
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ picked: isDone ? 'plain' : '' })
  })

  test('a guard and its step share one reading', async () => {
    const bench = await opened()
    await bench.step({ ...click('Plain'), when: { text: 'Quick' } })
    expect(bench.calls).toEqual(['dump', 'tap'])
  })

  test('the steps after a skipped step run', async () => {
    const bench = await opened()
    const envelope = await bench.execute([{ ...click('No such'), when: { text: 'No such' } }, click('Plain')])
    expect(envelope).toMatchObject({ status: 'success', error: null })
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ picked: 'plain' })
  })

  test.each([
    { type: 'open_app', params: { applicationId: 'org.apprentice.notes' } },
    { type: 'press_key', params: { key: 'home' } },
    { type: 'sleep', params: { durationMs: 5000 } },
    { type: 'expect', params: { matcher: { text: 'No such' } } },
    { type: 'read_text', params: { matcher: { text: 'No such' } } },
    { type: 'take_screenshot' },
  ])('$type can be guarded', async (action) => {
    const bench = await opened()
    const { success, data } = await bench.step({ ...action, when: { text: 'No such' } })
    expect(success).toBe(true)
    expect(data).toEqual({ skipped_by: 'when' })
    expect(bench.phone.foreground()?.packageName).toBe(CONTROLS)
    expect(bench.slept).toEqual([])
    expect(bench.screenshots).toEqual([])
  })

  test('a guard waits for a loading screen', async () => {
    const bench = await opened('waiting')
    const { success, data } = await bench.step({ ...click('Arrived'), when: { text: 'Arrived' } })
    expect(success).toBe(true)
    expect(data).not.toHaveProperty('skipped_by')
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ picked: 'arrived' })
    await bench.visit(CONTROLS, 'controls:waiting')
    const unless = await bench.step({ ...click('Arrived'), unless: { text: 'Arrived' } })
    expect(unless.data).toEqual({ skipped_by: 'unless' })
  })

  test('a screen that never stops loading is waited for only once', async () => {
    const bench = await opened('spinning')
    const never = { ...click('No such'), when: { text: 'No such' } }
    const start = bench.clock.now()
    await bench.execute([never, never, never, never])
    const sleptMs = bench.clock.now() - start
    expect(sleptMs).toBeGreaterThan(5000)
    expect(sleptMs).toBeLessThan(20_000)
    expect(bench.finished.map(({ result }) => result.data['skipped_by'])).toEqual(Array(4).fill('when'))
  })

  test.each([
    [{ when: { text: 'Quick' } }, undefined],
    [{ unless: { text: 'Quick' } }, 'unless'],
  ])('%j is evaluated after dismissing a known dialog', async (guards, skipped_by) => {
    const bench = await opened()
    bench.phone.showDialog(CONTROLS, 'offer')
    const dismissals = [{ text: 'Not now' }]
    const { success, data } = await bench.step({ ...click('Plain'), ...guards }, { dismissals })
    expect({ success, skipped_by: data['skipped_by'], dismissed: data['dismissed'] }).toEqual({
      success: true,
      skipped_by,
      dismissed: 'Not now',
    })
  })

  test('an unreadable screen fails a guarded step', async () => {
    const bench = await opened()
    bench.phone.faults.set('dumpNullRoot')
    for (const guards of [{ when: { text: 'Quick' } }, { unless: { text: 'No such' } }]) {
      const { success, data } = await bench.step({ ...click('Plain'), ...guards })
      expect({ success, error: data['error'] }).toEqual({
        success: false,
        error: 'UI_TREE_UNAVAILABLE',
      })
    }
    expect(bench.phone.touches()).toBe(0)
  })
})
