import { expect, test } from 'vitest'
import { toScreen } from '../../src/devices/touch/person-input.ts'
import { dump, dumpXml, launch, manualPhone, run, tap, texts } from './phone-shell.ts'

const NOTES = 'org.apprentice.notes'
const TURN = 'settings put system accelerometer_rotation 0; settings put system user_rotation'

test.each([
  [0, 1080, 2400],
  [1, 2400, 1080],
  [2, 1080, 2400],
  [3, 2400, 1080],
])('turned by %i quarters, the screen is %i wide and %i high', async (rotation, width, height) => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await run(phone, `${TURN} ${rotation}`)
  const png = (await run(phone, 'screencap -p')).bytes
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height])
  expect(await dumpXml(phone)).toContain(`<hierarchy rotation="${rotation}">`)
  const boxes = (await dump(phone)).map(({ box }) => box)
  expect(Math.max(...boxes.map(({ right }) => right))).toBe(width)
  expect(Math.max(...boxes.map(({ bottom }) => bottom))).toBeLessThanOrEqual(height)
  expect((await run(phone, 'wm size')).stdout).toBe('Physical size: 1080x2400\n')
  expect((await run(phone, 'dumpsys display')).stdout).toContain(`mCurrentOrientation=${rotation}`)
  expect((await run(phone, 'dumpsys window')).stdout).toContain(`mCurrentRotation=ROTATION_${rotation * 90}`)
})

test('a tap on an element of the turned screen presses it', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await run(phone, `${TURN} 1`)
  await tap(phone, 'New note')
  expect(await texts(phone)).toContain('Save')
})

test('while the sensor decides, the screen stays upright', async () => {
  const { phone } = manualPhone()
  await run(phone, 'settings put system user_rotation 1; settings put system accelerometer_rotation 1')
  expect(await dumpXml(phone)).toContain('<hierarchy rotation="0">')
})

test.each([0, 1, 2, 3])(
  'the panel reports a touch on a screen turned by %i quarters in its own axes',
  async (rotation) => {
    const { phone } = manualPhone()
    await run(phone, `${TURN} ${rotation}`)
    const closing = new AbortController()
    const recording = run(phone, 'getevent -l /dev/input/event2', { signal: closing.signal })
    await new Promise((resolve) => setImmediate(resolve))
    await phone.person.touch(700, 300)
    closing.abort()
    const { stdout } = await recording
    const read = (axis: string): number =>
      Number.parseInt(new RegExp(`ABS_MT_POSITION_${axis}\\s+([0-9a-f]+)`).exec(stdout)?.[1] ?? '', 16) / 32_768
    const seen = toScreen({ x: read('X'), y: read('Y') }, { width: 1080, height: 2400, rotation, slopPx: 20 })
    expect(Math.hypot(seen.x - 700, seen.y - 300)).toBeLessThan(2)
  },
)
