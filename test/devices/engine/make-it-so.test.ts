import { expect, test } from 'vitest'
import { type Bench, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.places'
const part = (name: string) => ({ resourceId: `${APP}:id/${name}` })
const saved = (bench: Bench) => bench.phone.state(APP).saved
const adjust = (params: Record<string, unknown>) => ({ type: 'adjust_until', params })

overEmbeddedServer((open) => {
  const opened = async (link = 'places:values') => {
    const bench = await open()
    await bench.visit(APP, link)
    return bench
  }

  test('words are reached by going through the values, and a value that is shown needs no touch', async () => {
    const bench = await opened()
    const month = (targetText: string) =>
      bench.step(adjust({ value: part('month'), increase: part('month_next'), targetText }))
    expect(await month('February')).toMatchObject({ success: true, data: { read: 'February 2026', adjustments: '3' } })
    expect(saved(bench)).toMatchObject({ month: 1 })
    const touches = bench.phone.touches()
    expect((await month('february')).data).toMatchObject({ already: 'true', adjustments: '0' })
    expect(bench.phone.touches()).toBe(touches)
  })

  test('words that are not among the values stop after one cycle', async () => {
    const bench = await opened()
    const params = { value: part('month'), increase: part('month_next'), targetText: 'December' }
    const { data } = await bench.step(adjust(params))
    expect(data).toMatchObject({ error: 'CONTROL_CONVERGENCE_FAILED', reason: 'cycle', adjustments: '4' })
    expect(saved(bench)).toMatchObject({ month: 2 })
  })

  test('a number of a control that wraps is reached with one button', async () => {
    const bench = await opened()
    const hour = { value: part('hour'), increase: part('hour_next'), wraps: true }
    expect((await bench.step(adjust({ ...hour, target: 1 }))).data).toMatchObject({ read: '1 h', adjustments: '3' })
    expect(saved(bench)).toMatchObject({ hour: 1 })
    expect((await bench.step(adjust({ ...hour, target: 30 }))).data).toMatchObject({ reason: 'cycle' })
    expect(saved(bench)).toMatchObject({ hour: 1 })
  })

  test('without wraps one button does not go the wrong way', async () => {
    const bench = await opened()
    const params = { value: part('hour'), increase: part('hour_next'), target: 1 }
    expect((await bench.step(adjust(params))).data).toMatchObject({ reason: 'no_way', adjustments: '0' })
    expect(saved(bench)).toMatchObject({ hour: 22 })
  })

  test('a number elsewhere with a unit and thousands is moved, also by the button beside the known one', async () => {
    const bench = await opened()
    const params = { value: part('total'), increase: part('more') }
    expect((await bench.step(adjust({ ...params, target: 1350 }))).success).toBe(true)
    expect(saved(bench)).toMatchObject({ total: 1350 })
    expect((await bench.step(adjust({ ...params, target: 1100 }))).success).toBe(true)
    expect(saved(bench)).toMatchObject({ total: 1100 })
    expect((await bench.step(adjust({ ...params, target: 2000 }))).data).toMatchObject({ reason: 'no_change' })
    expect(saved(bench)).toMatchObject({ total: 1400 })
  })

  test('a button beside the known one that means something else is not touched', async () => {
    const bench = await opened()
    const params = { value: part('size'), increase: part('grow'), target: 3 }
    expect((await bench.step(adjust(params))).data).toMatchObject({ reason: 'no_way', adjustments: '0' })
    expect(saved(bench)).toMatchObject({ size: 5 })
  })

  test('a field that already has the text is not touched, unless it is to be submitted', async () => {
    const bench = await opened()
    const enter = (more: Record<string, unknown>) => ({
      type: 'enter_text',
      params: { matcher: part('name'), text: 'Ada', clear: true, ...more },
    })
    expect((await bench.step(enter({}))).data).toMatchObject({ already: 'true', verified: 'true' })
    expect(bench.phone.touches()).toBe(0)
    const submitted = await bench.step(enter({ submit: true }))
    expect(submitted.data).not.toHaveProperty('already')
    expect(saved(bench)).toMatchObject({ name: 'Ada', submitted: 'Ada' })
    expect((await bench.step(enter({ clear: false }))).success).toBe(true)
    expect(saved(bench)).toMatchObject({ name: 'AdaAda' })
  })

  test('a guard waits until the state is shown, and looks only into its container', async () => {
    const bench = await opened('places:late')
    const press = { type: 'click', params: { matcher: part('alarm_button') } }
    const unless = { text: 'On', container: part('alarm') }
    expect((await bench.step({ ...press, unless })).data).toMatchObject({ skipped_by: 'unless' })
    expect(saved(bench)).toMatchObject({ picked: '' })
    const off = { text: 'Off', container: part('alarm') }
    expect((await bench.step({ ...press, unless: off })).success).toBe(true)
    expect(saved(bench)).toMatchObject({ picked: 'toggled' })
  })
})
