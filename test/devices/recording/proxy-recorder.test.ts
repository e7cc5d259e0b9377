import { expect, test } from 'vitest'
import { Action } from '@apprentice/contracts/devices/action.ts'
import { ProxyRecorder } from '../../../src/devices/recording/proxy-recorder.ts'
import {
  toCapturedStep,
  type CapturedAction,
  type CapturedScreen,
  type CapturedStep,
} from '../../../src/devices/recording/captured-step.ts'
import { node, screen, text } from '../../screen/tree-builder.ts'

const APP = 'com.example.home'
const button = { class: 'android.widget.Button', clickable: 'true' }
const field = { class: 'android.widget.EditText', clickable: 'true', focusable: 'true' }

function rooms(temperature: string, query = ''): CapturedScreen {
  const row = (name: string, top: number) =>
    node(
      {
        'resource-id': `${APP}:id/room`,
        clickable: 'true',
        bounds: `[0,${top}][1080,${top + 100}]`,
      },
      text(name, { bounds: `[0,${top}][500,${top + 100}]`, 'resource-id': `${APP}:id/name` }),
      text(temperature, { bounds: `[500,${top}][900,${top + 100}]` }),
      node({
        ...button,
        'content-desc': 'Warmer',
        text: '+',
        bounds: `[900,${top}][1080,${top + 100}]`,
      }),
    )
  const hierarchy = screen(
    node(
      { package: APP, bounds: '[0,0][1080,2200]' },
      text('Rooms', { bounds: '[0,0][1080,90]' }),
      node({
        ...field,
        'resource-id': `${APP}:id/search_box`,
        text: query,
        bounds: '[0,90][1080,190]',
      }),
      row('Living "big" room', 200),
      row('Kitchen', 300),
      node({
        ...field,
        password: 'true',
        text: '••••',
        'content-desc': 'PIN',
        bounds: '[0,500][1080,600]',
      }),
      node({
        ...button,
        class: 'android.widget.ImageButton',
        'resource-id': `${APP}:id/addRoom`,
        bounds: '[0,700][99,799]',
      }),
      node({
        class: 'android.widget.SeekBar',
        'content-desc': 'Brightness',
        bounds: '[0,800][1080,900]',
      }),
    ),
  )
  return { hierarchy, activity: `${APP}.Rooms`, captured_at: '2024-05-01T10:00:05.000Z' }
}

const newRecorder = () => new ProxyRecorder({ sessionId: 's1', startedAtMs: 1000 })

function record(action: CapturedAction, more: Partial<CapturedStep> = {}) {
  return newRecorder().addStep({ action, at_ms: 2000, before: rooms('20'), ...more })
}

const at = (x: number, y: number) => ({ kind: 'tap', point: { x, y } }) as const

test.each([
  [at(100, 350), 'Tap "Kitchen"'],
  [at(100, 250), `Tap "Living 'big' room"`],
  [at(1000, 350), 'Tap "Warmer"'],
  [at(50, 750), 'Tap the add room button'],
  [at(500, 150), 'Tap the search box field'],
  [{ kind: 'long_press', point: { x: 100, y: 350 } }, 'Long-press "Kitchen"'],
  [{ kind: 'slide', point: { x: 500, y: 850 } }, 'Move "Brightness"'],
  [{ kind: 'scroll', direction: 'down' }, 'Scroll down'],
  [{ kind: 'key', key: 'back' }, 'Go back'],
  [{ kind: 'key', key: 'recents' }, 'Open the recent apps'],
  [{ kind: 'key', key: 'volume_up' }, 'Press volume up'],
  [{ kind: 'open_app', package: 'org.apprentice.climate' }, 'Open Climate'],
  [{ kind: 'close_app', package: 'org.apprentice.climate' }, 'Close Climate'],
  [{ kind: 'open_uri' }, 'Open a link'],
] satisfies [CapturedAction, string][])('%j reads: %s', (action, label) => {
  expect(record(action).described.action_label).toBe(label)
})

test('the label of an app is used if it is known', () => {
  const { described } = record({ kind: 'open_app', package: 'com.x.y' }, { app_label: 'Heating' })
  expect(described).toMatchObject({ action_label: 'Open Heating', app: 'com.x.y' })
})

test('a tap is recorded with its row, its tree and whether it changed the screen', () => {
  const { events, described } = record(at(100, 350), { after: rooms('21'), effect: 'local_state' })
  expect(events.map(({ type, seq }) => [type, seq])).toEqual([
    ['window_change', 0],
    ['click', 1],
  ])
  expect(events[1]).toMatchObject({
    ts: Date.parse('2024-05-01T10:00:05.000Z'),
    packageName: 'com.example',
    resourceId: `${APP}:id/room`,
    text: 'Kitchen',
    contentDesc: null,
    bounds: { left: 0, top: 300, right: 1080, bottom: 400 },
    snapshot: expect.stringContaining('Kitchen'),
  })
  expect(described).toMatchObject({
    app: APP,
    window_title: 'Rooms',
    caused_state_change: true,
    effect: 'local_state',
  })
  expect(described.text).toBeUndefined()
  expect(described.target?.candidates).toEqual([
    { matcher: { textEquals: 'Kitchen' }, source: 'inner_text', matches: 1, confidence: 0.55 },
    {
      matcher: { resourceId: `${APP}:id/room` },
      source: 'resource_id',
      matches: 2,
      confidence: 0.5,
    },
    {
      matcher: { resourceId: `${APP}:id/room`, index: 1 },
      source: 'position',
      matches: 1,
      confidence: 0.3,
    },
  ])
})

