import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { findClearLeader, findByName } from '../../src/commands/abilities/ability-choice.ts'
import { parseEvents } from '@apprentice/contracts/event-stream.ts'
import {
  readMissingInputs,
  formatMissingInputs,
  parseRunArguments,
  splitWords,
} from '../../src/commands/abilities/run-inputs.ts'
import { parseEach, readItems } from '../../src/commands/abilities/run-items.ts'
import { UsageError } from '../../src/commands/terminal/usage-error.ts'
import { StepFormatter } from '../../src/commands/abilities/run-progress.ts'
import { toExitCode, formatOutcome, describeStep, fillInValues } from '../../src/commands/abilities/run-text.ts'

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

test('an event stream is parsed the same however it is cut into chunks', async () => {
  const Event = fc.record({
    event_kind: fc.string({ unit: 'binary' }),
    payload: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(Event), fc.array(fc.nat(40)), async (events, cuts) => {
      const text = events
        .map((event, at) => `id: ${at}\nevent: x\ndata: ${JSON.stringify(event)}\n\n:keepalive\n\n`)
        .join('')
      const bytes = Buffer.from(text)
      const chunks: Buffer[] = []
      let from = 0
      for (const cut of cuts) {
        chunks.push(bytes.subarray(from, from + cut))
        from += cut
      }
      chunks.push(bytes.subarray(from))
      const parsed: unknown[] = []
      for await (const event of parseEvents(chunks)) parsed.push(event)
      expect(parsed).toEqual(events.map((event) => JSON.parse(JSON.stringify(event)) as unknown))
    }),
  )
})

test('arguments of the form name=value are inputs, and the others name the ability', () => {
  const Name = fc.stringMatching(/^\w{1,20}$/).filter((name) => name !== '__proto__')
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z' -]{1,10}$/)), fc.dictionary(Name, fc.string()), (words, inputs) => {
      const pairs = Object.entries(inputs).map(([name, value]) => `${name}=${value}`)
      const parsed = parseRunArguments([...words, ...pairs])
      expect(parsed).toEqual({ name: words.join(' ').trim(), inputs: { ...inputs } })
    }),
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

test('a match is chosen only if it is usable and clearly better than the next one', () => {
  const match = (score: number, usable_now = true) => ({ score, usable_now })
  expect(findClearLeader([match(0.9), match(0.8)])).toEqual(match(0.9))
  expect(findClearLeader([match(0.9), match(0.85)])).toBeUndefined()
  expect(findClearLeader([match(0.9, false), match(0.5)])).toEqual(match(0.5))
  expect(findClearLeader([match(0.5)])).toEqual(match(0.5))
  expect(findClearLeader([match(0.5, false)])).toBeUndefined()
  expect(findClearLeader([])).toBeUndefined()
})

test('a name finds exactly one ability or none', () => {
  const ability = (ability_id: string, title: string) => ({ ability_id, title }) as never
  const abilities = [ability('learned.a', 'Boil'), ability('b.a', 'Toast'), ability('b.c', 'toast')]
  expect(findByName(abilities, 'learned.a')).toMatchObject({ title: 'Boil' })
  expect(findByName(abilities, 'c')).toMatchObject({ ability_id: 'b.c' })
  expect(findByName(abilities, 'BOIL')).toMatchObject({ ability_id: 'learned.a' })
  expect(findByName(abilities, 'a')).toBeUndefined()
  expect(findByName(abilities, 'toast')).toBeUndefined()
})

test('missing inputs are listed in the order in which the ability declares them', () => {
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
          violations: [violation('mode'), violation('unit'), violation('x', 'RECIPE_INPUT_INVALID')],
        },
      },
    })
  expect(readMissingInputs(refused('RECIPE_INPUT_MISSING'))).toEqual(['mode', 'unit'])
  expect(readMissingInputs(refused('RECIPE_INPUT_INVALID'))).toEqual([])
  const inputs = [
    { name: 'unit', type: 'string', required: true },
    { name: 'mode', type: 'string', required: true, choices: ['cool', 'heat'] },
  ]
  expect(formatMissingInputs(['mode', 'unit'], inputs)).toBe(
    'Missing inputs unit and mode. Add unit=<unit> mode=cool|heat',
  )
})

test('steps are described with the given values filled in', () => {
  const filled = fillInValues(steps, { unit: '$& Lobby', unit_temperature: '21' })
  expect(describeStep('choose_unit', filled)).toBe('Choose "$& Lobby"')
  expect(describeStep('verify.a', filled)).toBe('Check: The temperature of "$& Lobby" is "21"')
  expect(describeStep('choose_unit.confirm', filled)).toBe('Check that it was done: Choose "$& Lobby"')
  expect(describeStep('choose_unit.wait', filled)).toBe('Wait a moment')
  expect(describeStep('session_open', filled)).toBe('Open the app')
  expect(describeStep('show_unit', filled)).toBe('Show unit')
})

