import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTouchPanel, parseInputDevices } from '../../../src/devices/touch/input-devices.ts'
import { parseKernelEvent } from '../../../src/devices/touch/kernel-events.ts'
import { LineSplitter } from '../../../src/devices/touch/line-splitter.ts'
import { PanelDecoder, type PanelInput } from '../../../src/devices/touch/panel-decoder.ts'
import { manualPhone, run } from '../../phone/phone-shell.ts'
import { type Dialect, PANEL, PANEL_PATH, PanelScript } from './panel-script.ts'
import { countRuns } from '../../kit/count-runs.ts'

const toPanel = (dialect: Dialect) => ({ ...PANEL, multiTouch: dialect !== 'single' })

function decode(script: PanelScript, dialect: Dialect): PanelInput[] {
  return new PanelDecoder(toPanel(dialect)).push(`${script.lines.join('\n')}\n`)
}

const point = fc.tuple(fc.nat(4095), fc.nat(8191))
const finger = fc.array(point, { minLength: 1, maxLength: 6 })
const input = fc.oneof(
  fc.record({
    kind: fc.constant('draw' as const),
    fingers: fc.array(finger, { minLength: 1, maxLength: 3 }),
    stepUs: fc.integer({ min: 1000, max: 900_000 }),
  }),
  fc.record({
    kind: fc.constant('key' as const),
    code: fc.constantFrom('KEY_BACK', 'KEY_VOLUMEUP', 'KEY_Q', 'KEY_LEFTSHIFT'),
  }),
)
const KEYS: Record<string, string> = {
  KEY_BACK: 'back',
  KEY_VOLUMEUP: 'volume_up',
  KEY_Q: 'typing',
}

test.each(['slots', 'listed', 'single'] as const)(
  'strokes and keys are decoded in the %s protocol from pieces of any size',
  (dialect) => {
    fc.assert(
      fc.property(
        fc.array(input, { maxLength: 6 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 80 })),
        (inputs, cuts) => {
          const script = new PanelScript(dialect)
          const expected = inputs.flatMap((one): unknown[] => {
            const startedUs = script.timeUs
            if (one.kind === 'key') {
              script.key(one.code)
              const key = KEYS[one.code]
              return key === undefined ? [] : [{ kind: 'key', key, startedUs }]
            }
            const fingers = dialect === 'single' ? one.fingers.slice(0, 1) : one.fingers
            script.draw(fingers, one.stepUs)
            const count = fingers.length
            return [{ kind: 'stroke', fingers: count, startedUs, endedUs: script.timeUs }]
          })
          const whole = decode(script, dialect)
          expect(whole).toMatchObject(expected)
          expect(whole).toHaveLength(expected.length)
          expect(decodeInPieces(`${script.lines.join('\r\n')}\r\n`, cuts, dialect)).toEqual(whole)
        },
      ),
      { numRuns: countRuns(60) },
    )
  },
)

function decodeInPieces(text: string, cuts: Iterable<number>, dialect: Dialect): PanelInput[] {
  const decoder = new PanelDecoder(toPanel(dialect))
  const sizes = cuts[Symbol.iterator]()
  const seen: PanelInput[] = []
  for (let at = 0; at < text.length;) {
    const size = Number(sizes.next().value)
    seen.push(...decoder.push(text.slice(at, at + size)))
    at += size
  }
  return seen
}

test.each(['slots', 'listed', 'single'] as const)('the path of the finger is decoded: %s', (dialect) => {
  const script = new PanelScript(dialect)
  script.draw(
    [
      [
        [1024, 2048],
        [1024, 4096],
        [2048, 4096],
      ],
    ],
    10_000,
  )
  const [stroke] = decode(script, dialect)
  expect(stroke).toMatchObject({
    path: [
      { x: 0.25, y: 0.25 },
      { x: 0.25, y: 0.5 },
      { x: 0.5, y: 0.5 },
    ],
  })
})

test('a finger at the position of the last one is decoded, though the panel repeats no coordinates', () => {
  const script = new PanelScript('slots')
  script.draw([[[1024, 2048]]], 10_000)
  script.draw([[[1024, 2048]]], 10_000)
  const [first, second] = decode(script, 'slots')
  expect(second).toMatchObject({ path: first?.kind === 'stroke' ? first.path : [] })
})

test('a touch whose position was sent before the start has an empty path', () => {
  const script = new PanelScript('slots')
  script.draw([[[1024, 2048]]], 10_000)
  const heard = script.lines.length
  script.draw([[[1024, 2048]]], 10_000)
  const late = new PanelDecoder(PANEL).push(`${script.lines.slice(heard).join('\n')}\n`)
  expect(late).toMatchObject([{ kind: 'stroke', path: [] }])
})

test('several fingers of a listing panel are counted, and the first one is followed', () => {
  const script = new PanelScript('listed')
  script.draw(
    [
      [
        [1024, 2048],
        [1100, 2048],
      ],
      [
        [3000, 6000],
        [2900, 6000],
      ],
    ],
    10_000,
  )
  const [stroke] = decode(script, 'listed')
  expect(stroke).toMatchObject({ fingers: 2 })
  const xs = stroke?.kind === 'stroke' ? stroke.path.map(({ x }) => x) : []
  expect(Math.max(...xs)).toBeLessThan(0.3)
})

