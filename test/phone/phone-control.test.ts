import { expect, test } from 'vitest'
import { createPhone, LATENCY_PROFILES, systemClock } from '@apprentice/phone/phone.ts'
import { find, launch, manualPhone, run, START_MS, tap, texts } from './phone-shell.ts'

const CLIMATE = 'org.apprentice.climate'

test('a phone has the given serial and banner, and its default or given features', () => {
  const { phone } = manualPhone({ serial: 'S1', product: 'p', model: 'M', device: 'd' })
  expect(phone.serial).toBe('S1')
  expect(phone.banner).toEqual({ product: 'p', model: 'M', device: 'd' })
  expect(phone.features).toEqual(expect.arrayContaining(['shell_v2', 'cmd', 'stat_v2', 'ls_v2']))
  expect(createPhone({ features: [] }).features).toEqual([])
})

test('state can be read and set, and the returned state is a copy', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  phone.setState(CLIMATE, {
    saved: { units: [{ id: 1, name: 'Attic', power: true, temperature: 18, mode: 'heat' }] },
  })
  expect(await texts(phone)).toEqual(expect.arrayContaining(['Attic', '18.0 °C', '1 of 1 on']))
  const read = phone.state(CLIMATE)
  read.saved['units'] = []
  expect(phone.state(CLIMATE).saved['units']).toHaveLength(1)
  expect(phone.state('org.apprentice.shop').screens).toEqual([])
  expect(() => phone.setState('no.such.app', {})).toThrow('no app')
})

test('showDialog opens a dialog of an app and popUp a system dialog above it', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  phone.showDialog(CLIMATE, 'maintenance', { name: 'Lobby' })
  expect(await texts(phone)).toContain('The filter of Lobby should be changed.')
  phone.popUp({ title: 'Battery low', message: '5% left', buttons: [{ text: 'Got it' }] })
  expect(phone.foreground()).toMatchObject({ packageName: 'android', dialog: 'Battery low' })
  expect((await find(phone, 'Got it')).attributes['package']).toBe('android')
  expect((await run(phone, 'dumpsys window')).stdout).toMatch(/mCurrentFocus=Window\{\w+ u0 Battery low\}/)
  await tap(phone, 'Got it')
  expect(phone.foreground()?.dialog).toBe('Filter change due')
  await run(phone, 'input tap 540 400')
  expect(phone.foreground()?.dialog).toBeUndefined()
  expect(() => phone.showDialog(CLIMATE, 'none')).toThrow('no dialog "none"')
})

test('screenNodes lists the same texts as the dump', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  const seen = phone
    .screenNodes()
    .map(({ text }) => text)
    .filter((text) => text !== '')
  expect(seen).toEqual(await texts(phone))
  expect(phone.screenNodes().find(({ text }) => text === 'Lobby')?.resourceId).toBe(`${CLIMATE}:id/unit_name`)
})

test('the realistic profile delays commands, with equal delays for equal seeds', async () => {
  const times = async (seed: number): Promise<number[]> => {
    const { phone, clock } = manualPhone({ latency: 'realistic', seed })
    const taken: number[] = []
    for (const command of ['uiautomator dump', 'uiautomator dump', 'input tap 5 5', 'screencap -p']) {
      const before = clock.now()
      await run(phone, command)
      taken.push(clock.now() - before)
    }
    return taken
  }
  const first = await times(7)
  expect(first[0]).toBeGreaterThanOrEqual(1200)
  expect(first[0]).toBeLessThanOrEqual(2500)
  expect(first[2]).toBe(250)
  expect(first).not.toEqual(await times(8))
  expect(await times(7)).toEqual(first)
})

test('a dump of a screen that is never idle takes the idle timeout, and setLatency changes it', async () => {
  const { phone, clock } = manualPhone({ latency: 'realistic' })
  phone.faults.set('dumpNeverIdle')
  await run(phone, 'uiautomator dump')
  expect(clock.now() - START_MS).toBe(10_000)
  phone.setLatency('fast')
  await run(phone, 'uiautomator dump; input tap 1 1')
  expect(clock.now() - START_MS).toBe(10_000)
  phone.faults.clear('dumpNeverIdle')
  expect((await run(phone, 'uiautomator dump')).stdout).toContain('dumped')
})

test('closing the stream ends a slow dump and the next dump succeeds', async () => {
  const phone = createPhone({ latency: { ...LATENCY_PROFILES.fast, dumpMs: 60_000 } })
  const closing = new AbortController()
  const slow = run(phone, 'uiautomator dump /sdcard/f.xml', { signal: closing.signal })
  await systemClock.sleep(5)
  closing.abort()
  expect((await slow).code).not.toBe(0)
  expect(phone.files.stat('/sdcard/f.xml')).toBeUndefined()
  phone.setLatency('fast')
  expect((await run(phone, 'uiautomator dump')).stderr).toBe('')
})

test('two phones have separate apps, files, settings and faults', async () => {
  const [one, two] = [manualPhone().phone, manualPhone().phone]
  await launch(one, CLIMATE)
  await run(one, 'echo x >/sdcard/f; settings put global x 1')
  one.faults.set('dumpCrash')
  expect(two.foreground()?.packageName).toBe('com.android.launcher3')
  expect((await run(two, 'cat /sdcard/f; settings get global x; uiautomator dump')).stdout).toContain(
    'null\nUI hierchary',
  )
})
