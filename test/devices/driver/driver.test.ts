import { describe, expect, test } from 'vitest'
import { systemClock } from '@apprentice/phone/phone.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import { TEST_APP, findMiddle, startTestAppPhone, tapNode } from './sim-phone.ts'

describe.each(rigKinds)('over $name', (kind) => {
  test('an app is opened, reported as foreground, brought to the front and closed', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    const first = await driver.openApp(TEST_APP, SOON)
    expect(first).toMatchObject({ component: `${TEST_APP}/.DeskActivity`, wasRunning: false })
    const foreground = await driver.foreground(SOON)
    expect(foreground).toMatchObject({ package: TEST_APP, activity: `${TEST_APP}.DeskActivity` })
    await driver.keyevent('home', SOON)
    expect((await driver.foreground(SOON))?.package).not.toBe(TEST_APP)
    expect(await driver.openApp(TEST_APP, SOON)).toMatchObject({ wasRunning: true })
    await driver.closeApp(TEST_APP, SOON)
    expect(phone.foreground()?.packageName).not.toBe(TEST_APP)
  })

  test('a missing app and an unhandled link fail although the tools exit with 0', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    const before = phone.foreground()
    await expect(driver.openApp('org.example.missing', SOON)).rejects.toMatchObject({
      name: 'OperationFailure',
      code: 'APP_NOT_FOUND',
    })
    await expect(driver.openUri('nobody:takes-this', SOON)).rejects.toMatchObject({
      code: 'URI_NOT_HANDLED',
    })
    await expect(driver.openUri('not a link', SOON)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(phone.foreground()).toEqual(before)
  })

  test('a link opens the screen that handles it', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openUri('desk:drawer', SOON)
    expect(phone.foreground()).toMatchObject({ packageName: TEST_APP, screen: 'drawer' })
  })

  test('taps and long presses hit their points', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'press')
    await tapNode(phone, driver, 'press')
    await driver.longPress(findMiddle(phone, 'press'), 650, SOON)
    expect(phone.state(TEST_APP).saved).toMatchObject({ taps: 2, holds: 1 })
    const { x, y } = findMiddle(phone, 'press')
    await driver.swipe({ from: { x, y }, to: { x, y: y + 500 }, durationMs: 100 }, SOON)
    expect(phone.state(TEST_APP).saved).toMatchObject({ taps: 2, holds: 1 })
  })

  test('invalid coordinates are refused before they are sent', async () => {
    const { driver } = await startTestAppPhone(kind)
    for (const point of [
      { x: 1.5, y: 1 },
      { x: -1, y: 1 },
      { x: Number.NaN, y: 1 },
    ]) {
      await expect(driver.tap(point, SOON)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  test.each([
    ['plain text', 'hello world'],
    ['every printable character', Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('')],
    ['shell syntax', `'; rm -rf / #"$(id)\`id\` ~ * && || \\`],
    ['percent signs', '100% %s %%s %d 50%sure'],
    ['a long text', 'The quick brown fox. '.repeat(30)],
  ])('%s are typed exactly', async (_name, text) => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'typed')
    await driver.enterText(text, SOON)
    expect(phone.state(TEST_APP).saved.typed).toBe(text)
  })

  test('line breaks are typed as keys', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'memo')
    await driver.enterText('one\ntwo\r\n\nfour', SOON)
    expect(phone.state(TEST_APP).saved.memo).toBe('one\ntwo\n\nfour')
  })

  test('text is cleared and replaced', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'typed')
    await driver.enterText('old text', SOON)
    await driver.clearText('old text'.length, SOON)
    expect(phone.state(TEST_APP).saved.typed).toBe('')
    await driver.enterText('new', SOON)
    expect(phone.state(TEST_APP).saved.typed).toBe('new')
  })

  test('characters without a key are typed if the ADB keyboard is installed', async () => {
    const { phone, driver } = await startTestAppPhone(kind, { adbKeyboard: true })
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'typed')
    const before = await driver.foreground(SOON)
    await driver.enterText('Grüße 日本 😀', SOON)
    expect(phone.state(TEST_APP).saved.typed).toBe('Grüße 日本 😀')
    expect(await driver.foreground(SOON)).toEqual(before)
  })

  test('characters without a key are refused without the ADB keyboard, and nothing is typed', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    await driver.openApp(TEST_APP, SOON)
    await tapNode(phone, driver, 'typed')
    await expect(driver.enterText('ok so far 😀', SOON)).rejects.toMatchObject({
      code: 'TEXT_UNSUPPORTED',
      detail: 'U+1F600',
    })
    expect(phone.state(TEST_APP).saved.typed).toBe('')
  })

  test('a screenshot is a complete image of the screen', async () => {
    const { driver } = await startTestAppPhone(kind)
    const { size } = await driver.facts(SOON)
    const { png, width, height } = await driver.screenshot(SOON)
    expect({ width, height }).toEqual(size)
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  })

  test('a screenshot cut at any point fails with device_lost', async () => {
    // The screenshot contains the time, which must stay the same.
    const clock = { ...systemClock, now: () => Date.UTC(2026, 2, 1, 12) }
    const { rig, phone, driver } = await startTestAppPhone(kind, { clock })
    const { png } = await driver.screenshot(SOON)
    for (const truncateAfter of [10, Math.floor(png.length / 2), png.length + 4]) {
      await rig.faults(phone, { truncateAfter })
      expect((await transportFailure(driver.screenshot(SOON))).kind).toBe('device_lost')
      await rig.faults(phone, 'none')
      const again = await eventually(
        () => driver.screenshot(SOON).then((shot) => shot.png.length, String),
        (length) => length === png.length,
      )
      expect(again).toBe(png.length)
    }
  })

  test('the facts of the device are read in one command', async () => {
    const { phone, driver } = await startTestAppPhone(kind, {
      model: 'Desk Phone',
      locale: 'de-AT',
    })
    phone.setBattery(37, true)
    await driver.openApp(TEST_APP, SOON)
    const facts = await driver.facts(SOON)
    expect(facts).toMatchObject({
      model: 'Desk Phone',
      rotation: 0,
      battery: { level: 37, charging: true },
      awake: true,
      locked: false,
      locale: 'de-AT',
      foreground: { package: TEST_APP },
    })
    expect(facts.sdk).toBeGreaterThan(20)
    expect(facts.androidVersion).toMatch(/^\d+/)
    expect(facts.manufacturer).toBeTruthy()
    expect(facts.size?.width).toBeGreaterThan(300)
    expect(facts.densityDpi).toBeGreaterThan(100)
  })

  test('installed packages and startable apps are listed', async () => {
    const { driver } = await startTestAppPhone(kind)
    expect(await driver.packages(SOON)).toContainEqual({ package: TEST_APP, versionCode: 7 })
    expect(await driver.appBuild(TEST_APP, SOON)).toMatchObject({ versionCode: 7 })
    expect(await driver.appBuild('org.example.none', SOON)).toBeUndefined()
    const [launchable] = (await driver.launchables(SOON)).filter((app) => app.package === TEST_APP)
    expect(launchable).toMatchObject({ package: TEST_APP, activity: `${TEST_APP}.DeskActivity` })
  })

  test('a sleeping phone is woken and a lock without credentials dismissed', async () => {
    const { phone, driver } = await startTestAppPhone(kind)
    phone.setScreen('locked')
    phone.setScreen('off')
    expect(await driver.facts(SOON)).toMatchObject({ awake: false, locked: true })
    expect(await driver.wake(SOON)).toEqual({ awake: true, locked: false })
    expect(await driver.facts(SOON)).toMatchObject({ awake: true, locked: false })
  })

  test('files are pushed and pulled', async () => {
    const { driver } = await startTestAppPhone(kind)
    const data = Buffer.from('file \0 content')
    await driver.push('/data/local/tmp/note', data, SOON)
    expect((await driver.pull('/data/local/tmp/note', SOON)).equals(data)).toBe(true)
    await expect(driver.pull('/data/local/tmp/none', SOON)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
  })
})