test('a report with dropped events is ignored', () => {
  const script = new PanelScript('slots')
  script.line('EV_ABS', 'ABS_MT_TRACKING_ID', 9)
  script.line('EV_ABS', 'ABS_MT_POSITION_X', 1)
  script.line('EV_SYN', 'SYN_DROPPED', 0)
  script.line('EV_SYN', 'SYN_REPORT', 0)
  script.line('EV_ABS', 'ABS_MT_TRACKING_ID', -1)
  script.line('EV_SYN', 'SYN_REPORT', 0)
  script.draw([[[1024, 2048]]], 10_000)
  expect(decode(script, 'slots')).toMatchObject([{ kind: 'stroke', path: [{ x: 0.25, y: 0.25 }] }])
})

test('other input devices give no strokes', () => {
  const script = new PanelScript('slots')
  script.line('EV_ABS', 'ABS_MT_TRACKING_ID', 1, '/dev/input/event7')
  script.line('EV_ABS', 'ABS_MT_POSITION_X', 1, '/dev/input/event7')
  script.line('EV_SYN', 'SYN_REPORT', 0, '/dev/input/event7')
  const decoder = new PanelDecoder(PANEL)
  expect(decoder.push(`${script.lines.join('\n')}\n`)).toEqual([])
  expect(decoder.isBusy).toBe(false)
})

test('arbitrary lines give no events and no errors', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (pieces) => {
      const decoder = new PanelDecoder(PANEL)
      expect(pieces.flatMap((piece) => decoder.push(`${piece}\n`))).toEqual([])
    }),
    { numRuns: countRuns(40) },
  )
})

test.each([
  ['[   12.000034] /dev/input/event2: EV_ABS ABS_MT_TRACKING_ID ffffffff', 12_000_034, -1],
  ['[   12.5] EV_KEY BTN_TOUCH DOWN            ', 12_500_000, 1],
])('%s is read', (line, timeUs, value) => {
  expect(parseKernelEvent(line)).toMatchObject({ timeUs, value })
})

test.each([
  'add device 1: /dev/input/event2',
  '[ 1.0] /dev/input/event2: EV_ABS ABS_X',
  '[ 1.0] EV_KEY BTN_TOUCH constructor',
  '',
])('%j is no event', (line) => {
  expect(parseKernelEvent(line)).toBeUndefined()
})

test('lines are returned whole, and a line that is too long is dropped', () => {
  const splitter = new LineSplitter()
  expect(splitter.push('ab')).toEqual([])
  expect(splitter.push('c\r\n\nd')).toEqual(['abc', ''])
  expect(splitter.push('x'.repeat(70_000))).toEqual([])
  expect(splitter.push('yz\nnext\n')).toEqual(['next'])
})

const SAMSUNG = `add device 1: /dev/input/event6
  name:     "pad"
  events:
    KEY (0001): BTN_TOUCH
    ABS (0003): ABS_MT_POSITION_X     : value 0, min 0, max 1000, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 1000, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_POINTER
add device 2: /dev/input/event4
  name:     "sec_touchscreen"
  events:
    KEY (0001): KEY_WAKEUP            KEY_BLACK_UI_GESTURE  BTN_TOOL_FINGER
                BTN_TOUCH             01c7
    ABS (0003): ABS_X                 : value 0, min 0, max 4095, fuzz 0, flat 0, resolution 0
                ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min -8, max 4087, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 8191, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
add device 3: /dev/input/event0
  name:     "gpio_keys"
  events:
    KEY (0001): KEY_VOLUMEUP
  input props:
    <none>
`

test('the panel of the screen is found among other devices', () => {
  const devices = parseInputDevices(SAMSUNG)
  expect(devices.map(({ name, keys }) => [name, keys])).toEqual([
    ['pad', ['BTN_TOUCH']],
    ['sec_touchscreen', ['KEY_WAKEUP', 'KEY_BLACK_UI_GESTURE', 'BTN_TOOL_FINGER', 'BTN_TOUCH', '01c7']],
    ['gpio_keys', ['KEY_VOLUMEUP']],
  ])
  expect(findTouchPanel(devices)).toEqual({
    path: '/dev/input/event4',
    x: { min: -8, max: 4087 },
    y: { min: 0, max: 8191 },
    multiTouch: true,
  })
})

test('the panel of the simulated phone is found, and none if there is none', async () => {
  const { phone } = manualPhone()
  const { stdout } = await run(phone, 'getevent -lp')
  expect(findTouchPanel(parseInputDevices(stdout))).toEqual({
    path: PANEL_PATH,
    x: { min: 0, max: 32_767 },
    y: { min: 0, max: 32_767 },
    multiTouch: true,
  })
  expect(findTouchPanel(parseInputDevices(SAMSUNG.slice(SAMSUNG.indexOf('add device 3'))))).toBeUndefined()
  expect(parseInputDevices('nothing of the sort')).toEqual([])
})
