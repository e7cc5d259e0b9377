import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { back, button, happens, open, scrollDown, tap, tapDescribed, times } from './learning-actions.ts'
import { listEntries, type Lesson, hasOnlyChanged, type Trial } from './learning-lesson.ts'

const climate = 'org.apprentice.climate'

type Unit = Record<string, unknown>
const listUnits = (phone: Phone): Unit[] => listEntries(phone, climate, 'units')
const listFactoryUnits = (): Unit[] => listUnits(createPhone())
const withUnits = (units: readonly Unit[]) => (phone: Phone) =>
  phone.setState(climate, { saved: { units: units as never } })

const makeOffices = (count: number): Unit[] =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    name: `Office ${at + 1}`,
    power: true,
    temperature: 20 + (at % 5) / 2,
    mode: 'heat',
  }))

/** A trial that changes only the given fields of one unit. */
function trial(
  name: string,
  inputs: { readonly unit: string } & Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
  more: Partial<Trial> & { readonly units?: readonly Unit[] } = {},
): Trial {
  const { units, ...rest } = more
  const before = units ?? listFactoryUnits()
  return {
    name,
    inputs,
    ...(units !== undefined && { prepare: withUnits(units) }),
    isDone: (phone) => hasOnlyChanged(before, listUnits(phone), { name: inputs.unit, fields }),
    ...rest,
  }
}

/** A trial that must fail and change nothing. */
function impossibleTrial(
  name: string,
  inputs: { readonly unit: string } & Readonly<Record<string, unknown>>,
  more: Partial<Trial> & { readonly units?: readonly Unit[] } = {},
): Trial {
  const { units, ...rest } = more
  const before = JSON.stringify(units ?? listFactoryUnits())
  return {
    name,
    inputs,
    possible: false,
    ...(units !== undefined && { prepare: withUnits(units) }),
    isDone: (phone) => JSON.stringify(listUnits(phone)) !== before,
    ...rest,
  }
}

const eraseQuestion = { title: 'Erase all?', message: 'Really?', buttons: [{ text: 'Erase' }] }
const showMaintenance = (phone: Phone) => phone.showDialog(climate, 'maintenance', { name: 'Lobby' })
const onStep = (step: string, event: (phone: Phone) => void) => {
  let isOver = false
  return (phone: Phone, id: string) => {
    if (id !== step || isOver) return
    isOver = true
    event(phone)
  }
}

const setTemperature = [open(climate), tap('Reception'), ...times(3, tapDescribed('Warmer')), tap('Save'), button(1)]

export const temperatureTrials: readonly Trial[] = [
  trial('another unit, warmer', { unit: 'Lobby', temperature: 23.5 }, { temperature: 23.5 }),
  trial('another unit, colder', { unit: 'Kitchen', temperature: 18 }, { temperature: 18 }),
  trial('the list must be scrolled', { unit: 'Roof terrace', temperature: 21 }, { temperature: 21 }),
  trial(
    'units in another order',
    { unit: 'Lobby', temperature: 19 },
    { temperature: 19 },
    {
      units: listFactoryUnits().toReversed(),
    },
  ),
  trial(
    'other units, far more of them',
    { unit: 'Office 47', temperature: 24.5 },
    { temperature: 24.5 },
    {
      units: makeOffices(60),
    },
  ),
  trial(
    'a single unit',
    { unit: 'Office 1', temperature: 16 },
    { temperature: 16 },
    {
      units: makeOffices(1),
    },
  ),
  trial(
    'a name that begins another',
    { unit: 'Office 1', temperature: 25 },
    { temperature: 25 },
    {
      units: makeOffices(12).toReversed(),
    },
  ),
  trial(
    'a dialog in the way at the start',
    { unit: 'Lobby', temperature: 22 },
    { temperature: 22 },
    {
      meanwhile: onStep('choose_unit', showMaintenance),
    },
  ),
  trial(
    'a dialog in the way before saving',
    { unit: 'Gym', temperature: 22 },
    { temperature: 22 },
    {
      meanwhile: onStep('press_save', showMaintenance),
    },
  ),
  trial(
    'a dialog over the result',
    { unit: 'Gym', temperature: 18.5 },
    { temperature: 18.5 },
    {
      meanwhile: onStep('show_unit', showMaintenance),
    },
  ),
  trial('already at the target', { unit: 'Kitchen', temperature: 20 }, { temperature: 20 }),
  trial(
    'a slow phone',
    { unit: 'Library', temperature: 22 },
    { temperature: 22 },
    {
      options: { latency: 'realistic' },
    },
  ),
  impossibleTrial('a unit that does not exist', { unit: 'Ballroom', temperature: 21 }),
  impossibleTrial('a unit that is off', { unit: 'Archive', temperature: 19 }),
  impossibleTrial('a number between two steps', { unit: 'Lobby', temperature: 21.3 }),
  impossibleTrial('a number out of range', { unit: 'Lobby', temperature: 45 }),
  impossibleTrial(
    'two units of that name',
    { unit: 'Office 1', temperature: 25 },
    {
      units: [...makeOffices(3), { ...makeOffices(1)[0], id: 9 }],
    },
  ),
  trial(
    'a dialog nobody knows that can be left without an answer',
    { unit: 'Lobby', temperature: 25 },
    { temperature: 25 },
    { meanwhile: onStep('choose_unit', (phone) => phone.popUp(eraseQuestion)) },
  ),
  impossibleTrial(
    'a dialog nobody knows that demands an answer',
    { unit: 'Lobby', temperature: 25 },
    { meanwhile: onStep('choose_unit', (phone) => phone.popUp({ ...eraseQuestion, cancelable: false })) },
  ),
]

