import { expect, test } from 'vitest'
import { type Bench, BENCH, CONTROLS, toResourceId, overEmbeddedServer, listDisplayedTexts } from './bench.ts'

const picked = (bench: Bench, app: string) => bench.phone.state(app).saved['picked']
const swipes = (bench: Bench) => bench.calls.filter((name) => name === 'swipe').length
const search = (text: string, more: Record<string, unknown> = {}) => ({
  type: 'scroll_and_click',
  params: { matcher: { text }, bothWays: true, maxSwipes: 50, ...more },
})

async function scrollTo(bench: Bench, text: string): Promise<void> {
  const params = { matcher: { text }, maxScrolls: 50, maxDurationMs: 60_000 }
  await bench.step({ type: 'scroll_until', params })
  bench.calls.length = 0
}

overEmbeddedServer((open) => {
  test.each([
    ['below', 'Item 20', 'Item 38'],
    ['above', 'Item 20', 'Item 3'],
    ['at the top', 'Item 40', 'Item 1'],
    ['at the bottom', 'Item 1', 'Item 40'],
  ])('an item %s is found from any scroll position', async (_where, start, target) => {
    const bench = await open()
    await bench.show('list')
    await scrollTo(bench, start)
    const { success } = await bench.step(search(target))
    expect(success).toBe(true)
    expect(picked(bench, BENCH)).toBe(target.toLowerCase())
  })

  test('scroll_until searches both directions only with bothWays', async () => {
    const bench = await open()
    await bench.show('list')
    await scrollTo(bench, 'Item 30')
    const params = { matcher: { text: 'Item 2' }, maxScrolls: 60, maxDurationMs: 60_000 }
    const onward = await bench.step({ type: 'scroll_until', params })
    expect(onward.data).toMatchObject({
      error: 'TARGET_NOT_FOUND',
      termination_reason: 'EDGE_REACHED',
    })
    const back = await bench.step({ type: 'scroll_until', params: { ...params, bothWays: true } })
    expect(back.data).toMatchObject({ termination_reason: 'TARGET_FOUND', direction: 'down' })
    expect(listDisplayedTexts(bench.phone)).toContain('Item 2')
  })

  test('a missing item fails after the whole list was searched', async () => {
    const bench = await open()
    await bench.show('list')
    await scrollTo(bench, 'Item 20')
    const seen = new Set<string>()
    const driver = new Proxy(bench.driver, {
      get: (target, name) => {
        if (name === 'dump') for (const text of listDisplayedTexts(bench.phone)) seen.add(text)
        return Reflect.get(target, name) as unknown
      },
    })
    const { data } = await bench.step(search('No such'), { driver })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', termination_reason: 'EDGE_REACHED' })
    for (let item = 1; item <= 40; item += 1) expect(seen).toContain(`Item ${item}`)
    expect(picked(bench, BENCH)).toBe('')
  })

  test('the limit counts the swipes of both directions', async () => {
    const bench = await open()
    await bench.show('list')
    await scrollTo(bench, 'Item 38')
    const { data } = await bench.step(search('No such', { maxSwipes: 6 }))
    expect(data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      swipes_executed: '6',
      termination_reason: 'MAX_SCROLLS_REACHED',
    })
    expect(swipes(bench)).toBe(6)
  })

  test.each(Array.from({ length: 12 }, (_, at) => at + 5))(
    'row %d is moved out from under the bar before it is touched',
    async (row) => {
      const bench = await open()
      await bench.visit(CONTROLS, 'controls:barred')
      const { success } = await bench.step(search(`Item ${row}`))
      expect(success).toBe(true)
      expect(bench.phone.state(CONTROLS).saved).toMatchObject({
        picked: `item ${row}`,
        bar_taps: 0,
      })
    },
  )

  test.each([
    ['the top', 'first'],
    ['the bottom', 'last'],
  ])('a row cut off at %s is moved into view', async (_edge, which) => {
    const bench = await open()
    await bench.show('list')
    const getHeight = (id: string, at = 0) => {
      const nodes = bench.phone.screenNodes().filter(({ resourceId }) => resourceId === toResourceId(id))
      const { top, bottom } = (nodes.at(at) ?? expect.fail(`no ${id}`)).bounds
      return bottom - top
    }
    const [list, row] = [getHeight('items'), getHeight('item')]
    // The visible part of the row at the edge still contains its text.
    const past = which === 'first' ? 1.5 : 1.55 + Math.ceil(list / row) - list / row
    await bench.step({ type: 'scroll', params: { distanceRatio: (past * row) / (0.4 * list) } })
    const at = which === 'first' ? 0 : -1
    expect(getHeight('item', at)).toBeLessThan(0.6 * row)
    const cut =
      listDisplayedTexts(bench.phone)
        .filter((text) => text.startsWith('Item '))
        .at(at) ?? ''
    bench.calls.length = 0
    const { data } = await bench.step(search(cut))
    expect(picked(bench, BENCH)).toBe(cut.toLowerCase())
    expect(data['swipes_executed']).toBe('1')
    expect(bench.calls).toEqual(['dump', 'swipe', 'dump', 'tap'])
  })

  test('a fully visible row is touched without a swipe', async () => {
    const bench = await open()
    await bench.show('list')
    await bench.step(search('Item 1'))
    expect(bench.calls).toEqual(['dump', 'tap'])
  })

  test('a strict search is ambiguous only if several matches are visible together', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { items: [1, 2, 3, ...listWithTwins(40), 2] } })
    await bench.show('list')
    const alone = await bench.step(search('Item 2', { strict: true }))
    expect(alone.success).toBe(true)
    const together = await bench.step(search('Item 40', { strict: true }))
    expect(together.data).toMatchObject({ error: 'NODE_AMBIGUOUS', candidate_count: '2' })
    expect(picked(bench, BENCH)).toBe('item 2')
  })

  test.each([
    ['below', 'Item 1', 'Item 2'],
    ['above', 'Item 39', 'Item 2'],
    ['in sight', 'Item 1', 'Item 40'],
  ])('wholeList detects a second match that is not visible: %s', async (_where, start, target) => {
    const bench = await open()
    const items = [1, 2, 3, 40, ...Array.from({ length: 30 }, (_, at) => at + 5), 2, 39, 40]
    bench.phone.setState(BENCH, { saved: { items } })
    await bench.show('list')
    await scrollTo(bench, start)
    const { data } = await bench.step(search(target, { strict: true, wholeList: true }))
    expect(data).toMatchObject({ error: 'NODE_AMBIGUOUS', candidate_count: '2' })
    expect(picked(bench, BENCH)).toBe('')
    expect(bench.calls).not.toContain('tap')
  })

  test.each(['Item 1', 'Item 7', 'Item 23', 'Item 40'])(
    'wholeList does not count %s twice while scrolling',
    async (target) => {
      const bench = await open()
      await bench.show('list')
      await scrollTo(bench, 'Item 17')
      const { success } = await bench.step(search(target, { strict: true, wholeList: true }))
      expect(success).toBe(true)
      expect(picked(bench, BENCH)).toBe(target.toLowerCase())
    },
  )

  test('wholeList turns back at the end after two swipes without movement, and ends at the start after one', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { items: Array.from({ length: 18 }, (_, at) => at + 1) } })
    await bench.show('list')
    await bench.step(search('Item 2', { strict: true, wholeList: true }))
    expect(picked(bench, BENCH)).toBe('item 2')
    expect(swipes(bench)).toBe(7)
  })

  test('wholeList needs few swipes on a list that cannot scroll', async () => {
    const bench = await open()
    bench.phone.setState(BENCH, { saved: { items: [1, 2, 3] } })
    await bench.show('list')
    await bench.step(search('Item 2', { strict: true, wholeList: true }))
    expect(bench.calls.filter((name) => name === 'tap')).toHaveLength(1)
    expect(swipes(bench)).toBeLessThanOrEqual(4)
    expect(picked(bench, BENCH)).toBe('item 2')
  })

  test.each([
    ['waiting_list', search('Item 25')],
    ['waiting', { type: 'click', params: { matcher: { text: 'Arrived' } } }],
    ['waiting', { type: 'read_text', params: { matcher: { text: 'Arrived' } } }],
  ])('on %s a screen that loads for a long time is waited for', async (screen, action) => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    expect((await bench.step(action)).success).toBe(true)
  })

  test('maxAttempts=1 does not wait for a loading screen', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:waiting')
    const params = { matcher: { text: 'Arrived' }, retry: { maxAttempts: 1 } }
    expect((await bench.step({ type: 'click', params })).data['error']).toBe('NODE_NOT_FOUND')
    expect(bench.dumps()).toBe(1)
  })

  test('a screen that never stops loading does not block a step', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:spinning')
    const start = bench.clock.now()
    const { data } = await bench.step({ type: 'click', params: { matcher: { text: 'No such' } } })
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', attempts: '5' })
    expect(bench.clock.now() - start).toBeLessThan(25_000)
  })

  test('a dialog that appears during a search is dismissed', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:barred')
    let sweeps = 0
    const driver = new Proxy(bench.driver, {
      get: (target, name) => {
        if (name !== 'swipe') return Reflect.get(target, name) as unknown
        return async (...args: Parameters<typeof bench.driver.swipe>) => {
          sweeps += 1
          await bench.driver.swipe(...args)
          if (sweeps === 2) bench.phone.showDialog(CONTROLS, 'offer')
        }
      },
    })
    const { success, data } = await bench.step(search('Item 25'), {
      driver,
      dismissals: [{ text: 'Not now' }],
    })
    expect(success).toBe(true)
    expect(data['dismissed']).toBe('Not now')
    expect(picked(bench, CONTROLS)).toBe('item 25')
  })

  test.each([
    ['Item 99', {}, undefined],
    ['Item 25', {}, 'VERIFY_FAILED'],
    ['Item 99', { maxScrolls: 2 }, 'VERIFY_INDETERMINATE'],
    ['Item 99', { maxDurationMs: 1 }, 'VERIFY_INDETERMINATE'],
  ])('the absence of %s with %j: %s', async (text, more, error) => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:barred')
    const params = { matcher: { text }, absent: true, bothWays: true, maxScrolls: 100, maxDurationMs: 60_000, ...more }
    const { success, data } = await bench.step({ type: 'scroll_until', params })
    expect({ success, error: data['error'] }).toEqual({ success: error === undefined, error })
    expect(picked(bench, CONTROLS)).toBe('')
  })
})

function listWithTwins(item: number): number[] {
  return [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, item, item, 22, 23, 24, 25, 26, 27, 28, 29]
}
