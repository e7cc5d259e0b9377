import { expect, test } from 'vitest'
import { overEmbeddedServer } from './bench.ts'

const DATES = 'org.example.dates'
const pick = (date: string, more = {}) => ({ type: 'pick_date', params: { date, ...more } })

overEmbeddedServer((open) => {
  const opened = async (screen = 'home') => {
    const bench = await open()
    await bench.visit(DATES, `dates:${screen}`)
    const saved = () => bench.phone.state(DATES).saved
    return { bench, saved }
  }

  test.each([
    ['14 March 2026', '2026-03-14', '0'],
    ['2026-05-02', '2026-05-02', '2'],
    ['31 January', '2026-01-31', '2'],
    ['Dec 31, 2025', '2025-12-31', '3'],
    ['5', '2026-03-05', '0'],
  ])('chooses %s', async (words, date, turns) => {
    const { bench, saved } = await opened()
    const { success, data } = await bench.step(pick(words))
    expect({ success, ...data }).toMatchObject({ success: true, turns })
    expect(saved()).toMatchObject({ day: date })
  })

  test('touches nothing if the day is chosen already', async () => {
    const { bench } = await opened()
    const { success, data } = await bench.step(pick('12 March 2026'))
    expect({ success, already: data['already'] }).toEqual({ success: true, already: 'true' })
    expect(bench.phone.touches()).toBe(0)
  })

  test.each([
    ['a day that is disabled', '25 April 2027', 'NODE_NOT_CLICKABLE'],
    ['a month beyond the last', '2 June 2027', 'CONTROL_CONVERGENCE_FAILED'],
    ['a month before the first', '2 May 2024', 'CONTROL_CONVERGENCE_FAILED'],
    ['a date with two meanings', '03/04/2026', 'VALIDATOR_MISMATCH'],
    ['no date', 'soon', 'VALIDATOR_MISMATCH'],
  ])('refuses %s and leaves the old one', async (_, words, error) => {
    const { bench, saved } = await opened()
    const { success, data } = await bench.step(pick(words))
    expect({ success, error: data['error'] }).toEqual({ success: false, error })
    expect(saved()).toMatchObject({ day: '2026-03-12' })
  })

  test('does not turn further than allowed', async () => {
    const { bench } = await opened()
    const { success, data } = await bench.step(pick('1 December 2026', { maxTurns: 3 }))
    expect({ success, error: data['error'] }).toEqual({ success: false, error: 'CONTROL_CONVERGENCE_FAILED' })
    expect(bench.phone.touches()).toBe(3)
  })

  test('fails if the calendar keeps its old day', async () => {
    const { bench } = await opened('stuck')
    const { success, data } = await bench.step(pick('14 March 2026'))
    expect({ success, error: data['error'], read: data['read'] }).toEqual({
      success: false,
      error: 'CONTROL_CONVERGENCE_FAILED',
      read: '12 March 2026',
    })
  })

  test('fails if there is no calendar', async () => {
    const { bench } = await opened('none')
    const { success, data } = await bench.step(pick('14 March 2026'))
    expect({ success, error: data['error'] }).toEqual({ success: false, error: 'NODE_NOT_FOUND' })
    expect(bench.phone.touches()).toBe(0)
  })

  test('a dialog with the calendar belongs to the workflow', async () => {
    const { bench, saved } = await opened('dialog')
    const { stepResults } = await bench.execute([
      { type: 'click', params: { matcher: { textEquals: 'Date' } } },
      pick('3 April 2026'),
    ])
    expect(stepResults.map(({ success }) => success)).toEqual([true, true])
    expect(saved()).toMatchObject({ until: '2026-04-03' })
  })
})
