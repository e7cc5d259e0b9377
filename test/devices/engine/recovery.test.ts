import { expect, test } from 'vitest'
import { type Bench, type BenchHost, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.places'
const part = (name: string) => ({ resourceId: `${APP}:id/${name}` })
const saved = (bench: Bench) => bench.phone.state(APP).saved
const landmarks = [{ ...part('all'), selected: true }]
const search = {
  type: 'scroll_and_click',
  params: { matcher: { textEquals: 'Item 12' }, container: part('items'), bothWays: true },
}

overEmbeddedServer((open) => {
  const opened = async (link = 'places:home', filter = 'all') => {
    const bench = await open()
    await bench.visit(APP, link)
    bench.phone.setState(APP, { saved: { filter } })
    return bench
  }
  const withLandmarks: BenchHost = { landmarks }

  test('a filter that hides the target is set as it was, once', async () => {
    const bench = await opened('places:home', 'mine')
    const { success, data } = await bench.step(search, withLandmarks)
    expect({ success, restored: data['restored'] }).toEqual({ success: true, restored: 'All' })
    expect(saved(bench)).toMatchObject({ filter: 'all', picked: 'item 12' })
  })

  test('a filter is not touched if the target is found, if it is already set, or if it is no landmark', async () => {
    const bench = await opened('places:home', 'mine')
    const near = { type: 'click', params: { matcher: { textEquals: 'Item 2' } } }
    expect((await bench.step(near, withLandmarks)).data).not.toHaveProperty('restored')
    expect(saved(bench)).toMatchObject({ filter: 'mine', picked: 'item 2' })
    expect((await bench.step(search)).success).toBe(false)
    expect(saved(bench)).toMatchObject({ filter: 'mine' })
    bench.phone.setState(APP, { saved: { filter: 'all' } })
    const missing = { ...search, params: { ...search.params, matcher: { textEquals: 'Item 99' } } }
    const { success, data } = await bench.step(missing, withLandmarks)
    expect(success).toBe(false)
    expect(data).not.toHaveProperty('restored')
  })

  test('a landmark is restored only once per execution', async () => {
    const bench = await opened('places:home', 'mine')
    const missing = { ...search, params: { ...search.params, matcher: { textEquals: 'Item 99' } } }
    expect((await bench.step(missing, withLandmarks)).success).toBe(false)
    expect(saved(bench)).toMatchObject({ filter: 'all', picked: '' })
    const before = bench.phone.touches()
    const mine = { type: 'click', params: { matcher: { textEquals: 'Mine' } } }
    const envelope = await bench.execute([mine, search, mine, search], withLandmarks)
    expect(envelope.stepResults.map(({ success }) => success)).toEqual([true, true, true, false])
    expect(bench.phone.touches()).toBeGreaterThan(before)
    expect(saved(bench)).toMatchObject({ filter: 'mine' })
  })

  test('in a strip that scrolls, the selected filter may be out of sight', async () => {
    const bench = await opened('places:home', 'none')
    const missing = { ...search, params: { ...search.params, matcher: { textEquals: 'Item 99' } } }
    await bench.step(missing, withLandmarks)
    expect(bench.phone.state(APP).saved).toMatchObject({ filter: 'none', picked: '' })
    await bench.step(missing, { landmarks: [{ textEquals: 'Day 1', selected: true }] })
    expect(bench.phone.state(APP).saved).toMatchObject({ picked: 'day 1' })
  })

  const ready = { type: 'wait_for_node', params: { matcher: part('filters'), timeoutMs: 8000, backUntilShown: true } }

  test('Back returns from where the app resumed', async () => {
    const bench = await opened()
    await bench.driver.openUri('places:detail', { timeoutMs: 5000 })
    await bench.execute([{ type: 'click', params: { matcher: { textEquals: 'Deeper' } } }])
    const { success, data } = await bench.step(ready)
    expect({ success, presses: data['back_presses'] }).toEqual({ success: true, presses: '2' })
    expect(bench.phone.foreground()).toMatchObject({ packageName: APP, screen: 'home' })
  })

  test('without the parameter nothing is pressed, and a shown screen needs no Back', async () => {
    const bench = await opened('places:detail')
    const { success } = await bench.step({ ...ready, params: { ...ready.params, backUntilShown: false } })
    expect(success).toBe(false)
    expect(bench.phone.foreground()).toMatchObject({ screen: 'detail' })
    await bench.visit(APP, 'places:home')
    expect((await bench.step(ready)).data).not.toHaveProperty('back_presses')
    expect(bench.calls).toEqual(['dump'])
  })

  test('the app is in front again if Back left it', async () => {
    const bench = await opened('places:detail')
    const params = { ...ready.params, matcher: { ...part('no_such') } }
    const { success } = await bench.step({ type: 'wait_for_node', params })
    expect(success).toBe(false)
    expect(bench.phone.foreground()?.packageName).toBe(APP)
    expect(bench.calls.filter((call) => call === 'keyevent').length).toBeLessThanOrEqual(3)
  })

  test('a question that could be answered is left open', async () => {
    const bench = await open()
    const app = 'org.example.obstacles'
    await bench.visit(app, 'obstacles:home')
    bench.phone.showDialog(app, 'terms')
    const matcher = { resourceId: `${app}:id/no_such` }
    const params = { matcher, timeoutMs: 6000, backUntilShown: true }
    expect((await bench.step({ type: 'wait_for_node', params })).success).toBe(false)
    expect(bench.phone.foreground()).toMatchObject({ dialog: 'Accept the terms' })
    expect(bench.phone.state(app).saved).toMatchObject({ agreed: 0 })
  })
})
