import { expect, test } from 'vitest'
import type { Phone } from '@apprentice/phone/phone.ts'
import { centre, find, launch, manualPhone, run } from './phone-shell.ts'

const NOTES = 'org.apprentice.notes'

/** Waits until the shell has started the command. */
function waitForStart(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** The lines that `getevent` prints while the action runs. */
async function recordEvents(phone: Phone, command: string, action: () => Promise<void>): Promise<string[]> {
  const closing = new AbortController()
  const recording = run(phone, command, { signal: closing.signal })
  await waitForStart()
  await action()
  closing.abort()
  const { stdout, code } = await recording
  expect(code).toBe(129)
  return stdout.split('\n').filter((line) => line !== '')
}

test('getevent prints a touch as the kernel reports it', async () => {
  const { phone } = manualPhone({ touchAxisMax: { x: 1079, y: 2399 } })
  const lines = await recordEvents(phone, 'getevent -lt /dev/input/event2', () => phone.person.touch(100, 1500))
  expect(lines.map((line) => line.trimEnd())).toEqual([
    '[    3600.000000] EV_ABS       ABS_MT_TRACKING_ID   00000001',
    '[    3600.000000] EV_KEY       BTN_TOUCH            DOWN',
    '[    3600.000000] EV_ABS       ABS_MT_POSITION_X    00000064',
    '[    3600.000000] EV_ABS       ABS_MT_POSITION_Y    000005dc',
    '[    3600.000000] EV_ABS       ABS_MT_PRESSURE      0000003a',
    '[    3600.000000] EV_SYN       SYN_REPORT           00000000',
    '[    3600.080000] EV_ABS       ABS_MT_PRESSURE      00000000',
    '[    3600.080000] EV_ABS       ABS_MT_TRACKING_ID   ffffffff',
    '[    3600.080000] EV_KEY       BTN_TOUCH            UP',
    '[    3600.080000] EV_SYN       SYN_REPORT           00000000',
  ])
})

test('a second touch with the same X has no X event', async () => {
  const { phone } = manualPhone()
  await phone.person.touch(100, 1500)
  const lines = await recordEvents(phone, 'getevent -l', () => phone.person.touch(100, 1600))
  expect(lines.filter((line) => line.includes('POSITION_X'))).toEqual([])
  expect(lines.filter((line) => line.includes('POSITION_Y'))).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^\/dev\/input\/event2: EV_SYN {7}SYN_REPORT/)
})

test('getevent does not print events injected by the input command', async () => {
  const { phone } = manualPhone()
  const lines = await recordEvents(phone, 'getevent -lq', async () => {
    await run(phone, 'input tap 100 600; input swipe 1 2 3 400; input keyevent 4')
  })
  expect(lines).toEqual([])
})

test('coordinates are in units of the panel axis', async () => {
  const { phone } = manualPhone()
  const lines = await recordEvents(phone, 'getevent -lq', () => phone.person.touch(540, 1200))
  const value = (axis: string) =>
    Number.parseInt(
      lines
        .find((line) => line.includes(axis))
        ?.trim()
        .split(/\s+/)
        .at(-1) ?? '',
      16,
    )
  expect(Math.floor((value('POSITION_X') * 1080) / 32_768)).toBe(540)
  expect(Math.floor((value('POSITION_Y') * 2400) / 32_768)).toBe(1200)
})

test('a swipe reports intermediate points and scrolls the list', async () => {
  const { phone } = manualPhone()
  await launch(phone, 'org.apprentice.climate')
  const before = (await find(phone, 'Meeting room 2')).box.top
  const lines = await recordEvents(phone, 'getevent -lt', () => phone.person.swipe([540, 1500], [540, 1300], 160))
  const points = lines.filter((line) => line.includes('POSITION_Y')).length
  expect(points).toBeGreaterThanOrEqual(8)
  expect((await find(phone, 'Meeting room 2')).box.top).toBe(before - 200)
})

test('a person creates a note by touch and by typing on the soft keyboard', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  const touch = async (name: string) => phone.person.touch(...centre(await find(phone, name)))
  await touch('New note')
  await expect(phone.person.typeText('a')).rejects.toThrow('is hidden')
  await touch('title')
  const lines = await recordEvents(phone, 'getevent -lq', () => phone.person.typeText('Ab 1,[c]?'))
  expect(lines.filter((line) => line.includes('BTN_TOUCH') && line.includes('DOWN')).length).toBeGreaterThan(9)
  expect(lines.some((line) => line.includes('KEY_A'))).toBe(false)
  await expect(phone.person.typeText('é')).rejects.toThrow('no key for "é"')
  await touch('save')
  expect(phone.state(NOTES).saved['notes']).toContainEqual({ id: 4, title: 'Ab 1,[c]?', body: '' })
})

test('hardware buttons and keyboard keys have separate input devices', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  const back = await recordEvents(phone, 'getevent -lq', () => phone.person.typeKey('BACK'))
  expect(back[0]?.trimEnd()).toBe('/dev/input/event0: EV_KEY       KEY_BACK             DOWN')
  expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
  const letter = await recordEvents(phone, 'getevent -q', () => phone.person.typeKey('A'))
  expect(letter).toEqual([
    '/dev/input/event3: 0001 002a 00000001',
    '/dev/input/event3: 0001 001e 00000001',
    '/dev/input/event3: 0000 0000 00000000',
    '/dev/input/event3: 0001 002a 00000000',
    '/dev/input/event3: 0001 001e 00000000',
    '/dev/input/event3: 0000 0000 00000000',
  ])
})

test('getevent -lp lists devices and axis ranges', async () => {
  const { phone } = manualPhone()
  const { stdout, code } = await run(phone, 'getevent -lp /dev/input/event2')
  expect(code).toBe(0)
  expect(stdout).toBe(
    'add device 1: /dev/input/event2\n  name:     "apprentice_touchscreen"\n  events:\n' +
      '    KEY (0001): BTN_TOUCH            \n' +
      '    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n' +
      '                ABS_MT_TOUCH_MAJOR    : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0\n' +
      '                ABS_MT_POSITION_X     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0\n' +
      '                ABS_MT_POSITION_Y     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0\n' +
      '                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0\n' +
      '                ABS_MT_PRESSURE       : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0\n' +
      '  input props:\n    INPUT_PROP_DIRECT\n',
  )
  expect((await run(phone, 'getevent -lp')).stdout.match(/add device/g)).toHaveLength(3)
  expect((await run(phone, 'getevent /dev/input/event9')).code).toBe(1)
})

test('getevent -c ends after the given number of events', async () => {
  const { phone } = manualPhone()
  const counting = run(phone, 'getevent -lq -c 2')
  await waitForStart()
  await phone.person.touch(5, 5)
  const { code, stdout } = await counting
  expect(code).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(2)
})
