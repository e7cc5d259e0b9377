import { expect, test } from 'vitest'
import { BENCH, toResourceId, overBothServers, listDisplayedTexts } from './bench.ts'

overBothServers((open) => {
  test('a scroll reports that the list moved and needs two dumps', async () => {
    const bench = await open()
    await bench.show('list')
    const { success, data } = await bench.step({ type: 'scroll', params: {} })
    expect(success).toBe(true)
    expect(data).toEqual({
      scroll_outcome: 'moved',
      direction: 'down',
      distance_ratio: '0.7',
      settle_delay_ms: '250',
      resolved_container: toResourceId('items'),
    })
    expect(listDisplayedTexts(bench.phone)).not.toContain('Item 1')
    expect(bench.slept).toEqual([250])
    expect(bench.calls).toEqual(['dump', 'swipe', 'dump'])
  })

  test('consecutive scrolls share their readings', async () => {
    const bench = await open()
    await bench.show('list')
    const envelope = await bench.execute([{ type: 'scroll' }, { type: 'scroll' }])
    expect(envelope.stepResults[1]?.data['scroll_outcome']).toBe('moved')
    expect(bench.calls).toEqual(['dump', 'swipe', 'dump', 'swipe', 'dump'])
  })

  test('a scroll at the edge reports edge_reached, a scroll back reports moved', async () => {
    const bench = await open()
    await bench.show('list')
    const outcomes: (string | undefined)[] = []
    for (const direction of ['up', 'down', 'up', 'up']) {
      const { data } = await bench.step({ type: 'scroll', params: { direction } })
      outcomes.push(data['scroll_outcome'])
    }
    expect(outcomes).toEqual(['edge_reached', 'moved', 'moved', 'edge_reached'])
    expect(listDisplayedTexts(bench.phone)).toContain('Item 1')
  })

  test.each([
    ['a screen without a list', 'reading', {}, 'CONTAINER_NOT_FOUND'],
    ['an unknown list', 'list', { container: { resourceId: 'none' } }, 'CONTAINER_NOT_FOUND'],
    ['a list that fits', 'short', { container: { resourceId: toResourceId('few') } }, 'CONTAINER_NOT_SCROLLABLE'],
  ])('%s is not swiped', async (_name, screen, params, error) => {
    const bench = await open()
    await bench.show(screen)
    const { data } = await bench.step({ type: 'scroll', params })
    expect(data['error']).toBe(error)
    expect(bench.calls).not.toContain('swipe')
  })

  test('a swipe that is too short fails without a gesture', async () => {
    const bench = await open()
    await bench.show('list')
    const { data } = await bench.step({ type: 'scroll', params: { distanceRatio: 0 } })
    expect(data).toMatchObject({ error: 'GESTURE_FAILED', scroll_outcome: 'gesture_failed' })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })

  test('scroll_until finds a target and clicks it', async () => {
    const bench = await open()
    await bench.show('list')
    const { data } = await bench.step({
      type: 'scroll_until',
      params: { matcher: { text: 'Item 30' }, clickAfter: true, maxDurationMs: 60_000 },
    })
    expect(data).toMatchObject({
      termination_reason: 'TARGET_FOUND',
      direction: 'down',
      click_after: 'true',
      click_types: 'click',
      resolved_container: toResourceId('items'),
    })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: 'item 30' })
    const scrolls = Number(data['scrolls_executed'])
    expect(bench.calls.filter((name) => name === 'swipe')).toHaveLength(scrolls)
    expect(bench.dumps()).toBe(scrolls + 1)
  })

  test('a visible target needs no scroll', async () => {
    const bench = await open()
    await bench.show('list')
    const { data } = await bench.step({
      type: 'scroll_until',
      params: { matcher: { text: 'Item 2' } },
    })
    expect(data).toMatchObject({ termination_reason: 'TARGET_FOUND', scrolls_executed: '0' })
    expect(bench.calls).toEqual(['dump'])
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })

  test('scroll_until without a target scrolls to the edge', async () => {
    const bench = await open()
    await bench.show('list')
    const { success, data } = await bench.step({
      type: 'scroll_until',
      params: { maxDurationMs: 60_000 },
    })
    expect({ success, reason: data['termination_reason'] }).toEqual({
      success: true,
      reason: 'EDGE_REACHED',
    })
    expect(listDisplayedTexts(bench.phone)).toContain('Item 40')
  })

  test.each([
    ['EDGE_REACHED', 'list', { maxDurationMs: 60_000 }],
    ['NO_POSITION_CHANGE', 'list', { direction: 'up', maxDurationMs: 60_000 }],
    ['MAX_SCROLLS_REACHED', 'list', { maxScrolls: 2 }],
    ['MAX_DURATION_REACHED', 'list', { settleDelayMs: 400, maxDurationMs: 900 }],
    ['CONTAINER_NOT_FOUND', 'reading', {}],
    ['CONTAINER_NOT_SCROLLABLE', 'short', { container: { resourceId: toResourceId('few') } }],
  ])('a target that is not found ends with %s', async (reason, screen, params) => {
    const bench = await open()
    await bench.show(screen)
    const { success, data } = await bench.step({
      type: 'scroll_until',
      params: { ...params, matcher: { text: 'No such' } },
    })
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: 'TARGET_NOT_FOUND', termination_reason: reason })
    const without = await bench.step({ type: 'scroll_until', params })
    expect(without.success).toBe(!reason.startsWith('CONTAINER_'))
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })

  test('a container that disappears after a swipe ends the search', async () => {
    const bench = await open()
    await bench.show('list')
    const driver = new Proxy(bench.driver, {
      get: (target, name) =>
        name === 'swipe'
          ? () => bench.driver.openUri('bench:reading', { timeoutMs: 5000 })
          : (Reflect.get(target, name) as unknown),
    })
    const lost = await bench.step({ type: 'scroll_until', params: { matcher: { text: 'No such' } } }, { driver })
    expect(lost.data).toMatchObject({
      error: 'TARGET_NOT_FOUND',
      termination_reason: 'CONTAINER_LOST',
    })
    await bench.show('list')
    const scrolled = await bench.step({ type: 'scroll', params: {} }, { driver })
    expect(scrolled.data['scroll_outcome']).toBe('edge_reached')
  })

  test('scroll_and_click scrolls to a row and clicks it', async () => {
    const bench = await open()
    await bench.show('list')
    const { success, data } = await bench.step({
      type: 'scroll_and_click',
      params: { matcher: { text: 'Item 35' }, container: { resourceId: toResourceId('items') } },
    })
    expect(success).toBe(true)
    expect(data).toMatchObject({
      max_swipes: '10',
      direction: 'down',
      click_types: 'click',
      click_after: 'true',
    })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: 'item 35' })
    expect(bench.dumps()).toBe(Number(data['swipes_executed']) + 1)
  })

  test('scroll_and_click with clickAfter=false leaves the row visible', async () => {
    const bench = await open()
    await bench.show('list')
    await bench.step({
      type: 'scroll_and_click',
      params: { matcher: { text: 'Item 25' }, clickAfter: false },
    })
    expect(listDisplayedTexts(bench.phone)).toContain('Item 25')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })

  test('scroll_and_click fails at the edge, at its limit and without a list', async () => {
    const bench = await open()
    await bench.show('list')
    const search = (params: Record<string, unknown>) =>
      bench.step({
        type: 'scroll_and_click',
        params: { matcher: { text: 'No such' }, retry: { maxAttempts: 1 }, ...params },
      })
    expect((await search({ maxSwipes: 2 })).data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      swipes_executed: '2',
      termination_reason: 'MAX_SCROLLS_REACHED',
    })
    expect((await search({ maxSwipes: 50 })).data).toMatchObject({
      error: 'NODE_NOT_FOUND',
      termination_reason: 'EDGE_REACHED',
    })
    await bench.show('reading')
    expect((await search({})).data['error']).toBe('CONTAINER_NOT_FOUND')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })

  test('a strict search refuses several visible targets', async () => {
    const bench = await open()
    await bench.show('list')
    const { data } = await bench.step({
      type: 'scroll_and_click',
      params: { matcher: { textContains: 'Item' }, strict: true },
    })
    expect(data['error']).toBe('NODE_AMBIGUOUS')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: '' })
  })
})
