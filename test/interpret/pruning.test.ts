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
} from '../bench/learning-doings.ts'
import { climate, descriptions, learned, notes, portal, reasons, settings, useLab } from './lab.ts'

const lab = useLab()
const setTemperature = [
  'Choose the given unit',
  'Set temperature to the given number',
  'Press Save',
  'Press Save',
]

test('opening the app by its icon, and leaving it, is no part of the work', async () => {
  const workflow = await learned(lab(), [
    home,
    tap('Climate'),
    tap('Reception'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
    home,
  ])
  expect(descriptions(workflow)).toEqual(setTemperature)
  expect(workflow.pruned).toEqual([
    {
      event_ids: ['trace-1-event-1', 'trace-1-event-2'],
      reason: 'launch',
      summary: 'The app is opened by the recipe itself',
    },
    { event_ids: ['trace-1-event-7'], reason: 'launch', summary: 'The app was left at the end' },
  ])
})

test('pushing the list, looking into the wrong unit and thinking twice leave no trace', async () => {
  const workflow = await learned(lab(), [
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
  expect(descriptions(workflow)).toEqual(setTemperature)
  expect(reasons(workflow)).toEqual([
    'launch',
    'scroll_to_find',
    'repeat_collapsed',
    'repeat_collapsed',
    'repeat_collapsed',
    'detour',
    'detour',
  ])
})

test('a change that was given up is a detour, as the list still shows the old value', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Reception'),
    tapDescribed('Warmer'),
    back,
    tap('Lobby'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(descriptions(workflow)).toEqual(setTemperature)
  expect(workflow.inputs.map(({ example }) => example)).toEqual(['Lobby', '21.5'])
})

test('a switch that no other screen tells of is not taken for a detour', async () => {
  const workflow = await learned(lab(), [
    open(settings),
    tap('Display'),
    tap('Dark theme'),
    back,
    tap('Battery'),
    tap('Battery Saver'),
  ])
  expect(descriptions(workflow)).toEqual([
    'Press Display',
    'Turn dark on or off as given',
    'Press the back key',
    'Press Battery',
    'Turn saver on or off as given',
  ])
})

test('the way back after the work is done is left out', async () => {
  const workflow = await learned(lab(), [
    open(settings),
    tap('Display'),
    tap('Dark theme'),
    back,
    back,
  ])
  expect(descriptions(workflow)).toEqual(['Press Display', 'Turn dark on or off as given'])
  expect(workflow.pruned.at(-1)).toMatchObject({ reason: 'detour', event_ids: { length: 2 } })
})

test('typing in bits is one entry, and its last text is what counts', async () => {
  const workflow = await learned(lab(), [
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
  expect(reasons(workflow)).toEqual(['launch', 'typing_merged', 'typing_merged'])
})

test('a touch on bare words does nothing', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Reception'),
    tap('Temperature'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(descriptions(workflow)).toEqual(setTemperature)
  expect(reasons(workflow)).toEqual(['launch', 'no_effect'])
})

test('switching on and off again is nothing, and an attempt that was refused is none', async () => {
  const there = await learned(lab(), [
    open(climate),
    tap('Lobby'),
    ...times(2, tapDescribed('Power')),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(descriptions(there)).toEqual(setTemperature)
  const id = (name: string) => `${portal}:id/${name}`
  const again = await learned(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engines'),
    tapId(id('sign_in')),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(descriptions(again)).toEqual([
    'Fill in the given user',
    'Fill in the given password',
    'Press Sign in',
  ])
})

test('a window that came by itself is closed by the recipe too, and is no step', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Reception'),
    happens((phone) =>
      phone.popUp({ title: 'Battery low', message: '5% left', buttons: [{ text: 'Got it' }] }),
    ),
    tap('Got it'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(descriptions(workflow)).toEqual(setTemperature)
  expect(reasons(workflow)).toContain('dialog_dismissed')
  expect(workflow.recipe?.dismissals?.[0]).toEqual({
    resource_id: 'android:id/button1',
    text_equals: 'Got it',
    annotation: 'STRUCTURAL',
  })
})

test('a question the work itself raises is a step, never something to be closed', async () => {
  const workflow = await learned(lab(), [open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(descriptions(workflow)).toEqual(['Choose the given note', 'Press Delete', 'Press Delete'])
  const closing = workflow.recipe?.dismissals?.map(({ text_equals }) => text_equals)
  expect(closing).not.toContain('Delete')
  expect(closing).not.toContain('Cancel')
})

test('a reviewer can have back what was left out', async () => {
  const shown = [
    open(climate),
    tap('Lobby'),
    back,
    tap('Reception'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ]
  const keep = ['trace-1-event-2', 'trace-1-event-3']
  const workflow = await learned(lab(), shown, { keep })
  expect(descriptions(workflow)).toEqual([
    'Choose the given unit',
    'Press the back key',
    'Choose the given unit 2',
    'Set temperature to the given number',
    'Press Save',
    'Press Save',
  ])
  expect(reasons(workflow)).toEqual(['launch'])
})
