import { join } from 'node:path'
import type { Phone } from '@apprentice/phone/phone.ts'
import { button, open, slide, tap, tapDescribed, tapId, times, type } from './learning-actions.ts'
import type { LabAction } from './learning-lab.ts'
import { listEntries, type Lesson, readSaved } from './learning-lesson.ts'

/** Apps that are not shipped with the program. Some of them have no resource ids. */
const options = { appsDirs: [join(import.meta.dirname, '../interpret/apps')] }

const tasks = 'com.example.tasks'
const studio = 'com.example.studio'
const contacts = 'com.example.contacts'
const bank = 'com.example.bank'
const garden = 'com.example.garden'

const box = (index: number): LabAction => ({
  action: { type: 'click', params: { matcher: { class: 'android.widget.CheckBox', index } } },
})
const field = (index: number, text: string): LabAction => ({
  action: {
    type: 'enter_text',
    params: { matcher: { role: 'textfield', index }, text, clear: true },
  },
})

const done =
  (...names: string[]) =>
  (phone: Phone) =>
    listEntries(phone, tasks, 'tasks').every(({ name, done: ticked }) => ticked === names.includes(String(name)))
const taskNames = (phone: Phone) => listEntries(phone, tasks, 'tasks').map(({ name }) => String(name))
const levels =
  (...expected: number[]) =>
  (phone: Phone) =>
    JSON.stringify(listEntries(phone, studio, 'rooms').map(({ level }) => level)) === JSON.stringify(expected)
const studioIs = (name: string, value: unknown) => (phone: Phone) => readSaved(phone, studio)[name] === value
const person = (phone: Phone, name: string) =>
  listEntries(phone, contacts, 'people').find((one) => one['name'] === name)
const transfers = (phone: Phone) => JSON.stringify(listEntries(phone, bank, 'transfers'))

const plant = (phone: Phone, name: string) =>
  listEntries(phone, garden, 'plants').find((one) => one['name'] === name) ?? {}
const waters = (phone: Phone) =>
  listEntries(phone, garden, 'plants')
    .map(({ water }) => water)
    .join()

const lesson = (one: Omit<Lesson, 'options'>): Lesson => ({
  ...one,
  options,
  trials: one.trials.map((trial) => ({ ...trial, options })),
})

