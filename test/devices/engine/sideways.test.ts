import { expect, test } from 'vitest'
import { type Bench, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.places'
const part = (name: string) => ({ resourceId: `${APP}:id/${name}` })
const picked = (bench: Bench) => bench.phone.state(APP).saved['picked']

overEmbeddedServer((open) => {
  const opened = async () => {
    const bench = await open()
    await bench.visit(APP, 'places:home')
    return bench
  }
  const pick = (text: string, more: Record<string, unknown> = {}) => ({
    type: 'scroll_and_click',
    params: { matcher: { ...part('day'), textEquals: text }, maxSwipes: 30, bothWays: true, ...more },
  })

  test.each([
    ['the container is named', { container: part('days') }],
    ['only its entries are known', {}],
    ['the direction is across', { direction: 'across' }],
  ])('a list that lies sideways is searched sideways if %s', async (_name, more) => {
    const bench = await opened()
    expect((await bench.step(pick('Day 15', more))).success).toBe(true)
    expect(picked(bench)).toBe('day 15')
    expect((await bench.step(pick('Day 2', more))).success).toBe(true)
    expect(picked(bench)).toBe('day 2')
  })

  test('the list with similar entries is searched first, the other is not moved', async () => {
    const bench = await opened()
    await bench.step({
      type: 'scroll_and_click',
      params: { matcher: { ...part('item'), containing: { textEquals: 'Item 18' } }, maxSwipes: 30 },
    })
    expect(picked(bench)).toBe('item 18')
    const texts = bench.phone.screenNodes().map(({ text }) => text)
    expect(texts).toContain('Day 1')
  })

  test('a text in either list is found: the larger list is searched first', async () => {
    const bench = await opened()
    const search = (textEquals: string) => ({
      type: 'scroll_and_click',
      params: { matcher: { textEquals }, maxSwipes: 50 },
    })
    expect((await bench.step(search('Item 17'))).success).toBe(true)
    expect(picked(bench)).toBe('item 17')
    expect((await bench.step(search('Day 17'))).success).toBe(true)
    expect(picked(bench)).toBe('day 17')
  })

  test('lists that load are waited for, and the one with similar entries is searched', async () => {
    const bench = await open()
    await bench.visit(APP, 'places:slow')
    const matcher = { ...part('item'), containing: { textEquals: 'Item 18' } }
    const { success } = await bench.step({
      type: 'scroll_and_click',
      params: { matcher, maxSwipes: 30, bothWays: true },
    })
    expect(success).toBe(true)
    expect(picked(bench)).toBe('item 18')
  })

  test('a sideways list ends like any other, and nothing is touched', async () => {
    const bench = await opened()
    const { data } = await bench.step(pick('Day 99'))
    expect(data).toMatchObject({ error: 'NODE_NOT_FOUND', termination_reason: 'EDGE_REACHED' })
    expect(picked(bench)).toBe('')
  })

  test('an option is found by its place only until the options moved', async () => {
    const choose = async (count: number) => {
      const bench = await opened()
      const of = Array.from({ length: count }, (_, at) => `Tag ${String.fromCodePoint(65 + at)}`)
      const fallbacks = [{ ...part('day'), option: { value: 'Tag A', of }, foreignTo: of }]
      const { success } = await bench.step(
        pick('Tag A', { matcher: { ...part('day'), textEquals: 'Tag A', fallbacks } }),
      )
      return { success, picked: picked(bench) }
    }
    const visible = (await opened()).phone.screenNodes().filter(({ text }) => text.startsWith('Day')).length
    expect(await choose(visible)).toEqual({ success: true, picked: 'day 1' })
    for (const count of [visible - 2, visible - 1, visible + 1, visible + 2]) {
      expect(await choose(count), `${count} options`).toEqual({ success: false, picked: '' })
    }
  })

  test('a whole sideways list is surveyed for a second entry', async () => {
    const bench = await opened()
    bench.phone.setState(APP, { saved: { days: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3] } })
    const twice = await bench.step(pick('Day 3', { wholeList: true, strict: true }))
    expect(twice.data['error']).toBe('NODE_AMBIGUOUS')
    expect(picked(bench)).toBe('')
    expect((await bench.step(pick('Day 4', { wholeList: true, strict: true }))).success).toBe(true)
    expect(picked(bench)).toBe('day 4')
  })
})
