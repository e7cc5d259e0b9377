import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { leading, named } from '../../src/commands/abilities/ability-choice.ts'
import { Frames } from '../../src/commands/terminal/event-stream.ts'
import {
  missingIn,
  missingLine,
  readWords,
  splitWords,
} from '../../src/commands/abilities/run-inputs.ts'
import { StepTeller } from '../../src/commands/abilities/run-progress.ts'
import {
  exitCodeOf,
  outcomeWords,
  stepWords,
  withValues,
} from '../../src/commands/abilities/run-words.ts'

const run: AbilityRun = {
  run_id: '00000000-0000-4000-8000-000000000001',
  ability_id: 'learned.x',
  version: 1,
  serial: 'S1',
  execution_id: '00000000-0000-4000-8000-000000000002',
  state: 'success',
  input_names: [],
  acted: true,
  verification: [{ verification_id: 'verify.a', held: true, observed: '23\n°C' }],
  checkpoints_reached: [],
  used_fallbacks: [],
  dismissed: [],
  drift: [],
  outputs: {},
  created_at: '2026-01-01T00:00:00.000Z',
  schema_version: 1,
}
const steps = new Map([
  ['choose_unit', 'Choose the given unit'],
  ['verify.a', 'The temperature of the given unit is the given unit temperature'],
])

test('an event stream is read the same however it is cut into pieces', () => {
  const Event = fc.record({
    event_kind: fc.string(),
    payload: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  fc.assert(
    fc.property(fc.array(Event), fc.array(fc.nat(40)), (events, cuts) => {
      const text = events
        .map((event, at) => `id: ${at}\nevent: x\ndata: ${JSON.stringify(event)}\n\n:keepalive\n\n`)
        .join('')
      const frames = new Frames()
      const read: unknown[] = []
      let from = 0
      for (const cut of cuts) {
        read.push(...frames.read(text.slice(from, from + cut)))
        from += cut
      }
      read.push(...frames.read(text.slice(from)))
      expect(read).toEqual(events.map((event) => JSON.parse(JSON.stringify(event)) as unknown))
    }),
  )
})

test('words name the ability, and pairs its inputs, whatever is in the values', () => {
  const Name = fc.stringMatching(/^\w{1,20}$/).filter((name) => name !== '__proto__')
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z' -]{1,10}$/)),
      fc.dictionary(Name, fc.string()),
      (words, inputs) => {
        const pairs = Object.entries(inputs).map(([name, value]) => `${name}=${value}`)
        const read = readWords([...words, ...pairs])
        expect(read).toEqual({ name: words.join(' ').trim(), inputs: { ...inputs } })
      },
    ),
  )
})

test('a line is split at blanks outside of quotes', () => {
  expect(splitWords(`run unit="Meeting room 1" name='it is' x=1  `)).toEqual([
    'run',
    'unit=Meeting room 1',
    'name=it is',
    'x=1',
  ])
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[^"'\s]{1,8}( [^"'\s]{1,8})?$/)), (words) => {
      expect(splitWords(words.map((word) => `"${word}"`).join('  '))).toEqual(words)
    }),
  )
})

test('a match leads only if it can be used and is clearly better than the next one', () => {
  const match = (score: number, usable_now = true) => ({ score, usable_now })
  expect(leading([match(0.9), match(0.8)])).toEqual(match(0.9))
  expect(leading([match(0.9), match(0.85)])).toBeUndefined()
  expect(leading([match(0.9, false), match(0.5)])).toEqual(match(0.5))
  expect(leading([match(0.5)])).toEqual(match(0.5))
  expect(leading([match(0.5, false)])).toBeUndefined()
  expect(leading([])).toBeUndefined()
})

test('a name means one ability or none', () => {
  const ability = (ability_id: string, title: string) => ({ ability_id, title }) as never
  const abilities = [ability('learned.a', 'Boil'), ability('b.a', 'Toast'), ability('b.c', 'toast')]
  expect(named(abilities, 'learned.a')).toMatchObject({ title: 'Boil' })
  expect(named(abilities, 'c')).toMatchObject({ ability_id: 'b.c' })
  expect(named(abilities, 'BOIL')).toMatchObject({ ability_id: 'learned.a' })
  expect(named(abilities, 'a')).toBeUndefined()
  expect(named(abilities, 'toast')).toBeUndefined()
})