export const otherLessons: readonly Lesson[] = [
  lesson({
    name: 'water a plant',
    app: garden,
    goal: 'Set how much water a plant gets',
    actions: [open(garden), tap('Aloe'), ...times(3, tapDescribed('Increase')), tap('Keep')],
    trials: [
      {
        name: 'another one',
        inputs: { plant: 'Fern', water: 100 },
        isDone: (phone) => waters(phone) === '200,50,100,250,150',
      },
      {
        name: 'as it is',
        inputs: { plant: 'Basil', water: 200 },
        isDone: (phone) => waters(phone) === '200,50,300,250,150',
      },
      {
        name: 'one in another area',
        inputs: { plant: 'Rose', water: 100 },
        possible: false,
        isDone: (phone) => waters(phone) !== '200,50,300,250,150',
      },
    ],
  }),
  lesson({
    name: 'give a plant light',
    app: garden,
    goal: 'Give a plant extra light',
    actions: [open(garden), tap('Fern'), tap('Extra light'), tap('Keep')],
    trials: [
      {
        name: 'another one',
        inputs: { light: 'Aloe' },
        isDone: (phone) => plant(phone, 'Aloe')['light'] === true,
      },
      {
        name: 'take it away',
        inputs: { light: 'Basil', extra_light: false },
        isDone: (phone) => plant(phone, 'Basil')['light'] === false,
      },
    ],
  }),
  lesson({
    name: 'water a plant elsewhere',
    app: garden,
    goal: 'Set how much water a plant gets',
    actions: [open(garden), tap('South'), tap('Rose'), ...times(2, tapDescribed('Decrease')), tap('Keep')],
    trials: [
      {
        name: 'more',
        inputs: { plant: 'Rose', water: 400 },
        isDone: (phone) => waters(phone) === '200,50,300,400,150',
      },
    ],
  }),
  lesson({
    name: 'tick a task',
    app: tasks,
    goal: 'Tick a task',
    actions: [open(tasks), box(0)],
    trials: [
      {
        name: 'another task',
        inputs: { task: 'Oil the bike' },
        isDone: done('Pay rent', 'Oil the bike'),
      },
      { name: 'untick one', inputs: { task: 'Pay rent', checked: false }, isDone: done() },
      { name: 'ticked already', inputs: { task: 'Pay rent' }, isDone: done('Pay rent') },
      {
        name: 'one that does not exist',
        inputs: { task: 'Fly' },
        possible: false,
        isDone: (phone) => !done('Pay rent')(phone),
      },
    ],
  }),
  lesson({
    name: 'add a task',
    app: tasks,
    goal: 'Add a task',
    actions: [open(tasks), tap('Add'), field(0, 'Buy stamps'), button(1)],
    trials: [
      {
        name: 'another one',
        inputs: { task: 'Feed the cat' },
        isDone: (phone) => taskNames(phone).at(-1) === 'Feed the cat' && taskNames(phone).length === 5,
      },
      {
        name: 'a window asks for a rating first',
        inputs: { task: 'Feed the cat' },
        prepare: (phone) =>
          phone.setState(tasks, {
            saved: {
              tasks: Array.from({ length: 95 }, (_, at) => ({
                id: at,
                name: `Task ${at}`,
                done: false,
              })),
            },
          }),
        isDone: (phone) => taskNames(phone).at(-1) === 'Feed the cat' && taskNames(phone).length === 96,
      },
    ],
  }),
  lesson({
    name: 'delete a task',
    app: tasks,
    goal: 'Delete a task',
    actions: [open(tasks), tapDescribed('Delete Call Grace')],
    trials: [
      {
        name: 'another one',
        inputs: { task: 'Pay rent' },
        isDone: (phone) => taskNames(phone).join() === 'Water plants,Call Grace,Oil the bike',
      },
    ],
  }),
  lesson({
    name: "set a room's level",
    app: studio,
    goal: "Set a room's level",
    actions: [open(studio), ...times(3, tapId(`${studio}:id/level_plus`, 2))],
    trials: [
      { name: 'another room', inputs: { room: 'Booth', level: 9 }, isDone: levels(9, 7, 2) },
      { name: 'lower', inputs: { room: 'Hall', level: 0 }, isDone: levels(4, 0, 2) },
      { name: 'as it is', inputs: { room: 'Hall', level: 7 }, isDone: levels(4, 7, 2) },
      {
        name: 'too much',
        inputs: { room: 'Hall', level: 12 },
        possible: false,
        isDone: levels(4, 12, 2),
      },
      {
        name: 'no such room',
        inputs: { room: 'Attic', level: 3 },
        possible: false,
        isDone: (phone) => !levels(4, 7, 2)(phone),
      },
    ],
  }),
  lesson({
    name: 'start it',
    app: studio,
    goal: 'Start the studio',
    actions: [open(studio), tap('Start')],
    trials: [
      { name: 'again', inputs: {}, isDone: studioIs('playing', true) },
      {
        name: 'running already',
        inputs: {},
        prepare: (phone) => phone.setState(studio, { saved: { playing: true } }),
        isDone: studioIs('playing', true),
      },
    ],
  }),
  lesson({
    name: 'set the tempo',
    app: studio,
    goal: 'Set the tempo',
    actions: [open(studio), slide(549, 700, 900)],
    trials: [
      { name: 'slower', inputs: { tempo: 60 }, isDone: studioIs('tempo', 60) },
      { name: 'faster', inputs: { tempo: 233 }, isDone: studioIs('tempo', 233) },
    ],
  }),
  lesson({
    name: 'create a contact',
    app: contacts,
    goal: 'Create a contact',
    actions: [
      open(contacts),
      tapDescribed('Create contact'),
      field(0, 'Alan Turing'),
      type(`${contacts}:id/phone`, '030 77'),
      tap('Group'),
      tap('Work'),
      tap('Done'),
    ],
    trials: [
      {
        name: 'somebody else',
        inputs: { full_name: 'Katherine Johnson', telephone: '040 5', group: 'Family' },
        isDone: (phone) => {
          const { phone: number, group } = person(phone, 'Katherine Johnson') ?? {}
          return number === '040 5' && group === 'Family'
        },
      },
    ],
  }),
  lesson({
    name: 'change a telephone number',
    app: contacts,
    goal: 'Change a telephone number',
    actions: [open(contacts), tap('Mary Jackson'), tap('Edit'), type(`${contacts}:id/phone`, '030 99'), tap('Done')],
    trials: [
      {
        name: 'of somebody else',
        inputs: { person: 'Ada Lovelace', telephone: '0049 1' },
        isDone: (phone) => person(phone, 'Ada Lovelace')?.['phone'] === '0049 1',
      },
      {
        name: 'of nobody',
        inputs: { person: 'Nobody', telephone: '1' },
        possible: false,
        isDone: (phone) => listEntries(phone, contacts, 'people').some((one) => one['phone'] === '1'),
      },
    ],
  }),
  lesson({
    name: 'send money',
    app: bank,
    goal: 'Send money to somebody',
    actions: [
      open(bank),
      tap('Send money'),
      tap('Ada Lovelace'),
      type(`${bank}:id/amount`, '25'),
      tap('Continue'),
      button(1),
    ],
    trials: [
      {
        name: 'to somebody else',
        inputs: { payee: 'Town hall', amount: '80' },
        isDone: (phone) => transfers(phone) === '[{"name":"Town hall","amount":80}]',
      },
      {
        name: 'more than there is',
        inputs: { payee: 'Town hall', amount: '900' },
        possible: false,
        isDone: (phone) => transfers(phone) !== '[]',
      },
    ],
  }),
  lesson({
    name: 'send money and look it up',
    app: bank,
    goal: 'Send money to somebody',
    actions: [
      open(bank),
      tap('Send money'),
      tap('Grace Hopper'),
      type(`${bank}:id/amount`, '12.5'),
      tap('Continue'),
      button(1),
      tap('Finish'),
      tap('History'),
    ],
    trials: [
      {
        name: 'to somebody else',
        inputs: { payee: 'Ada Lovelace', amount: 7.25 },
        isDone: (phone) => transfers(phone) === '[{"name":"Ada Lovelace","amount":7.25}]',
      },
    ],
  }),
]
