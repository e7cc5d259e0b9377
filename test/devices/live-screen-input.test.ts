import { expect, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { Phone, ScreenNode } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { run } from '../phone/phone-shell.ts'

interface Person {
  readonly daemon: Daemon
  readonly phone: Phone
  /** Sends an input and waits until it is done. */
  send(input: object): Promise<ExecutionRecord>
  /** Finds the node with this text or description on the screen. */
  find(label: string): ScreenNode
}

async function startPerson(): Promise<Person> {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  return {
    daemon,
    phone,
    send: async (input) => {
      const reply = await daemon.post(`/api/devices/${phone.serial}/input`, {
        ...input,
        wait_ms: 15_000,
      })
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json<{ execution: ExecutionRecord }>().execution
    },
    find: (label) => {
      const found = phone.screenNodes().find(({ text, description }) => text === label || description === label)
      if (found === undefined) throw new Error(`"${label}" is not on the screen`)
      return found
    },
  }
}

const middle = ({ bounds: { left, top, right, bottom } }: ScreenNode) => ({
  x: Math.floor((left + right) / 2),
  y: Math.floor((top + bottom) / 2),
})

test('a tap opens an app and is stored as an execution', async () => {
  const person = await startPerson()
  const execution = await person.send({ kind: 'tap', ...middle(person.find('Climate')) })
  expect(execution).toMatchObject({ state: 'succeeded', source: 'live_screen' })
  expect(person.phone.foreground()?.packageName).toBe('org.apprentice.climate')
  const stored = await person.daemon.get(`/api/executions/${execution.execution_id}`)
  expect(stored.json()).toMatchObject({
    execution: { execution: { actions: [{ type: 'click' }] } },
  })
  const kinds = person.daemon
    .events()
    .filter(({ subject }) => subject === `execution/${execution.execution_id}`)
    .map(({ kind }) => kind)
  expect(kinds[0]).toBe('execution.queued')
  expect(kinds.at(-1)).toBe('execution.settled')
})

test('the keys home, recents and back work', async () => {
  const person = await startPerson()
  await person.send({ kind: 'tap', ...middle(person.find('Climate')) })
  await person.send({ kind: 'key', key: 'home' })
  expect(person.phone.foreground()?.packageName).toBe('com.android.launcher3')
  await person.send({ kind: 'key', key: 'recents' })
  expect(person.phone.foreground()?.screen).toBe('recents')
  await person.send({ kind: 'key', key: 'home' })
  await person.send({ kind: 'tap', ...middle(person.find('Settings')) })
  await person.send({ kind: 'tap', ...middle(person.find('Display')) })
  const settings = person.phone.foreground()?.screen
  await person.send({ kind: 'key', key: 'back' })
  expect(person.phone.foreground()?.screen).not.toBe(settings)
  expect(person.find('Display')).toBeDefined()
})

test('a swipe scrolls a list by the distance of the swipe', async () => {
  const person = await startPerson()
  await person.send({ kind: 'tap', ...middle(person.find('Settings')) })
  const before = person.find('Display').bounds.top
  const swiped = await person.send({
    kind: 'swipe',
    from: { x: 500, y: 1500 },
    to: { x: 500, y: 1400 },
  })
  expect(swiped).toMatchObject({ state: 'succeeded' })
  expect(swiped.execution.actions).toMatchObject([{ type: 'swipe' }])
  expect(before - person.find('Display').bounds.top).toBe(100)
  await person.send({ kind: 'swipe', from: { x: 500, y: 900 }, to: { x: 500, y: 1700 } })
  expect(person.find('Display').bounds.top).toBe(before)
})

test('a swipe along a slider sets its value', async () => {
  const person = await startPerson()
  const brightness = async () => Number((await run(person.phone, 'settings get system screen_brightness')).stdout)
  await person.send({ kind: 'tap', ...middle(person.find('Settings')) })
  await person.send({ kind: 'tap', ...middle(person.find('Display')) })
  const slider = person.phone.screenNodes().find(({ className }) => className.endsWith('SeekBar'))
  if (slider === undefined) throw new Error('no slider on the screen')
  const { x, y } = middle(slider)
  const before = await brightness()
  await person.send({ kind: 'swipe', from: { x, y }, to: { x: slider.bounds.right - 1, y } })
  expect(before).not.toBe(255)
  expect(await brightness()).toBe(255)
  await person.send({ kind: 'swipe', from: { x, y }, to: { x: slider.bounds.left, y } })
  expect(await brightness()).toBe(0)
})

test('a swipe on a fixed area succeeds and changes nothing', async () => {
  const person = await startPerson()
  const before = person.phone.screenNodes()
  const swiped = await person.send({ kind: 'swipe', from: { x: 5, y: 5 }, to: { x: 5, y: 300 } })
  expect(swiped).toMatchObject({ state: 'succeeded' })
  expect(person.phone.screenNodes()).toEqual(before)
})

test('text is typed into the focused field, and fails without one', async () => {
  const person = await startPerson()
  const lost = await person.send({ kind: 'text', text: 'no focus' })
  expect(lost).toMatchObject({ state: 'failed' })
  expect(lost.envelope?.stepResults[0]?.data).toMatchObject({ error: 'NODE_NOT_EDITABLE' })
  await person.send({ kind: 'tap', ...middle(person.find('Notes')) })
  await person.send({ kind: 'tap', ...middle(person.find('New note')) })
  const body = person.phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(':id/body'))
  if (body === undefined) throw new Error('no field on the screen')
  await person.send({ kind: 'tap', ...middle(body) })
  const typed = await person.send({ kind: 'text', text: 'Buy milk & "bread"' })
  expect(typed).toMatchObject({ state: 'succeeded' })
  expect(typed.execution.actions).toMatchObject([{ type: 'enter_text', params: { intoFocus: true } }])
  expect(person.find('Buy milk & "bread"')).toMatchObject({
    focused: true,
    resourceId: body.resourceId,
  })
  await person.send({ kind: 'text', text: '!' })
  expect(person.find('Buy milk & "bread"!').focused).toBe(true)
})

