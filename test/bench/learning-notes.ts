import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { button, hold, open, tap, type } from './learning-actions.ts'
import { listEntries, type Lesson, type Trial } from './learning-lesson.ts'

const notes = 'org.apprentice.notes'
const id = (name: string) => `${notes}:id/${name}`

type Note = Record<string, unknown>
const listNotes = (phone: Phone): Note[] => listEntries(phone, notes, 'notes')
const listFactoryNotes = (): Note[] => listNotes(createPhone())
const withNotes = (list: readonly Note[]) => (phone: Phone) =>
  phone.setState(notes, { saved: { notes: list as never } })

const makeNotes = (count: number): Note[] =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    title: `Note ${at + 1}`,
    body: `Text ${at + 1}`,
  }))

const print = (list: readonly Note[]) => JSON.stringify(list.map(({ title, body }) => [title, body]))

/** A trial that is done if the notes are as expected. */
function trial(
  name: string,
  inputs: Readonly<Record<string, unknown>>,
  expected: (before: readonly Note[]) => readonly Note[],
  more: Partial<Trial> & { readonly list?: readonly Note[] } = {},
): Trial {
  const { list, ...rest } = more
  const before = list ?? listFactoryNotes()
  return {
    name,
    inputs,
    ...(list !== undefined && { prepare: withNotes(list) }),
    isDone: (phone) => print(listNotes(phone)) === print(expected(before)),
    ...rest,
  }
}

const hasChanged = (list: readonly Note[]) => (phone: Phone) => print(listNotes(phone)) !== print(list)
const added = (title: string, body: string) => (before: readonly Note[]) => [...before, { title, body }]
const without = (title: string) => (before: readonly Note[]) => before.filter((note) => note['title'] !== title)
const rewritten = (title: string, body: string) => (before: readonly Note[]) =>
  before.map((note) => (note['title'] === title ? { ...note, body } : note))

export const notesLessons: readonly Lesson[] = [
  {
    name: 'write a note',
    app: notes,
    goal: 'Write a new note',
    actions: [
      open(notes),
      tap('New note'),
      type(id('title'), 'Packing list'),
      type(id('body'), 'Tent and torch'),
      tap('Save'),
    ],
    trials: [
      trial(
        'other words',
        { title: 'Call the plumber', body: 'Before noon' },
        added('Call the plumber', 'Before noon'),
      ),
      trial('as the first note', { title: 'Start', body: 'Here' }, added('Start', 'Here'), {
        list: [],
      }),
      trial(
        'signs and digits',
        { title: 'Q3: 40% & more', body: "it's 5 o'clock" },
        added('Q3: 40% & more', "it's 5 o'clock"),
      ),
      trial(
        'at the end of a long list',
        { title: 'The last one', body: 'At the bottom' },
        added('The last one', 'At the bottom'),
        { list: makeNotes(40) },
      ),
    ],
  },
  {
    name: 'rewrite a note',
    app: notes,
    goal: 'Change what a note says',
    actions: [open(notes), tap('Meeting'), type(id('body'), 'Tuesday at nine'), tap('Save')],
    trials: [
      trial('another note', { note: 'Groceries', body: 'Tea only' }, rewritten('Groceries', 'Tea only')),
      trial('in another order', { note: 'Birthday', body: 'Cake' }, rewritten('Birthday', 'Cake'), {
        list: listFactoryNotes().toReversed(),
      }),
      trial('far down', { note: 'Note 31', body: 'New words' }, rewritten('Note 31', 'New words'), {
        list: makeNotes(40),
      }),
      {
        name: 'one that does not exist',
        inputs: { note: 'Taxes', body: 'Never' },
        possible: false,
        isDone: hasChanged(listFactoryNotes()),
      },
    ],
  },
  {
    name: 'delete a note',
    app: notes,
    goal: 'Delete a note',
    actions: [open(notes), tap('Meeting'), tap('Delete'), button(1)],
    trials: [
      trial('another note', { note: 'Birthday' }, without('Birthday')),
      trial('far down', { note: 'Note 27' }, without('Note 27'), { list: makeNotes(30) }),
      trial('the only one', { note: 'Alone' }, () => [], {
        list: [{ id: 1, title: 'Alone', body: 'here' }],
      }),
      {
        name: 'one that does not exist',
        inputs: { note: 'Taxes' },
        possible: false,
        isDone: hasChanged(listFactoryNotes()),
      },
    ],
  },
  {
    name: 'delete a note by holding it',
    app: notes,
    goal: 'Delete a note',
    actions: [open(notes), hold('Groceries'), button(1)],
    trials: [trial('another note', { note: 'Meeting' }, without('Meeting'))],
  },
]
