import { expect, test } from 'vitest'
import { type Bench, CONTROLS, overBothServers } from './bench.ts'

const id = (name: string) => `${CONTROLS}:id/${name}`
const set = (matcher: Record<string, unknown>, checked: boolean, more = {}) => ({
  type: 'set_checked',
  params: { matcher, checked, ...more },
})
const saved = (bench: Bench) => bench.phone.state(CONTROLS).saved

overBothServers((open) => {
  const opened = async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:switches')
    return bench
  }

  test.each([
    ['the box itself', { text: 'Remember me' }, 'remember'],
    ['a switch in the row of a text', { text: 'Quick' }, 'quick'],
    ['a switch in the row that was named', { resourceId: id('quick_row') }, 'quick'],
    ['a row by what it contains', { clickable: true, containing: { text: 'Quick' } }, 'quick'],
  ])('%s is set on and off, and touched only if the state differs', async (_name, matcher, key) => {
    const bench = await opened()
    const states: unknown[] = []
    for (const checked of [true, true, false, false]) {
      const { success, data } = await bench.step(set(matcher, checked))
      expect(success).toBe(true)
      states.push([saved(bench)[key], data['already'] ?? 'touched', bench.phone.touches()])
    }
    expect(states).toEqual([
      [true, 'touched', 1],
      [true, 'true', 1],
      [false, 'touched', 2],
      [false, 'true', 2],
    ])
  })

  test('a switch that reacts late is read again, not touched again', async () => {
    const bench = await opened()
    const { success, data } = await bench.step(set({ text: 'Lazy' }, true))
    expect(success).toBe(true)
    expect(data).toMatchObject({ checked: 'true' })
    expect(data).not.toHaveProperty('already')
    expect(saved(bench)).toMatchObject({ lazy: true })
    expect(bench.phone.touches()).toBe(1)
  })

  test('a switch that does not keep its state fails after one touch', async () => {
    const bench = await opened()
    const { success, data } = await bench.step(set({ resourceId: id('stuck') }, true))
    expect(success).toBe(false)
    expect(data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      read: 'false',
      target: 'true',
      adjustments: '1',
    })
    expect(bench.phone.touches()).toBe(1)
  })

  test('a matcher with the old state finds the control in its new state', async () => {
    const bench = await opened()
    const action = set({ resourceId: id('task_box'), checked: false, index: 1 }, true)
    expect((await bench.step(action)).success).toBe(true)
    expect(bench.phone.touches()).toBe(1)
  })

  test('a row that moves when it is checked is found by its text', async () => {
    const bench = await opened()
    expect((await bench.step(set({ text: 'Alpha' }, true))).success).toBe(true)
    expect(saved(bench)['tasks']).toMatchObject([
      { name: 'Alpha', done: true },
      { name: 'Beta', done: false },
      { name: 'Gamma', done: false },
    ])
    expect(bench.phone.touches()).toBe(1)
  })

  test.each([
    ['two switches in the row', { text: 'Pair' }, 'NODE_AMBIGUOUS'],
    ['no switch in the row', { text: 'Plain' }, 'NODE_NOT_CHECKABLE'],
    ['several matches', { resourceId: id('task') }, 'NODE_AMBIGUOUS'],
    ['no match', { text: 'No such' }, 'NODE_NOT_FOUND'],
  ])('with %s nothing is touched', async (_name, matcher, error) => {
    const bench = await opened()
    const { data } = await bench.step(set(matcher, true, { retry: { maxAttempts: 1 } }))
    expect(data['error']).toBe(error)
    expect(bench.phone.touches()).toBe(0)
  })

  test('with strict=false the first of several matches is set', async () => {
    const bench = await opened()
    const action = set({ resourceId: id('task_box') }, true, { strict: false })
    expect((await bench.step(action)).success).toBe(true)
    expect(saved(bench)['tasks']).toMatchObject([{ name: 'Alpha', done: true }, {}, {}])
  })

  test('a switch with a confirmation dialog is set only after the dialog is answered', async () => {
    const bench = await opened()
    const asked = await bench.step(set({ text: 'Guarded' }, true))
    expect(asked.data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      read: 'missing',
      in_the_way: 'Are you sure?: This cannot be undone.',
    })
    expect(saved(bench)).toMatchObject({ guarded: false })
    await bench.visit(CONTROLS, 'controls:switches')
    const answered = await bench.step(set({ text: 'Guarded' }, true), {
      dismissals: [{ text: 'Yes' }],
    })
    expect(answered).toMatchObject({ success: true, data: { dismissed: 'Yes' } })
    expect(saved(bench)).toMatchObject({ guarded: true })
  })

  test('switches of the settings and the climate app are set', async () => {
    const bench = await open()
    const settings = 'com.android.settings'
    await bench.execute([
      { type: 'open_app', params: { applicationId: settings } },
      { type: 'scroll_and_click', params: { matcher: { text: 'Display' } } },
      set({ text: 'Dark theme' }, true),
      set({ text: 'Dark theme' }, true),
      set({ text: 'Adaptive brightness' }, true),
    ])
    expect(bench.finished.map(({ result }) => result.success)).toEqual(Array(5).fill(true))
    expect(bench.phone.state(settings).saved).toMatchObject({ dark_theme: true, adaptive: true })
    const climate = 'org.apprentice.climate'
    await bench.visit(climate, 'climate://unit/1')
    const power = { resourceId: `${climate}:id/power` }
    expect((await bench.step(set(power, false))).success).toBe(true)
    expect(bench.phone.state(climate).screens.at(-1)?.local).toMatchObject({
      draft: { power: false },
    })
  })
})
