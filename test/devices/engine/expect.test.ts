import { expect, test } from 'vitest'
import type { FaultName } from '@apprentice/phone/phone.ts'
import { type Bench, CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const see = (params: Record<string, unknown>) => ({ type: 'expect', params })
const VALUE = part('value_value')

/** Calls `change` once the clock of the bench has advanced by `ms`. */
async function changeAfter(bench: Bench, ms: number, change: () => void): Promise<void> {
  const start = bench.clock.now()
  while (bench.clock.now() - start < ms) await new Promise((resolve) => setImmediate(resolve))
  change()
}

overEmbeddedServer((open) => {
  const opened = async (screen: string) => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test.each([
    ['numbers', { matcher: VALUE }, true, '5'],
    ['numbers', { matcher: VALUE, text: { equals: '5' } }, true, '5'],
    ['numbers', { matcher: VALUE, text: { equals: '6' } }, false, '5'],
    ['numbers', { matcher: part('slow_value'), text: { contains: 'KM' } }, true, '5 km'],
    ['numbers', { matcher: part('slow_value'), text: { matches: '\\d+ km' } }, true, '5 km'],
    ['numbers', { matcher: part('slow_value'), text: { matches: '\\d+' } }, false, '5 km'],
    ['numbers', { matcher: part('slow_value'), number: { equals: 5 } }, true, '5 km'],
    ['numbers', { matcher: VALUE, number: { equals: 6 } }, false, '5'],
    ['numbers', { matcher: VALUE, number: { equals: 6, tolerance: 1 } }, true, '5'],
    ['numbers', { matcher: part('word'), number: { equals: 6 } }, false, '--'],
    ['numbers', { matcher: { text: 'No such' } }, false, 'missing'],
    ['numbers', { matcher: { text: 'No such' }, present: false }, true, 'missing'],
    ['numbers', { matcher: VALUE, present: false }, false, '5'],
    ['numbers', { matcher: VALUE, enabled: false }, false, 'enabled: true'],
    ['numbers', { matcher: VALUE, selected: false, enabled: true }, true, 'selected: false, enabled: true'],
    ['switches', { matcher: { text: 'Quick' }, checked: false }, true, 'checked: false'],
    ['switches', { matcher: { text: 'Quick' }, checked: true }, false, 'checked: false'],
    ['switches', { matcher: { text: 'Plain' }, checked: false }, false, 'checked: unknown'],
    ['switches', { matcher: part('task'), strict: true }, false, '3 alike'],
    ['switches', { matcher: part('task'), strict: false }, true, 'present'],
  ])('on %s %j holds: %s, seen: %s', async (screen, params, holds, observed) => {
    const bench = await opened(screen)
    const { success, data } = await bench.step(see({ timeoutMs: 600, ...params }))
    expect({ success, observed: data['observed'] }).toEqual({ success: holds, observed })
    expect(data['error']).toBe(holds ? undefined : 'VERIFY_FAILED')
    expect(bench.phone.touches()).toBe(0)
  })

  test('expect needs stableReads good readings in a row', async () => {
    const bench = await opened('numbers')
    await bench.step(see({ matcher: VALUE }))
    expect(bench.dumps()).toBe(2)
    await bench.step(see({ matcher: VALUE, stableReads: 5 }))
    expect(bench.dumps()).toBe(7)
  })

  test('expect does not reuse earlier readings', async () => {
    const bench = await opened('numbers')
    await bench.execute([{ type: 'read_text', params: { matcher: VALUE } }, see({ matcher: VALUE })])
    expect(bench.dumps()).toBe(3)
  })

  test('a state that appears in time holds, a later one does not', async () => {
    const bench = await opened('numbers')
    const expectation = { matcher: VALUE, number: { equals: 9 }, timeoutMs: 3000 }
    const waiting = bench.step(see(expectation))
    await changeAfter(bench, 1500, () => bench.phone.setState(CONTROLS, { saved: { value: 9 } }))
    expect((await waiting).success).toBe(true)
    bench.phone.setState(CONTROLS, { saved: { value: 5 } })
    const start = bench.clock.now()
    expect((await bench.step(see(expectation))).data).toMatchObject({
      error: 'VERIFY_FAILED',
      observed: '5',
      timeout_ms: '3000',
    })
    expect(bench.clock.now() - start).toBeLessThan(3500)
  })

  test('a state that alternates does not hold', async () => {
    const bench = await opened('numbers')
    let dumps = 0
    const driver = new Proxy(bench.driver, {
      get: (target, name) => {
        if (name !== 'dump') return Reflect.get(target, name) as unknown
        return (...args: Parameters<typeof bench.driver.dump>) => {
          dumps += 1
          bench.phone.setState(CONTROLS, { saved: { value: dumps % 2 === 0 ? 9 : 5 } })
          return bench.driver.dump(...args)
        }
      },
    })
    const { data } = await bench.step(see({ matcher: VALUE, number: { equals: 9 } }), { driver })
    expect(data['error']).toMatch(/^VERIFY_/)
    expect(dumps).toBeGreaterThan(5)
  })

  test.each<FaultName>(['dumpNullRoot', 'dumpStaleFile', 'dumpTruncated', 'dumpCrash'])(
    'a failed reading (%s) is ignored',
    async (fault) => {
      const bench = await opened('numbers')
      bench.phone.faults.set(fault, 3)
      const { success, data } = await bench.step(see({ matcher: VALUE }))
      expect(success).toBe(true)
      expect(data['good_reads']).toBe('2')
      expect(Number(data['failed_reads'])).toBeGreaterThan(0)
      bench.phone.faults.set(fault)
      for (const present of [true, false]) {
        const unreadable = await bench.step(see({ matcher: VALUE, present, timeoutMs: 1000 }))
        expect(unreadable.success).toBe(false)
        expect(unreadable.data).toMatchObject({ error: 'VERIFY_INDETERMINATE', good_reads: '0' })
      }
    },
  )

  test('a failed reading interrupts the count of good readings', async () => {
    const bench = await opened('numbers')
    let dumps = 0
    const driver = new Proxy(bench.driver, {
      get: (target, name) => {
        if (name !== 'dump') return Reflect.get(target, name) as unknown
        return (...args: Parameters<typeof bench.driver.dump>) => {
          dumps += 1
          if (dumps % 2 === 0) bench.phone.faults.set('dumpNullRoot', 1)
          return bench.driver.dump(...args)
        }
      },
    })
    const { data } = await bench.step(see({ matcher: VALUE }), { driver })
    expect(data['error']).toBe('VERIFY_INDETERMINATE')
    expect(Number(data['good_reads'])).toBeGreaterThan(3)
  })

  test('a loading screen is waited for beyond the time limit', async () => {
    const bench = await opened('waiting')
    const { success } = await bench.step(see({ matcher: { text: 'Arrived' } }))
    expect(success).toBe(true)
  })

  test('a node that is still loading does not count as absent', async () => {
    const bench = await opened('waiting')
    const gone = see({ matcher: { text: 'Arrived' }, present: false, timeoutMs: 1000 })
    expect((await bench.step(gone)).data).toMatchObject({ error: 'VERIFY_FAILED' })
  })

  test('a screen that never stops loading proves a presence, but not an absence', async () => {
    const bench = await opened('spinning')
    const there = await bench.step(see({ matcher: part('word') }))
    expect(there).toMatchObject({ success: true, data: { loading: 'true' } })
    const absent = see({ matcher: { text: 'No such' }, present: false })
    expect((await bench.step(absent)).data['error']).toBe('VERIFY_INDETERMINATE')
    const missing = await bench.step(see({ matcher: { text: 'No such' } }))
    expect(missing.data).toMatchObject({ error: 'VERIFY_FAILED', loading: 'true' })
  })
})
