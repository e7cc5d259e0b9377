import { describe, expect, test } from 'vitest'
import { systemClock } from '@apprentice/phone/phone.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import { DESK, middleOf, phoneWithDesk, tapOn } from './sim-phone.ts'

describe.each(rigKinds)('over $name', (kind) => {
  test('an app is opened, told as foreground, brought to the front and closed', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    const first = await driver.openApp(DESK, SOON)
    expect(first).toMatchObject({ component: `${DESK}/.DeskActivity`, wasRunning: false })
    const foreground = await driver.foreground(SOON)
    expect(foreground).toMatchObject({ package: DESK, activity: `${DESK}.DeskActivity` })
    await driver.keyevent('home', SOON)
    expect((await driver.foreground(SOON))?.package).not.toBe(DESK)
    expect(await driver.openApp(DESK, SOON)).toMatchObject({ wasRunning: true })
    await driver.closeApp(DESK, SOON)
    expect(phone.foreground()?.packageName).not.toBe(DESK)
  })

  test('an app that is not there and a link nobody takes are failures although the tools exit 0', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
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

  test('a link opens the screen that takes it', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openUri('desk:drawer', SOON)
    expect(phone.foreground()).toMatchObject({ packageName: DESK, screen: 'drawer' })
  })

  test('taps and long presses land where they should', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'press')
    await tapOn(phone, driver, 'press')
    await driver.longPress(middleOf(phone, 'press'), 650, SOON)
    expect(phone.state(DESK).saved).toMatchObject({ taps: 2, holds: 1 })
    const { x, y } = middleOf(phone, 'press')
    await driver.swipe({ from: { x, y }, to: { x, y: y + 500 }, durationMs: 100 }, SOON)
    expect(phone.state(DESK).saved).toMatchObject({ taps: 2, holds: 1 })
  })

  test('coordinates the device would not understand are refused before they are sent', async () => {
    const { driver } = await phoneWithDesk(kind)
    for (const point of [
      { x: 1.5, y: 1 },
      { x: -1, y: 1 },
      { x: Number.NaN, y: 1 },
    ]) {
      await expect(driver.tap(point, SOON)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  test.each([
    ['plain words', 'hello world'],
    [
      'every printable character',
      Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join(''),
    ],
    ['what a shell would act upon', `'; rm -rf / #"$(id)\`id\` ~ * && || \\`],
    ['percent signs', '100% %s %%s %d 50%sure'],
    ['a long text', 'The quick brown fox. '.repeat(30)],
  ])('%s are typed exactly', async (_name, text) => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'typed')
    await driver.enterText(text, SOON)
    expect(phone.state(DESK).saved.typed).toBe(text)
  })

  test('line ends are typed as keys', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'memo')
    await driver.enterText('one\ntwo\r\n\nfour', SOON)
    expect(phone.state(DESK).saved.memo).toBe('one\ntwo\n\nfour')
  })

  test('text is cleared and replaced', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'typed')
    await driver.enterText('old text', SOON)
    await driver.clearText('old text'.length, SOON)
    expect(phone.state(DESK).saved.typed).toBe('')
    await driver.enterText('new', SOON)
    expect(phone.state(DESK).saved.typed).toBe('new')
  })

  test('characters without a key are typed where the ADB keyboard is installed', async () => {
    const { phone, driver } = await phoneWithDesk(kind, { adbKeyboard: true })
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'typed')
    const before = await driver.foreground(SOON)
    await driver.enterText('Grüße 日本 😀', SOON)
    expect(phone.state(DESK).saved.typed).toBe('Grüße 日本 😀')
    expect(await driver.foreground(SOON)).toEqual(before)
  })

  test('characters without a key are refused elsewhere, and nothing is typed', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    await driver.openApp(DESK, SOON)
    await tapOn(phone, driver, 'typed')
    await expect(driver.enterText('ok so far 😀', SOON)).rejects.toMatchObject({
      code: 'TEXT_UNSUPPORTED',
      detail: 'U+1F600',
    })
    expect(phone.state(DESK).saved.typed).toBe('')
  })

  test('a screenshot is a whole picture of the screen', async () => {
    const { driver } = await phoneWithDesk(kind)
    const { size } = await driver.facts(SOON)
    const { png, width, height } = await driver.screenshot(SOON)
    expect({ width, height }).toEqual(size)
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  })

  test('a screenshot cut anywhere is a lost device, never half a picture', async () => {
    // The picture shows the time, and it has to stay the same.
    const clock = { ...systemClock, now: () => Date.UTC(2026, 2, 1, 12) }
    const { rig, phone, driver } = await phoneWithDesk(kind, { clock })
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

  test('the facts of the device are read in one go', async () => {
    const { phone, driver } = await phoneWithDesk(kind, { model: 'Desk Phone', locale: 'de-AT' })
    phone.setBattery(37, true)
    await driver.openApp(DESK, SOON)
    const facts = await driver.facts(SOON)
    expect(facts).toMatchObject({
      model: 'Desk Phone',
      rotation: 0,
      battery: { level: 37, charging: true },
      awake: true,
      locked: false,
      locale: 'de-AT',
      foreground: { package: DESK },
    })
    expect(facts.sdk).toBeGreaterThan(20)
    expect(facts.androidVersion).toMatch(/^\d+/)
    expect(facts.manufacturer).toBeTruthy()
    expect(facts.size?.width).toBeGreaterThan(300)
    expect(facts.densityDpi).toBeGreaterThan(100)
  })

  test('installed packages and startable apps are listed', async () => {
    const { driver } = await phoneWithDesk(kind)
    expect(await driver.packages(SOON)).toContainEqual({ package: DESK, versionCode: 7 })
    expect(await driver.appBuild(DESK, SOON)).toMatchObject({ versionCode: 7 })
    expect(await driver.appBuild('org.example.none', SOON)).toBeUndefined()
    const [desk] = (await driver.launchables(SOON)).filter((app) => app.package === DESK)
    expect(desk).toMatchObject({ package: DESK, activity: `${DESK}.DeskActivity` })
  })

  test('a sleeping phone is woken and an open lock lifted', async () => {
    const { phone, driver } = await phoneWithDesk(kind)
    phone.setScreen('locked')
    phone.setScreen('off')
    expect(await driver.facts(SOON)).toMatchObject({ awake: false, locked: true })
    expect(await driver.wake(SOON)).toEqual({ awake: true, locked: false })
    expect(await driver.facts(SOON)).toMatchObject({ awake: true, locked: false })
  })

  test('files are pushed and pulled', async () => {
    const { driver } = await phoneWithDesk(kind)
    const data = Buffer.from('file \0 content')
    await driver.push('/data/local/tmp/note', data, SOON)
    expect((await driver.pull('/data/local/tmp/note', SOON)).equals(data)).toBe(true)
    await expect(driver.pull('/data/local/tmp/none', SOON)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
  })
})
