import { expect, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { Phone, ScreenNode } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { run } from '../phone/phone-shell.ts'

interface Hand {
  readonly daemon: Daemon
  readonly phone: Phone
  /** Does it and waits for its end. */
  do(input: object): Promise<ExecutionRecord>
  /** The node a person would point at. */
  see(words: string): ScreenNode
}

async function aHand(): Promise<Hand> {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  return {
    daemon,
    phone,
    do: async (input) => {
      const reply = await daemon.post(`/api/devices/${phone.serial}/input`, {
        ...input,
        wait_ms: 15_000,
      })
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json<{ execution: ExecutionRecord }>().execution
    },
    see: (words) => {
      const found = phone
        .screenNodes()
        .find(({ text, description }) => text === words || description === words)
      if (found === undefined) throw new Error(`"${words}" is not on the screen`)
      return found
    },
  }
}

const middle = ({ bounds: { left, top, right, bottom } }: ScreenNode) => ({
  x: Math.floor((left + right) / 2),
  y: Math.floor((top + bottom) / 2),
})

test('a tap opens an app, and is an execution like any other', async () => {
  const hand = await aHand()
  const execution = await hand.do({ kind: 'tap', ...middle(hand.see('Climate')) })
  expect(execution).toMatchObject({ state: 'succeeded', source: 'live_screen' })
  expect(hand.phone.foreground()?.packageName).toBe('org.apprentice.climate')
  const kept = await hand.daemon.get(`/api/executions/${execution.execution_id}`)
  expect(kept.json()).toMatchObject({ execution: { execution: { actions: [{ type: 'click' }] } } })
  const kinds = hand.daemon
    .events()
    .filter(({ subject }) => subject === `execution/${execution.execution_id}`)
    .map(({ kind }) => kind)
  expect(kinds[0]).toBe('execution.queued')
  expect(kinds.at(-1)).toBe('execution.settled')
})

test('keys go home and back', async () => {
  const hand = await aHand()
  await hand.do({ kind: 'tap', ...middle(hand.see('Climate')) })
  await hand.do({ kind: 'key', key: 'home' })
  expect(hand.phone.foreground()?.packageName).toBe('com.android.launcher3')
  await hand.do({ kind: 'key', key: 'recents' })
  expect(hand.phone.foreground()?.screen).toBe('recents')
})

test('a swipe moves the list under the finger as far as it went', async () => {
  const hand = await aHand()
  await hand.do({ kind: 'tap', ...middle(hand.see('Settings')) })
  const before = hand.see('Display').bounds.top
  const swiped = await hand.do({
    kind: 'swipe',
    from: { x: 500, y: 1500 },
    to: { x: 500, y: 1400 },
  })
  expect(swiped).toMatchObject({ state: 'succeeded' })
  expect(swiped.execution.actions).toMatchObject([{ type: 'swipe' }])
  expect(before - hand.see('Display').bounds.top).toBe(100)
  await hand.do({ kind: 'swipe', from: { x: 500, y: 900 }, to: { x: 500, y: 1700 } })
  expect(hand.see('Display').bounds.top).toBe(before)
})

test('a swipe along a slider sets what the slider stands for', async () => {
  const hand = await aHand()
  const brightness = async () =>
    Number((await run(hand.phone, 'settings get system screen_brightness')).stdout)
  await hand.do({ kind: 'tap', ...middle(hand.see('Settings')) })
  await hand.do({ kind: 'tap', ...middle(hand.see('Display')) })
  const slider = hand.phone.screenNodes().find(({ className }) => className.endsWith('SeekBar'))
  if (slider === undefined) throw new Error('no slider on the screen')
  const { x, y } = middle(slider)
  const before = await brightness()
  await hand.do({ kind: 'swipe', from: { x, y }, to: { x: slider.bounds.right - 1, y } })
  expect(before).not.toBe(255)
  expect(await brightness()).toBe(255)
  await hand.do({ kind: 'swipe', from: { x, y }, to: { x: slider.bounds.left, y } })
  expect(await brightness()).toBe(0)
})

test('a swipe where nothing moves is done all the same and changes nothing', async () => {
  const hand = await aHand()
  const before = hand.phone.screenNodes()
  const swiped = await hand.do({ kind: 'swipe', from: { x: 5, y: 5 }, to: { x: 5, y: 300 } })
  expect(swiped).toMatchObject({ state: 'succeeded' })
  expect(hand.phone.screenNodes()).toEqual(before)
})

test('text goes into the field in focus, and only there', async () => {
  const hand = await aHand()
  const lost = await hand.do({ kind: 'text', text: 'nobody hears' })
  expect(lost).toMatchObject({ state: 'failed' })
  expect(lost.envelope?.stepResults[0]?.data).toMatchObject({ error: 'NODE_NOT_EDITABLE' })
  await hand.do({ kind: 'tap', ...middle(hand.see('Notes')) })
  await hand.do({ kind: 'tap', ...middle(hand.see('New note')) })
  const body = hand.phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(':id/body'))
  if (body === undefined) throw new Error('no field on the screen')
  await hand.do({ kind: 'tap', ...middle(body) })
  const typed = await hand.do({ kind: 'text', text: 'Buy milk & "bread"' })
  expect(typed).toMatchObject({ state: 'succeeded' })
  expect(typed.execution.actions).toMatchObject([
    { type: 'enter_text', params: { intoFocus: true } },
  ])
  expect(hand.see('Buy milk & "bread"')).toMatchObject({
    focused: true,
    resourceId: body.resourceId,
  })
  await hand.do({ kind: 'text', text: '!' })
  expect(hand.see('Buy milk & "bread"!').focused).toBe(true)
})

test('a long press holds, and a repeated request id does it once', async () => {
  const hand = await aHand()
  const at = middle(hand.see('Climate'))
  const pressed = await hand.do({ kind: 'long_press', ...at })
  expect(pressed.execution.actions[0]?.params).toMatchObject({ clickType: 'long_click' })
  const once = { kind: 'tap', ...at, client_request_id: 'the-same' }
  const first = await hand.do(once)
  await hand.do({ kind: 'key', key: 'home' })
  const second = await hand.do(once)
  expect(second.execution_id).toBe(first.execution_id)
  expect(hand.phone.foreground()?.packageName).toBe('com.android.launcher3')
})

test('what does not fit the contract is refused', async () => {
  const hand = await aHand()
  const url = `/api/devices/${hand.phone.serial}/input`
  for (const body of [
    { kind: 'tap', x: -1, y: 0 },
    { kind: 'tap', x: 1.5, y: 0 },
    { kind: 'pinch', x: 1, y: 1 },
    { kind: 'key', key: 'power' },
    { kind: 'text', text: '' },
    { kind: 'swipe', from: { x: 1, y: 1 }, to: { x: 1, y: 1 } },
    {},
  ]) {
    const reply = await hand.daemon.post(url, body)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  }
  const unknown = await hand.daemon.post('/api/devices/nobody/input', { kind: 'key', key: 'home' })
  expect(unknown.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
})
