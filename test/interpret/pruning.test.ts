import { expect, test } from 'vitest'
import {
  back,
  button,
  happens,
  home,
  open,
  scrollDown,
  tap,
  tapDescribed,
  tapId,
  times,
  type,
} from '../bench/learning-actions.ts'
import { climate, listDescriptions, learn, notes, portal, listReasons, settings, useLab } from './lab.ts'

const lab = useLab()
const setTemperature = ['Choose the given unit', 'Set temperature to the given number', 'Press Save', 'Press Save']

test('opening the app by its icon and leaving it are dropped', async () => {
  const workflow = await learn(lab(), [
    home,
    tap('Climate'),
    tap('Reception'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
    home,
  ])
  expect(listDescriptions(workflow)).toEqual(setTemperature)
  expect(workflow.pruned).toEqual([
    {
      event_ids: ['trace-1-event-1', 'trace-1-event-2'],
      reason: 'launch',
      summary: 'The recipe opens the app itself',
    },
    { event_ids: ['trace-1-event-7'], reason: 'launch', summary: 'The app was left at the end' },
  ])
})

test('scrolling, opening the wrong unit and cancelling a dialog are dropped', async () => {
  const workflow = await learn(lab(), [
    open(climate),
    tap('Lobby'),
    back,
    scrollDown,
    tap('Library'),
    ...times(3, tapDescribed('Colder')),
    tapDescribed('Warmer'),
    tap('Save'),
    button(2),
    tap('Save'),
    button(1),
  ])
  expect(listDescriptions(workflow)).toEqual(setTemperature)
  expect(listReasons(workflow)).toEqual([
    'launch',
    'scroll_to_find',
    'repeat_collapsed',
    'repeat_collapsed',
    'repeat_collapsed',
    'detour',
    'detour',
  ])
})

test('a change that was not saved is a detour', async () => {
  const workflow = await learn(lab(), [
    open(climate),
    tap('Reception'),
    tapDescribed('Warmer'),
    back,
    tap('Lobby'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(listDescriptions(workflow)).toEqual(setTemperature)
  expect(workflow.inputs.map(({ example }) => example)).toEqual(['Lobby', '21.5'])
})

test('a switch that no other screen shows is not a detour', async () => {
  const workflow = await learn(lab(), [
    open(settings),
    tap('Display'),
    tap('Dark theme'),
    back,
    tap('Battery'),
    tap('Battery Saver'),
  ])
  expect(listDescriptions(workflow)).toEqual([
    'Press Display',
    'Turn dark theme on or off as given',
    'Press the back key',
    'Press Battery',
    'Turn battery saver on or off as given',
  ])
})

test('the way back after the workflow is dropped', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Display'), tap('Dark theme'), back, back])
  expect(listDescriptions(workflow)).toEqual(['Press Display', 'Turn dark theme on or off as given'])
  expect(workflow.pruned.at(-1)).toMatchObject({ reason: 'detour', event_ids: { length: 2 } })
})

test('typing in parts is joined, and the last text counts', async () => {
  const workflow = await learn(lab(), [
    open(notes),
    tap('New note'),
    tapId(`${notes}:id/title`),
    type(`${notes}:id/title`, 'Shoping'),
    type(`${notes}:id/body`, 'Milk'),
    type(`${notes}:id/title`, 'Shopping'),
    tap('Save'),
  ])
  expect(workflow.inputs.map(({ name, example }) => [name, example])).toEqual([
    ['body', 'Milk'],
    ['title', 'Shopping'],
  ])
  expect(listReasons(workflow)).toEqual(['launch', 'typing_merged', 'typing_merged'])
})

test('a tap on a plain text is dropped', async () => {
  const workflow = await learn(lab(), [
    open(climate),
    tap('Reception'),
    tap('Temperature'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(listDescriptions(workflow)).toEqual(setTemperature)
  expect(listReasons(workflow)).toEqual(['launch', 'no_effect'])
})

test('a switch with its old state and a rejected attempt are dropped', async () => {
  const there = await learn(lab(), [
    open(climate),
    tap('Lobby'),
    ...times(2, tapDescribed('Power')),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(listDescriptions(there)).toEqual(setTemperature)
  const id = (name: string) => `${portal}:id/${name}`
  const again = await learn(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engines'),
    tapId(id('sign_in')),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(listDescriptions(again)).toEqual(['Fill in the given user', 'Fill in the given password', 'Press Sign in'])
})

test('closing a window that appeared on its own becomes a dismissal and no step', async () => {
  const workflow = await learn(lab(), [
    open(climate),
    tap('Reception'),
    happens((phone) => phone.popUp({ title: 'Battery low', message: '5% left', buttons: [{ text: 'Got it' }] })),
    tap('Got it'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(listDescriptions(workflow)).toEqual(setTemperature)
  expect(listReasons(workflow)).toContain('dialog_dismissed')
  expect(workflow.recipe?.dismissals?.[0]).toEqual({
    resource_id: 'android:id/button1',
    text_equals: 'Got it',
    annotation: 'STRUCTURAL',
  })
})

test('a dialog of the workflow is a step and no dismissal', async () => {
  const workflow = await learn(lab(), [open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(listDescriptions(workflow)).toEqual(['Choose the given note', 'Press Delete', 'Press Delete'])
  const closing = workflow.recipe?.dismissals?.map(({ text_equals }) => text_equals)
  expect(closing).not.toContain('Delete')
  expect(closing).not.toContain('Cancel')
})

test('a reviewer can restore dropped events', async () => {
  const actions = [open(climate), tap('Lobby'), back, tap('Reception'), tapDescribed('Warmer'), tap('Save'), button(1)]
  const pinned = ['trace-1-event-2', 'trace-1-event-3']
  const workflow = await learn(lab(), actions, { pinned })
  expect(listDescriptions(workflow)).toEqual([
    'Choose the given unit',
    'Press the back key',
    'Choose the given unit 2',
    'Set temperature to the given number',
    'Press Save',
    'Press Save',
  ])
  expect(listReasons(workflow)).toEqual(['launch'])
})
