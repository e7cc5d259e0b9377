import { expect, test } from 'vitest'
import { BENCH, toResourceId, findMiddle, overBothServers } from './bench.ts'

overBothServers((open) => {
  test('apps are opened and closed in the order of the steps', async () => {
    const bench = await open()
    const envelope = await bench.execute([
      { type: 'open_app', params: { applicationId: BENCH } },
      { type: 'click', params: { matcher: { resourceId: toResourceId('press') } } },
      { type: 'close_app', params: { applicationId: BENCH } },
    ])
    expect(envelope).toMatchObject({ status: 'success', error: null, commandId: 'command-1' })
    expect(envelope.stepResults.map(({ data }) => data)).toMatchObject([
      { application_id: BENCH },
      { click_types: 'click' },
      { application_id: BENCH },
    ])
    expect(envelope).not.toHaveProperty('errorCode')
    expect(bench.phone.state(BENCH)).toMatchObject({ saved: { taps: 1 }, screens: [] })
    expect(bench.started).toEqual(['s1', 's2', 's3'])
    expect(bench.finished.map(({ result }) => result)).toEqual(envelope.stepResults)
  })

  test('an app that is not installed fails at once, and nothing else is opened', async () => {
    const bench = await open()
    const before = bench.phone.foreground()
    const { success, data } = await bench.step({
      type: 'open_app',
      params: { applicationId: 'org.example.none' },
    })
    expect({ success, error: data['error'] }).toEqual({ success: false, error: 'APP_NOT_FOUND' })
    expect(bench.calls).toEqual(['openApp'])
    expect(bench.phone.foreground()).toEqual(before)
  })

  test('open_uri opens links and fails without a retry if no app handles the link', async () => {
    const bench = await open()
    const opened = await bench.step({ type: 'open_uri', params: { uri: 'bench:reading' } })
    expect(opened).toMatchObject({ success: true, data: { uri: 'bench:reading' } })
    expect(bench.phone.foreground()).toMatchObject({ packageName: BENCH, screen: 'reading' })
    const refused = await bench.step({ type: 'open_uri', params: { uri: 'nobody:knows' } })
    expect(refused.data['error']).toBe('URI_NOT_HANDLED')
    const strange = await bench.step({ type: 'open_uri', params: { uri: 'not a link' } })
    expect(strange.data['error']).toBe('INVALID_ARGUMENT')
    expect(bench.calls).toEqual(['openUri', 'openUri', 'openUri'])
  })

  test('a click needs one dump and hits the centre of the node', async () => {
    const bench = await open()
    await bench.show('taps')
    const { data } = await bench.step({ type: 'click', params: { matcher: { text: 'Press me' } } })
    const { x, y } = findMiddle(bench.phone, 'press')
    expect(data).toEqual({ click_types: 'click', coordinate: `${x},${y}` })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1, holds: 0 })
    expect(bench.calls).toEqual(['dump', 'tap'])
  })

  test('long clicks and clicks on a coordinate', async () => {
    const bench = await open()
    await bench.show('taps')
    const coordinate = findMiddle(bench.phone, 'press')
    const envelope = await bench.execute([
      { type: 'click', params: { matcher: { text: 'Press me' }, clickType: 'long_click' } },
      { type: 'click', params: { coordinate } },
      { type: 'click', params: { coordinate, longPress: true } },
    ])
    expect(envelope.status).toBe('success')
    expect(envelope.stepResults[2]?.data).toEqual({
      click_types: 'long_click',
      coordinate: `${coordinate.x},${coordinate.y}`,
    })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1, holds: 2 })
    expect(bench.dumps()).toBe(1)
  })

  test('a click on a label is received by its row', async () => {
    const bench = await open()
    await bench.show('taps')
    await bench.step({ type: 'click', params: { matcher: { text: 'Row label' } } })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ row_taps: 1, row_switch: false })
    expect(bench.finished[0]?.evidence).toMatchObject({
      node: { label: 'Row label', resource_id: toResourceId('row_label') },
      touched: { resource_id: toResourceId('row') },
    })
  })

  test('a click on a row avoids the switch in its centre', async () => {
    const bench = await open()
    await bench.show('taps')
    const { x, y } = findMiddle(bench.phone, 'row')
    const { bounds } = bench.phone.screenNodes().find((one) => one.resourceId === toResourceId('row_switch'))!
    expect(x > bounds.left && x < bounds.right && y > bounds.top && y < bounds.bottom).toBe(true)
    await bench.step({ type: 'click', params: { matcher: { resourceId: toResourceId('row') } } })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ row_taps: 1, row_switch: false })
  })

  test('a disabled button is retried and not tapped', async () => {
    const bench = await open()
    await bench.show('taps')
    const later = { type: 'click', params: { matcher: { text: 'Later' } } }
    const { data } = await bench.step(later)
    expect(data).toMatchObject({ error: 'NODE_NOT_CLICKABLE', attempts: '5' })
    expect(bench.calls).not.toContain('tap')
    const ready = { type: 'click', params: { matcher: { text: 'Make ready' } } }
    expect((await bench.execute([ready, later])).status).toBe('success')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ picked: 'later' })
  })

  test('only text fields can be focused without a click', async () => {
    const bench = await open()
    await bench.show('forms')
    const focus = (id: string) => ({
      type: 'click',
      params: { matcher: { resourceId: toResourceId(id) }, clickType: 'focus' },
    })
    expect((await bench.step(focus('memo'))).data['click_types']).toBe('focus')
    const focused = bench.phone.screenNodes().filter((node) => node.focused)
    expect(focused.map(({ resourceId }) => resourceId)).toEqual([toResourceId('memo')])
    await bench.show('taps')
    expect((await bench.step(focus('press'))).data['error']).toBe('FOCUS_UNSUPPORTED')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 0 })
  })

  test.each([
    ['back', 'taps'],
    ['home', 'home'],
    ['recents', 'recents'],
  ])('the key %s is pressed once, without a dump', async (key, screen) => {
    const bench = await open()
    await bench.show('taps')
    await bench.driver.tap(findMiddle(bench.phone, 'go_list'), { timeoutMs: 5000 })
    expect(bench.phone.foreground()?.screen).toBe('list')
    bench.calls.length = 0
    const { data } = await bench.step({ type: 'press_key', params: { key: key.toUpperCase() } })
    expect(data).toEqual({ key })
    expect(bench.phone.foreground()?.screen).toBe(screen)
    expect(bench.calls).toEqual(['keyevent'])
  })

  test('sleep waits for its duration', async () => {
    const bench = await open()
    const { data } = await bench.step({ type: 'sleep', params: { durationMs: 1500 } })
    expect(data).toEqual({ duration_ms: '1500' })
    expect(bench.slept).toEqual([1500])
    expect(bench.calls).toEqual([])
  })

  test('the host stores screenshots, one per step, in order', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'take_screenshot', params: { path: '/somewhere/of/mine.png' } },
      { type: 'open_uri', params: { uri: 'bench:reading' } },
      { type: 'take_screenshot' },
    ])
    expect(envelope.stepResults.map(({ data }) => data)).toMatchObject([
      { path: 'screenshots/1.png', evidence_id: 'e1', requested_path: '/somewhere/of/mine.png' },
      { uri: 'bench:reading' },
      { path: 'screenshots/2.png', evidence_id: 'e2', width: '1080', height: '2400' },
    ])
    expect(bench.screenshots).toHaveLength(2)
    expect(bench.screenshots[0]?.equals(bench.screenshots[1] ?? Buffer.alloc(0))).toBe(false)
  })

  test('a screenshot that cannot be stored fails its step only', async () => {
    const bench = await open()
    const saveScreenshot = async () => {
      throw new Error('disk full')
    }
    const envelope = await bench.execute(
      [{ type: 'press_key', params: { key: 'home' } }, { type: 'take_screenshot' }],
      { saveScreenshot },
    )
    expect(envelope.stepResults.map(({ success }) => success)).toEqual([true, false])
    expect(envelope.errorCode).toBe('SCREENSHOT_NOT_KEPT')
  })

  test('a snapshot is the screen as XML with the attributes in order', async () => {
    const bench = await open()
    await bench.show('reading')
    const { data } = await bench.step({ type: 'snapshot_ui' })
    expect(data).toMatchObject({
      actual_format: 'hierarchy_xml',
      foreground_package: BENCH,
      has_overlay: 'false',
      overlay_package: '',
      window_count: '1',
    })
    expect(data).not.toHaveProperty('warn')
    const [, names] = /<node((?: [\w-]+="[^"]*")*)/.exec(data['text'] ?? '') ?? []
    expect([...(names ?? '').matchAll(/ ([\w-]+)=/g)].map(([, name]) => name)).toEqual(
      'index text resource-id class package content-desc checkable checked clickable enabled focusable focused scrollable long-clickable password selected bounds'.split(
        ' ',
      ),
    )
    for (const { text } of bench.phone.screenNodes()) expect(data['text']).toContain(text)
    expect(bench.dumps()).toBe(1)
  })

  test('a snapshot reports an overlay window and warns right after a click', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'click', params: { matcher: { text: 'Press me' } } },
      { type: 'snapshot_ui' },
      { type: 'snapshot_ui' },
    ])
    expect(envelope.stepResults[1]?.data['warn']).toMatch(/right after a click/)
    expect(envelope.stepResults[2]?.data).not.toHaveProperty('warn')
    bench.phone.popUp({ title: 'System update', buttons: [{ text: 'OK' }] })
    const { data } = await bench.step({ type: 'snapshot_ui' })
    expect(data).toMatchObject({ foreground_package: BENCH, has_overlay: 'true' })
    expect(data['overlay_package']).not.toBe(BENCH)
  })

  test('the host starts and stops recordings; without support the steps fail', async () => {
    const bench = await open()
    const sessionIds: (string | undefined)[] = []
    const recording = {
      start: async (id?: string) => {
        sessionIds.push(id)
        return { sessionId: 'r1', filePath: 'r1.ndjson' }
      },
      stop: async () => ({ sessionId: 'r1', filePath: 'r1.ndjson', eventCount: 3 }),
    }
    const actions = [{ type: 'start_recording', params: { sessionId: 'mine' } }, { type: 'stop_recording' }]
    const envelope = await bench.execute(actions, { recording })
    expect(envelope.stepResults.map(({ data }) => data)).toEqual([
      { sessionId: 'r1', filePath: 'r1.ndjson' },
      { sessionId: 'r1', filePath: 'r1.ndjson', eventCount: '3' },
    ])
    expect(sessionIds).toEqual(['mine'])
    expect((await bench.execute(actions)).errorCode).toBe('RECORDING_STORAGE_UNAVAILABLE')
  })

  test.each([
    [Object.assign(new Error('one runs'), { code: 'RECORDING_ALREADY_IN_PROGRESS' }), 'RECORDING_ALREADY_IN_PROGRESS'],
    [Object.assign(new Error('odd'), { code: 'EACCES' }), 'RECORDING_START_FAILED'],
  ])('a recording that cannot start is a failed step', async (error, expected) => {
    const bench = await open()
    const refuse = async () => {
      throw error
    }
    const { data } = await bench.step({ type: 'start_recording' }, { recording: { start: refuse, stop: refuse } })
    expect(data).toMatchObject({ error: expected, message: error.message })
  })

  test('the first failed step ends the execution and the remaining steps are skipped', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'click', params: { matcher: { text: 'Press me' } } },
      { type: 'click', id: 'missing', params: { matcher: { text: 'No such' }, retry: {} } },
      { type: 'click', params: { matcher: { text: 'Press me' } } },
      { type: 'sleep', params: { durationMs: 1000 } },
    ])
    expect(envelope).toMatchObject({
      status: 'failed',
      error: 'Step missing (click) failed: NODE_NOT_FOUND',
      errorCode: 'NODE_NOT_FOUND',
    })
    expect(envelope.stepResults.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed', 'skipped', 'skipped'])
    expect(envelope.stepResults[2]).toMatchObject({ success: false, data: { error: 'SKIPPED' } })
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
    expect(bench.started).toEqual(['s1', 'missing'])
    expect(bench.finished).toHaveLength(2)
  })
})