test('steps are counted, and skipped steps are not reported as done', () => {
  const formatter = new StepFormatter(steps)
  const finished = (payload: object) =>
    formatter.format({ event_kind: 'ability.run.step_finished', payload: payload as never }).line
  expect(formatter.format({ event_kind: 'ability.run.started', payload: { actions: 3 } })).toEqual({
    current: 'waiting for the phone',
  })
  expect(finished({ step_id: 'session_open', success: true, outcome: 'succeeded' })).toBe('ok   1/3 Open the app')
  expect(finished({ step_id: 'choose_unit', success: true, outcome: 'skipped' })).toBe('skip 2/3 Choose the given unit')
  expect(finished({ step_id: 'verify.b', success: false, error: 'VERIFY_FAILED' })).toBe(
    'FAIL 3/3 Check the outcome  VERIFY_FAILED',
  )
  expect(formatter.format({ event_kind: 'ability.run.settled', payload: {} })).toEqual({})
})

test('the outcome of a list says which items were done', () => {
  const outcome = {
    acted: true,
    verification: [],
    checkpoints_reached: [],
    used_fallbacks: [],
    dismissed: [],
    drift: [],
    outputs: {},
  }
  const states = ['success', 'failed', 'not_started', 'not_started'] as const
  const items = states.map((state, item) => ({ item, state, ...outcome }))
  const list: AbilityRun = { ...run, ...outcome, state: 'failed', items_total: 4, items_done: 1, items }
  expect(formatOutcome(list, steps).split('\n')).toEqual([
    'Failed on S1.',
    '  1 of 4 items done',
    '  item 2: failed',
    '  not started: 3, 4',
    'Some steps were done before it ended.',
  ])
  expect(formatOutcome(run, steps)).not.toContain('items')
})

test('steps of a called ability are described with the step that called it', () => {
  expect(describeStep('choose_unit/session_open', steps)).toBe('Choose the given unit: Open the app')
  expect(describeStep('choose_unit/choose_unit', steps)).toBe('Choose the given unit: Choose unit')
})

test('items are parsed from --each and from a file, and anything else is refused', () => {
  expect(parseEach('room=Lobby, Kitchen,')).toEqual([{ room: 'Lobby' }, { room: 'Kitchen' }, { room: '' }])
  expect(parseEach('url=a=b')).toEqual([{ url: 'a=b' }])
  expect(() => parseEach('Lobby,Kitchen')).toThrow(/name=value/)
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-items-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (text: string) => {
    const file = join(folder, 'items.json')
    writeFileSync(file, text)
    return file
  }
  expect(readItems(write('[{"room":"Lobby","degrees":21}]'))).toEqual([{ room: 'Lobby', degrees: 21 }])
  for (const text of ['[]', '{}', '[{"room":[]}]', 'no JSON']) expect(() => readItems(write(text))).toThrow(UsageError)
})

test('the outcome of a run is described with its proof, its notes and its failure', () => {
  expect(formatOutcome(run, steps)).toBe('Done on S1 and verified.\n  the phone shows "23 °C"')
  expect(formatOutcome({ ...run, dismissed: ['Not now'], used_fallbacks: ['a'] }, steps)).toBe(
    [
      'Done on S1 and verified.',
      '  the phone shows "23 °C"',
      '  dismissed: "Not now"',
      '  used a fallback in 1 steps; the app may have changed',
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
  expect(formatOutcome({ ...run, state: 'failed', acted: false, trouble }, steps)).toBe(
    [
      'Failed on S1.',
      '  at: Choose the given unit',
      '  why: Several elements match, so none was chosen. (NODE_AMBIGUOUS: 2 nodes match.)',
      '  matching elements:',
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
  expect(formatOutcome({ ...run, state: 'indeterminate', trouble: unread }, steps)).toBe(
    [
      'Outcome unknown on S1: it could not be read from the phone.',
      '  why: Odd. (SOMETHING_NEW)',
      '  blocked by: "Rate us"',
      'Check the phone before you run it again.',
    ].join('\n'),
  )
})

test('only a run that succeeded has exit code 0', () => {
  const codes = (['success', 'failed', 'cancelled', 'indeterminate', 'queued', 'running'] as const).map((state) => [
    state,
    toExitCode({ state }),
  ])
  expect(Object.fromEntries(codes)).toEqual({
    success: 0,
    failed: 1,
    cancelled: 1,
    indeterminate: 3,
    queued: 3,
    running: 3,
  })
})
