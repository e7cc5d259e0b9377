import { describe, expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { normalizeTrace } from '../../../src/knowledge/interpret/normalize/normalize.ts'
import { CALENDARS, type MonthSketch } from '../../screen/calendar/calendar-trees.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate, type Touch } from './demonstration.ts'

const MAY = { year: 2026, month: 5 }
const JUNE = { year: 2026, month: 6 }
const draw = CALENDARS['the picker of Android'] ?? (() => node())

/** The calendar is a dialog, so that its screen differs from the form. */
const dialog = (month: MonthSketch): Sketch =>
  node({ bounds: '[40,40][1040,2100]', 'resource-id': 'android:id/parentPanel' }, draw(month))
const form = (date: string): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    text('New task', { bounds: '[40,60][800,160]' }),
    node(
      { clickable: 'true', bounds: '[0,400][1080,560]' },
      text('Due date', { bounds: '[40,410][600,470]' }),
      text(date, { bounds: '[40,480][600,550]' }),
    ),
    node({ class: 'android.widget.Button', text: 'Save', clickable: 'true', bounds: '[0,2000][1080,2150]' }),
  )
const turn: Touch = { on: 'Next month' }

const read = (...steps: Parameters<typeof demonstrate>) =>
  normalizeTrace(demonstrate(...steps), new Set()).intents.map(({ kind, date, event_ids }) => ({
    kind,
    date,
    count: event_ids.length,
  }))

const LABELS: Readonly<Record<string, string>> = {
  Compose: 'Thursday, May 14, 2026',
  Flutter: '14, Thursday, May 14, 2026',
}

describe.each(Object.entries(CALENDARS))('a tap on a day of %s', (toolkit, drawMonth) => {
  test('chooses the date', () => {
    const label = LABELS[toolkit] ?? '14'
    const intents = read(drawMonth(MAY), [{ on: label }, drawMonth({ ...MAY, chosen: 14 })])
    expect(intents).toEqual([{ kind: 'date', date: { ...MAY, day: 14 }, count: 1 }])
  })
})

test('turning the calendar is part of choosing the day', () => {
  const intents = read(dialog(MAY), [turn, dialog(JUNE)], [{ on: '9' }, dialog({ ...JUNE, chosen: 9 })])
  expect(intents).toEqual([{ kind: 'date', date: { ...JUNE, day: 9 }, count: 1 }])
})

test('a swipe that turns the calendar is part of it too', () => {
  const swipe: Touch = { kind: 'scroll', direction: 'right', on: '14' }
  const intents = read(dialog(MAY), [swipe, dialog(JUNE)], [{ on: '9' }, dialog({ ...JUNE, chosen: 9 })])
  expect(intents).toEqual([{ kind: 'date', date: { ...JUNE, day: 9 }, count: 1 }])
})

test('of two days of which only the second stays chosen, the first was a slip', () => {
  const intents = read(
    dialog({ ...MAY, chosen: 2 }),
    [{ on: '9' }, dialog({ ...MAY, chosen: 9 })],
    [{ on: '10' }, dialog({ ...MAY, chosen: 10 })],
  )
  expect(intents).toEqual([{ kind: 'date', date: { ...MAY, day: 10 }, count: 2 }])
})

test('the date is an input that is named by what opened the calendar', () => {
  const trace = demonstrate(
    form('4 May 2026'),
    [{ on: 'Due date' }, dialog({ ...MAY, chosen: 4 })],
    [turn, dialog(JUNE)],
    [{ on: '9' }, form('9 June 2026')],
  )
  const { inputs, recipe, doubts } = interpretTraces([trace], { marks: [], goal: 'Set when a task is due' })
  expect(doubts).toEqual([])
  expect(inputs).toMatchObject([{ name: 'due_date', type: 'string', example: '9 June 2026' }])
  expect(recipe?.steps.at(-1)).toMatchObject({ type: 'pick_date', params: { date: '${inputs.due_date}' } })
})

test('opening a second window of the same shape is no choice', () => {
  const part = (label: string, date: string, left: number): Sketch[] => [
    node({
      class: 'android.widget.Button',
      text: label,
      clickable: 'true',
      bounds: `[${left},400][${left + 500},500]`,
    }),
    text(date, { bounds: `[${left},510][${left + 500},570]` }),
  ]
  const two = (first: string, second: string): Sketch =>
    node(
      { bounds: '[0,0][1080,2200]' },
      text('Stay', { bounds: '[40,60][800,160]' }),
      node({ bounds: '[0,390][1080,580]' }, ...part('Arrival', first, 20), ...part('Departure', second, 540)),
    )
  const trace = demonstrate(
    two('4 May 2026', '8 May 2026'),
    [{ on: 'Arrival' }, dialog({ ...MAY, chosen: 4 })],
    [{ on: '11' }, two('11 May 2026', '8 May 2026')],
    [{ on: 'Departure' }, dialog({ ...MAY, chosen: 8 })],
    [{ on: '15' }, two('11 May 2026', '15 May 2026')],
  )
  const { inputs } = interpretTraces([trace], { marks: [], goal: 'Change the dates of a stay' })
  expect(inputs.map(({ name }) => name)).toEqual(['arrival', 'departure'])
})