export const climateLessons: readonly Lesson[] = [
  {
    name: 'set a temperature',
    app: climate,
    goal: "Set a unit's temperature",
    actions: setTemperature,
    trials: temperatureTrials,
  },
  {
    name: 'set a temperature, shown the long way',
    app: climate,
    goal: "Set a unit's temperature",
    actions: [
      open(climate),
      tap('Lobby'),
      back,
      scrollDown,
      tap('Library'),
      ...times(4, tapDescribed('Colder')),
      tapDescribed('Warmer'),
      tap('Save'),
      button(2),
      tap('Save'),
      button(1),
    ],
    trials: [
      trial('another unit', { unit: 'Reception', temperature: 24 }, { temperature: 24 }),
      trial(
        'other units',
        { unit: 'Office 9', temperature: 17.5 },
        { temperature: 17.5 },
        {
          units: makeOffices(30),
        },
      ),
    ],
  },
  {
    name: 'set a temperature, with a window in between',
    app: climate,
    goal: "Set a unit's temperature",
    actions: [
      open(climate),
      tap('Reception'),
      happens((phone) => phone.popUp({ title: 'Battery low', message: '5% left', buttons: [{ text: 'Got it' }] })),
      tap('Got it'),
      ...times(2, tapDescribed('Colder')),
      tap('Save'),
      button(1),
    ],
    trials: [
      trial(
        'the same window at another time',
        { unit: 'Gym', temperature: 21 },
        { temperature: 21 },
        {
          meanwhile: onStep('press_save', (phone) =>
            phone.popUp({
              title: 'Battery low',
              message: '4% left',
              buttons: [{ text: 'Got it' }],
            }),
          ),
        },
      ),
      trial('no window at all', { unit: 'Lobby', temperature: 19.5 }, { temperature: 19.5 }),
    ],
  },
  {
    name: 'switch a unit',
    app: climate,
    goal: 'Switch a unit on or off',
    actions: [open(climate), tap('Lobby'), tapDescribed('Power'), tap('Save'), button(1)],
    trials: [
      trial('another one off', { unit: 'Kitchen' }, { power: false }),
      trial('one on', { unit: 'Archive', power: true }, { power: true }),
      trial('off already', { unit: 'Server room', power: false }, { power: false }),
      trial(
        'in a long list',
        { unit: 'Office 33', power: false },
        { power: false },
        {
          units: makeOffices(40),
        },
      ),
      impossibleTrial('one that does not exist', { unit: 'Garage', power: false }),
    ],
  },
  {
    name: 'choose a mode',
    app: climate,
    goal: 'Choose the mode of a unit',
    actions: [open(climate), tap('Reception'), tap('Dry'), tap('Save'), button(1)],
    trials: [
      trial('another unit and mode', { unit: 'Library', mode: 'Fan' }, { mode: 'fan' }),
      trial('the mode it has', { unit: 'Lobby', mode: 'Cool' }, { mode: 'cool' }),
      impossibleTrial('a mode there is not', { unit: 'Lobby', mode: 'Turbo' }),
      impossibleTrial('a unit that is off', { unit: 'Archive', mode: 'Heat' }),
    ],
  },
  {
    name: 'temperature and mode together',
    app: climate,
    goal: 'Set temperature and mode of a unit',
    actions: [
      open(climate),
      tap('Meeting room 2'),
      ...times(2, tapDescribed('Colder')),
      tap('Auto'),
      tap('Save'),
      button(1),
    ],
    trials: [
      trial('another unit', { unit: 'Workshop', temperature: 22, mode: 'Heat' }, { temperature: 22, mode: 'heat' }),
      trial('only the mode differs', { unit: 'Gym', temperature: 20, mode: 'Dry' }, { mode: 'dry' }),
    ],
  },
]