test('a typed text is corrected and confirmed with the keys of a keyboard, and a key without a field is refused', async () => {
  const person = await startPerson()
  const lost = await person.send({ kind: 'edit_key', key: 'delete' })
  expect(lost.envelope?.stepResults[0]?.data).toMatchObject({ error: 'NODE_NOT_EDITABLE' })
  await person.send({ kind: 'tap', ...middle(person.find('Notes')) })
  await person.send({ kind: 'tap', ...middle(person.find('New note')) })
  const readField = (id: string) =>
    person.phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(`:id/${id}`))
  const title = readField('title')
  if (title === undefined) throw new Error('no field on the screen')
  await person.send({ kind: 'tap', ...middle(title) })
  await person.send({ kind: 'text', text: 'Dentisyy' })
  const erased = await person.send({ kind: 'edit_key', key: 'delete', times: 2 })
  expect(erased.execution.actions).toMatchObject([{ type: 'press_edit_key', params: { key: 'delete', times: 2 } }])
  expect(readField('title')?.text).toBe('Dentis')
  await person.send({ kind: 'text', text: 't' })
  expect(readField('title')?.text).toBe('Dentist')
  const entered = await person.send({ kind: 'edit_key', key: 'enter' })
  expect(entered).toMatchObject({ state: 'succeeded' })
})

test('a long press acts as a long press', async () => {
  const person = await startPerson()
  await person.send({ kind: 'tap', ...middle(person.find('Notes')) })
  const pressed = await person.send({ kind: 'long_press', ...middle(person.find('Meeting')) })
  expect(pressed.execution.actions[0]?.params).toMatchObject({ clickType: 'long_click' })
  expect(person.find('Delete note?')).toBeDefined()
})

test('a repeated request id acts once', async () => {
  const person = await startPerson()
  const at = middle(person.find('Climate'))
  const once = { kind: 'tap', ...at, client_request_id: 'the-same' }
  const first = await person.send(once)
  expect(person.phone.foreground()?.packageName).toBe('org.apprentice.climate')
  await person.send({ kind: 'key', key: 'home' })
  const second = await person.send(once)
  expect(second.execution_id).toBe(first.execution_id)
  expect(person.phone.foreground()?.packageName).toBe('com.android.launcher3')
})

test('an input that does not match the contract is refused', async () => {
  const person = await startPerson()
  const url = `/api/devices/${person.phone.serial}/input`
  for (const body of [
    { kind: 'tap', x: -1, y: 0 },
    { kind: 'tap', x: 1.5, y: 0 },
    { kind: 'pinch', x: 1, y: 1 },
    { kind: 'key', key: 'power' },
    { kind: 'edit_key', key: 'back' },
    { kind: 'edit_key', key: 'delete', times: 0 },
    { kind: 'text', text: '' },
    { kind: 'swipe', from: { x: 1, y: 1 }, to: { x: 1, y: 1 } },
    {},
  ]) {
    const reply = await person.daemon.post(url, body)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  }
  const unknown = await person.daemon.post('/api/devices/nobody/input', {
    kind: 'key',
    key: 'home',
  })
  expect(unknown.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
})

test('the screen is turned and turned back, and a tap on the turned screen arrives', async () => {
  const person = await startPerson()
  const readRotation = async () => (await run(person.phone, 'settings get system user_rotation')).stdout.trim()
  const turned = await person.send({ kind: 'orientation', orientation: 'landscape' })
  expect(turned).toMatchObject({ state: 'succeeded', source: 'live_screen' })
  expect(await readRotation()).toBe('1')
  const right = Math.max(...person.phone.screenNodes().map(({ bounds }) => bounds.right))
  expect(right).toBe(2400)
  await person.send({ kind: 'tap', ...middle(person.find('Climate')) })
  expect(person.phone.foreground()?.packageName).toBe('org.apprentice.climate')
  await person.send({ kind: 'orientation', orientation: 'portrait' })
  expect(await readRotation()).toBe('0')
})
