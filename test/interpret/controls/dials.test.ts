import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate, type Touch } from './demonstration.ts'

const learn = (goal: string, first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]) =>
  interpretTraces([demonstrate(first, ...steps)], { marks: [], goal })

const button = (label: string, top: number): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds: `[640,${top}][1000,${top + 120}]` })

/** Marks around the centre of a window, the first at the top. */
function face(numbers: readonly number[], describe: (number: number) => string): Sketch[] {
  return numbers.map((number, at) => {
    const angle = (2 * Math.PI * at) / numbers.length
    const [x, y] = [Math.round(540 + 300 * Math.sin(angle)), Math.round(1300 - 300 * Math.cos(angle))]
    return node(
      {
        clickable: 'true',
        'content-desc': describe(number),
        bounds: `[${x - 50},${y - 50}][${x + 50},${y + 50}]`,
      },
      text(String(number), { bounds: `[${x - 20},${y - 20}][${x + 20},${y + 20}]` }),
    )
  })
}

/** The same marks without a description, with the number as their own text. */
const markText = (marks: readonly Sketch[]): Sketch[] =>
  marks.map(({ attributes, children }) =>
    text(children[0]?.attributes['text'] ?? '', { clickable: 'true', bounds: attributes['bounds'] ?? '' }),
  )

const clock = (hour: string, minute: string, ...marks: readonly Sketch[]): Sketch =>
  node(
    { bounds: '[60,600][1020,1900]' },
    text('Choose a time', { bounds: '[120,620][900,700]' }),
    text(hour, { bounds: '[300,720][480,860]', clickable: 'true' }),
    text(':', { bounds: '[500,720][520,860]' }),
    text(minute, { bounds: '[540,720][720,860]', clickable: 'true' }),
    node({ bounds: '[180,940][900,1660]' }, ...marks),
    button('OK', 1740),
  )

const HOURS = face([12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], (number) => `${number} o'clock`)
const MINUTES = face([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55], (number) => `${number} minutes`)

const page = (shown: string): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    text('Backup', { bounds: '[40,60][800,160]' }),
    node(
      { clickable: 'true', bounds: '[0,300][1080,460]' },
      text('Starts at', { bounds: '[40,310][600,370]' }),
      text(shown, { bounds: '[40,380][600,440]' }),
    ),
  )

test('numbers around a centre are a dial: the hour and the minute are inputs, which the page then shows', () => {
  const { inputs, recipe, verification } = learn(
    'Set when the backup starts',
    page('08:00'),
    [{ on: 'Starts at' }, clock('08', '00', ...HOURS)],
    [{ on: "6 o'clock" }, clock('06', '00', ...MINUTES)],
    [{ on: '35 minutes' }, clock('06', '35', ...MINUTES)],
    [{ on: 'OK' }, page('06:35')],
  )
  expect(inputs).toMatchObject([
    { name: 'hour', type: 'number', example: '6' },
    { name: 'minute', type: 'number', example: '35' },
  ])
  expect(inputs.every(({ choices }) => choices === undefined)).toBe(true)
  const picked = recipe?.steps.flatMap(({ selector }) => selector?.part_equals ?? []) ?? []
  expect(picked).toEqual(expect.arrayContaining(["${inputs.hour} o'clock", '${inputs.minute} minutes']))
  const proved = verification.flatMap((claim) => claim.inputs)
  expect(proved).toEqual(expect.arrayContaining(['hour', 'minute']))
})

test('the same number on two dials is two inputs', () => {
  const { inputs } = learn(
    'Set when the backup starts',
    page('08:00'),
    [{ on: 'Starts at' }, clock('08', '00', ...HOURS)],
    [{ on: "10 o'clock" }, clock('10', '00', ...MINUTES)],
    [{ on: '10 minutes' }, clock('10', '10', ...MINUTES)],
    [{ on: 'OK' }, page('10:10')],
  )
  expect(inputs.map(({ name, example }) => [name, example])).toEqual([
    ['hour', '10'],
    ['minute', '10'],
  ])
})

test('a number that the window shows beside the dial too is found by its order', () => {
  const hours = markText(HOURS)
  const minutes = markText(MINUTES)
  const { inputs, recipe } = learn(
    'Set when the backup starts',
    page('10:00'),
    [{ on: 'Starts at' }, clock('10', '00', ...hours)],
    [{ on: '10', nth: 1 }, clock('10', '00', ...minutes)],
    [{ on: '35' }, clock('10', '35', ...minutes)],
    [{ on: 'OK' }, page('10:35')],
  )
  expect(inputs.map(({ example }) => example)).toEqual(['10', '35'])
  const [hour, minute] = recipe?.steps.filter(({ id }) => id.startsWith('select_')) ?? []
  expect(hour?.selector).toMatchObject({ index: 1 })
  expect(hour?.fallbacks?.[0]).not.toHaveProperty('index')
  expect(minute?.selector).not.toHaveProperty('index')
})

test('the keys of a number pad are no dial', () => {
  const keys = Array.from({ length: 9 }, (_, at) =>
    node(
      {
        clickable: 'true',
        bounds: `[${240 + (at % 3) * 200},${960 + Math.floor(at / 3) * 200}][${400 + (at % 3) * 200},${1120 + Math.floor(at / 3) * 200}]`,
      },
      text(String(at + 1), {
        bounds: `[${300 + (at % 3) * 200},${1000 + Math.floor(at / 3) * 200}][${340 + (at % 3) * 200},${1080 + Math.floor(at / 3) * 200}]`,
      }),
    ),
  )
  const { inputs } = learn(
    'Set when the backup starts',
    page('08:00'),
    [{ on: 'Starts at' }, clock('08', '00', ...keys)],
    [{ on: '6' }, clock('06', '00', ...keys)],
    [{ on: 'OK' }, page('06:00')],
  )
  expect(inputs.some(({ summary }) => summary.includes('dial'))).toBe(false)
})