test('missing inputs are named in the order the ability has them', () => {
  const violation = (name: string, code = 'RECIPE_INPUT_MISSING') => ({
    code,
    path: `inputs.${name}`,
    message: 'm',
    rule: 'input_values',
    severity: 'error',
  })
  const refused = (code: string) =>
    new ApiFailure(400, {
      error: {
        code,
        message: 'm',
        retryable: false,
        details: {
          violations: [
            violation('mode'),
            violation('unit'),
            violation('x', 'RECIPE_INPUT_INVALID'),
          ],
        },
      },
    })
  expect(missingIn(refused('RECIPE_INPUT_MISSING'))).toEqual(['mode', 'unit'])
  expect(missingIn(refused('RECIPE_INPUT_INVALID'))).toEqual([])
  const inputs = [
    { name: 'unit', type: 'string', required: true },
    { name: 'mode', type: 'string', required: true, choices: ['cool', 'heat'] },
  ]
  expect(missingLine(['mode', 'unit'], inputs)).toBe(
    'It needs unit and mode; add unit=<unit> mode=cool|heat',
  )
})

test('steps are told in words, with what was given in its place', () => {
  const told = withValues(steps, { unit: '$& Lobby', unit_temperature: '21' })
  expect(stepWords('choose_unit', told)).toBe('Choose "$& Lobby"')
  expect(stepWords('verify.a', told)).toBe('Check: The temperature of "$& Lobby" is "21"')
  expect(stepWords('choose_unit.confirm', told)).toBe('Check that it was done: Choose "$& Lobby"')
  expect(stepWords('choose_unit.wait', told)).toBe('Wait a moment')
  expect(stepWords('session_open', told)).toBe('Open the app')
  expect(stepWords('show_unit', told)).toBe('Show unit')
})

test('steps are counted, and what was not needed is not said to be done', () => {
  const teller = new StepTeller(steps)
  const finished = (payload: object) =>
    teller.tell({ event_kind: 'execution.step_finished', payload: payload as never }).line
  expect(teller.tell({ event_kind: 'execution.queued', payload: { actions: 3 } })).toEqual({
    doing: 'waiting for the phone',
  })
  expect(finished({ step_id: 'session_open', success: true, outcome: 'succeeded' })).toBe(
    'ok   1/3 Open the app',
  )
  expect(finished({ step_id: 'choose_unit', success: true, outcome: 'skipped' })).toBe(
    'skip 2/3 Choose the given unit',
  )
  expect(finished({ step_id: 'verify.b', success: false, error: 'VERIFY_FAILED' })).toBe(
    'FAIL 3/3 Check the outcome  VERIFY_FAILED',
  )
  expect(teller.tell({ event_kind: 'ability.run.settled', payload: {} })).toEqual({})
})

test('what came of a run is said as it is', () => {
  expect(outcomeWords(run, steps)).toBe(
    'Done on S1, and seen on the phone.\n  the phone shows "23 °C"',
  )
  expect(outcomeWords({ ...run, dismissed: ['Not now'], used_fallbacks: ['a'] }, steps)).toBe(
    [
      'Done on S1, and seen on the phone.',
      '  the phone shows "23 °C"',
      '  put away on the way: "Not now"',
      '  found another way at 1 steps; the app may have changed',
    ].join('\n'),
  )
  const candidates = JSON.stringify([
    { label: 'Library', content_desc: '', resource_id: 'app:id/unit', role: 'button' },
    { label: '', content_desc: 'Library', resource_id: '', role: 'text' },
  ])
  const trouble = {
    code: 'NODE_AMBIGUOUS',
    message: '2 nodes match.',
    step_id: 'choose_unit',
    candidates,
  }
  expect(outcomeWords({ ...run, state: 'failed', acted: false, trouble }, steps)).toBe(
    [
      'Failed on S1.',
      '  at: Choose the given unit',
      '  why: Several things on the screen fit, and one of them would be a guess. (NODE_AMBIGUOUS: 2 nodes match.)',
      '  several things fit:',
      '    button "Library" #app:id/unit',
      '    text "Library"',
      'Nothing was changed.',
    ].join('\n'),
  )
  const unread = {
    code: 'SOMETHING_NEW',
    message: 'Odd.',
    in_the_way: 'Rate us',
    candidates: '[{"label": "cut o',
  }
  expect(outcomeWords({ ...run, state: 'indeterminate', trouble: unread }, steps)).toBe(
    [
      'It is not known whether it worked on S1: the outcome could not be read.',
      '  why: Odd. (SOMETHING_NEW)',
      '  in the way: "Rate us"',
      'Look at the phone before you run it again.',
    ].join('\n'),
  )
})

test('only what was seen on the phone ends with 0', () => {
  const codes = (
    ['success', 'failed', 'cancelled', 'indeterminate', 'queued', 'running'] as const
  ).map((state) => [state, exitCodeOf({ state })])
  expect(Object.fromEntries(codes)).toEqual({
    success: 0,
    failed: 1,
    cancelled: 1,
    indeterminate: 3,
    queued: 3,
    running: 3,
  })
})