test('a step without a difference or without a screen after it caused no state change', () => {
  expect(record(at(100, 350), { after: rooms('20') }).described.caused_state_change).toBe(false)
  expect(record(at(100, 350)).described.caused_state_change).toBe(false)
})

const search = { path: '0.1' }
const pin = { path: '0.4' }

test('typing is recorded with the whole text of the field, and the label marks the typed text', () => {
  const action = { kind: 'text', text: 'milk' } as const
  const { events, described } = record(action, { node: search, after: rooms('20', 'oat milk') })
  expect(events.at(-1)).toMatchObject({
    type: 'text_change',
    resourceId: `${APP}:id/search_box`,
    text: 'oat milk',
  })
  expect(described).toMatchObject({
    action_label: 'Type ‹milk› into search box',
    text: 'milk',
  })
  expect(described.secret).toBeUndefined()
  expect(JSON.stringify(described.target)).not.toContain('milk')
  const submitted = record({ ...action, submit: true }, { node: search }).described
  expect(submitted.action_label).toBe('Type ‹milk› into search box and submit')
})

test('no event and no description contains a password', () => {
  const { events, described } = record({ kind: 'text', text: '1234' }, { node: pin, after: rooms('20') })
  expect(events.map(({ type }) => type)).toEqual(['window_change'])
  expect(described).toMatchObject({ secret: true, action_label: 'Type a password into PIN' })
  expect(JSON.stringify({ events, described })).not.toMatch(/1234|•/)
})

test('keys that the format does not have are described but give no event', () => {
  expect(record({ kind: 'key', key: 'back' }).events.at(-1)).toMatchObject({ type: 'press_key' })
  expect(record({ kind: 'key', key: 'home' }).events.map(({ type }) => type)).toEqual(['window_change'])
})

test('a window change gives one event, and times never decrease', () => {
  const recorder = newRecorder()
  const home = { hierarchy: screen(node({ package: 'com.android.launcher3' })), activity: null }
  const unasked = { ...rooms('20'), activity: undefined }
  expect(recorder.addScreen(home, 5000)).toEqual([])
  expect(recorder.addScreen(rooms('20'), 4000)).toMatchObject([
    { type: 'window_change', packageName: APP, className: `${APP}.Rooms`, title: 'Rooms' },
  ])
  expect(recorder.addScreen(unasked, 4100)).toEqual([])
  expect(recorder.addScreen(rooms('21'), 4200)).toEqual([])
  recorder.addStep({
    action: { kind: 'key', key: 'back' },
    at_ms: 1,
    before: rooms('21'),
    after: home,
  })
  const { events } = recorder.toRecording()
  expect(events.map(({ type }) => type)).toEqual(['window_change', 'press_key', 'window_change'])
  expect(events.map(({ ts }) => ts)).toEqual(events.map(({ ts }) => ts).toSorted((a, b) => a - b))
  expect(recorder.eventCount).toBe(3)
})

test('an app that was opened without a reading gives a window change', () => {
  const { events } = newRecorder().addStep({ action: { kind: 'open_app', package: APP }, at_ms: 1 })
  expect(events).toEqual([expect.objectContaining({ type: 'window_change', packageName: APP, snapshot: null })])
})

const action = (type: string, params: object) => Action.parse({ id: 'a', type, params })
const seen = { at_ms: 1, before: rooms('20'), node: { path: '0.3.0' }, point: { x: 5, y: 6 } }

test.each([
  [action('click', { matcher: { textEquals: 'x' } }), { kind: 'tap', point: { x: 5, y: 6 } }],
  [
    action('click', { coordinate: { x: 1, y: 2 }, clickType: 'long_click' }),
    { kind: 'long_press', point: { x: 1, y: 2 } },
  ],
  [action('scroll', { direction: 'up' }), { kind: 'scroll', direction: 'up' }],
  [action('swipe', { from: { x: 100, y: 850 }, to: { x: 700, y: 860 } }), { kind: 'slide', point: { x: 100, y: 850 } }],
  [
    action('swipe', { from: { x: 100, y: 850 }, to: { x: 110, y: 300 } }),
    { kind: 'scroll', direction: 'down', travel: { dx: 10, dy: -550 } },
  ],
  [
    action('swipe', { from: { x: 100, y: 300 }, to: { x: 700, y: 310 } }),
    { kind: 'scroll', direction: 'left', point: { x: 100, y: 300 } },
  ],
  [action('scroll_and_click', { matcher: { textEquals: 'x' } }), { kind: 'tap' }],
  [
    action('enter_text', { matcher: { textEquals: 'x' }, text: 'hi', submit: true }),
    { kind: 'text', text: 'hi', submit: true },
  ],
  [action('press_key', { key: 'home' }), { kind: 'key', key: 'home' }],
  [action('open_app', { applicationId: 'com.x' }), { kind: 'open_app', package: 'com.x' }],
])('an executed action becomes a step: %j', (done, recorded) => {
  expect(toCapturedStep(done, seen)?.action).toMatchObject(recorded)
})

test('a swipe without a screen is a scroll without a target', () => {
  const done = action('swipe', { from: { x: 100, y: 850 }, to: { x: 700, y: 860 } })
  const step = toCapturedStep(done, { at_ms: 1 }) ?? expect.fail('no step')
  expect(step.action).toMatchObject({ kind: 'scroll', direction: 'left' })
  expect(newRecorder().addStep(step).described.target).toBeUndefined()
})

test.each(['snapshot_ui', 'take_screenshot'])('%s does nothing to the phone', (type) => {
  expect(toCapturedStep(action(type, {}), seen)).toBeUndefined()
})
