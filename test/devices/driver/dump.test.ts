import { describe, expect, test } from 'vitest'
import type { FaultName } from '@apprentice/phone/host/faults.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import { TEST_APP, startTestAppPhone } from './sim-phone.ts'

describe.each(rigKinds)('over $name', (kind) => {
  test('the screen arrives as XML, whatever text it contains', async () => {
    const { driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    const dump = await driver.dump(SOON)
    const xml = dump.outcome === 'ok' ? dump.xml : ''
    expect(xml).toMatch(/^<\?xml[\s\S]*<\/hierarchy>$/)
    expect(xml).toContain('text="Press me"')
    expect(xml).toContain('ERROR: null root node')
  })

  test.each([
    ['dumpNeverIdle', 'not_idle', 1],
    ['dumpNullRoot', 'null_root', 1],
    ['dumpSecondClient', 'other_client', 1],
    ['dumpTruncated', 'truncated', 1],
    ['dumpKilled', 'killed', 1],
    ['dumpCrash', 'crashed', 2],
    ['dumpStaleFile', 'crashed', 2],
  ] satisfies [FaultName, string, number][])(
    '%s is reported as %s, and the next dump succeeds',
    async (fault, failure, times) => {
      const { phone, driver } = await startTestAppPhone(kind)
      await driver.openApp(TEST_APP, SOON)
      expect(await driver.dump(SOON)).toMatchObject({ outcome: 'ok' })
      phone.faults.set(fault, times)
      expect(await driver.dump(SOON)).toMatchObject({ outcome: 'failed', kind: failure })
      expect(await driver.dump(SOON)).toMatchObject({ outcome: 'ok' })
    },
  )

  test('a single crash and text before the XML are tolerated', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    phone.faults.set('dumpCrash', 1)
    expect(await driver.dump(SOON)).toMatchObject({ outcome: 'ok' })
    phone.faults.set('dumpGarbagePrefix', 1)
    const dump = await driver.dump(SOON)
    expect(dump.outcome === 'ok' ? dump.xml : dump.text).toMatch(/^<\?xml/)
  })

  test('no dump file remains on the phone', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.dump(SOON)
    phone.faults.set('dumpTruncated', 1)
    await driver.dump(SOON)
    const names = phone.files.list('/data/local/tmp').map(({ name }) => name)
    expect(names.filter((name) => name.includes('xml'))).toEqual([])
  })

  test('a dump that hangs ends with its time limit and the phone stays usable', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    expect(await driver.dump(SOON)).toMatchObject({ outcome: 'ok' })
    phone.faults.hangCommand(/uiautomator/)
    const failure = await transportFailure(driver.dump({ timeoutMs: 1000 }))
    expect(failure).toMatchObject({ kind: 'deadline', commandSent: true })
    phone.faults.clear()
    expect(await driver.dump(SOON)).toMatchObject({ outcome: 'ok' })
  })

  test('a phone lost during a dump is a transport failure, not a failed dump', async () => {
    const { rig, phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await rig.faults(phone, { truncateAfter: 500 })
    expect((await transportFailure(driver.dump(SOON))).kind).toBe('device_lost')
    await rig.faults(phone, 'none')
    const outcome = await eventually(
      () => driver.dump(SOON).then((dump) => dump.outcome, String),
      (seen) => seen === 'ok',
    )
    expect(outcome).toBe('ok')
  })
})
