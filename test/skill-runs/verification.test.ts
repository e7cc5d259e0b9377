import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SkillResult } from '@apprentice/contracts/skills/runs-result.ts'
import { checkDeclaredVerification } from '../../src/knowledge/skill-script/declared-verification.ts'
import { ManifestError, readRunManifest } from '../../src/knowledge/skill-script/run-manifest.ts'
import { checkRecordedReads, checkLabels } from '../../src/knowledge/skill-script/runtime-check.ts'
import { matchesText } from '../../src/knowledge/skill-script/text-match.ts'
import { readTrustedInputs } from '../../src/knowledge/skill-script/trusted-inputs.ts'
import { OutputSearch } from '../../src/knowledge/skill-script/output-search.ts'

test.each([
  ['Discharge to 40%', 'Discharge to 40% \uE660', true],
  ['Discharge to 40%', 'Discharge to 40%!!', true],
  ['22', '22°', true],
  ['22', '22°C', false],
  ['22', '22.5', false],
  ['Discharge to 4', 'Discharge to 40', false],
  ['Discharge to 40%', '* Discharge to 40%', false],
  ['Discharge to 40%', 'Discharge to 40% now', false],
  ['on', 'On', false],
  ['a  b', ' a\n b ', true],
  ['', '!', false],
])('%j is shown by %j: %s', (expected, observed, shown) => {
  expect(matchesText(observed, expected)).toBe(shown)
})

test('a text shows itself, and no text of letters more', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.constantFrom('a', '7', ' ü'), (text, more) => {
      const blank = text.trim() === ''
      expect(matchesText(text, text)).toBe(!blank)
      expect(matchesText(text + more, text)).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

const parseContract = (inputs: Record<string, string>, matcher?: string) => {
  const verification = matcher === undefined ? null : { kind: 'node_text_matches', matcher }
  const { contract } = readRunManifest({ contract: { inputs, goal: null, verification } })
  if (contract === undefined) throw new Error('no contract')
  return contract
}
const readInputs = (inputs: Record<string, string>, args: string[]) => {
  const found = readTrustedInputs(parseContract(inputs).inputs, args)
  return found === undefined ? undefined : Object.fromEntries(found)
}

describe('inputs the caller is taken at their word for', () => {
  const two = { unit_name: 'string', percent: 'integer[0,100]' }

  test.each([
    ['by flag', ['--unit-name', 'Lobby', '--percent=40'], { unit_name: 'Lobby', percent: 40 }],
    [
      'the last flag wins',
      ['--percent', '1', '--percent', '2', 'Lobby'],
      { unit_name: 'Lobby', percent: 2 },
    ],
    [
      'trailing positionals, by name',
      ['device', '40', 'Lobby'],
      { unit_name: 'Lobby', percent: 40 },
    ],
    [
      'beside other flags',
      ['--verbose', 'yes', '40', 'Lobby'],
      { unit_name: 'Lobby', percent: 40 },
    ],
    ['beside --x=y', ['40', '--mode=fast', 'Lobby'], { unit_name: 'Lobby', percent: 40 }],
    [
      'a flag is no value',
      ['--unit-name', '--percent', '40', 'Lobby'],
      { unit_name: 'Lobby', percent: 40 },
    ],
    ['too few', ['40'], undefined],
    ['out of range', ['101', 'Lobby'], undefined],
    ['not a number', ['4x', 'Lobby'], undefined],
    ['a float', ['4.0', 'Lobby'], undefined],
  ])('%s', (_name, args, values) => {
    expect(readInputs(two, args)).toEqual(values)
  })

  test('integers may be negative, and beyond the safe ones there are none', () => {
    expect(readInputs({ n: 'integer' }, ['-5'])).toEqual({ n: -5 })
    expect(readInputs({ n: 'integer' }, ['9007199254740993'])).toBeUndefined()
  })

  test('whatever the arguments, values are of their type and range', () => {
    const word = fc.oneof(
      fc.constantFrom('--unit-name', '--percent', '--', '--x', '--percent=7', '40', '-1'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (args) => {
        const found = readInputs(two, args)
        if (found === undefined) return
        expect(found['percent']).toBeTypeOf('number')
        expect(found['percent']).toBeGreaterThanOrEqual(0)
        expect(found['percent']).toBeLessThanOrEqual(100)
        expect(args.some((arg) => arg.endsWith(String(found['unit_name'])))).toBe(true)
      }),
      { numRuns: 4000 },
    )
  })
})

describe('what a contract declares', () => {
  const contract = parseContract({ percent: 'integer[0,100]' }, 'Discharge to {percent}%')
  const result = (changes: Partial<SkillResult> = {}): SkillResult => ({
    contractVersion: '1.0.0',
    skillId: 'x',
    status: 'success',
    checkpoints: [],
    source: { kind: 'script' },
    inputs: { percent: 40 },
    terminalVerification: {
      status: 'verified',
      observed: { kind: 'text', text: 'Discharge to 40% ' },
    },
    ...changes,
  })
  const kind = (found: SkillResult | null, args = ['40']) =>
    checkDeclaredVerification(contract, args, found).kind

  test('is proved by the text that was observed, for the inputs that were given', () => {
    expect(checkDeclaredVerification(contract, ['40'], result())).toMatchObject({
      kind: 'proved',
      expected: 'Discharge to 40%',
    })
  })

  test.each([
    ['no result', null],
    ['no inputs', result({ inputs: undefined })],
    ['other inputs', result({ inputs: { percent: 41 } })],
    ['an input of another type', result({ inputs: { percent: '40' } })],
    [
      'an inherited input',
      result({ inputs: Object.create({ percent: 40 }) as Record<string, unknown> }),
    ],
    ['no verification', result({ terminalVerification: null })],
    ['a verification not run', result({ terminalVerification: { status: 'not_run' } })],
    ['no observation', result({ terminalVerification: { status: 'verified' } })],
    [
      'an observation that is no text',
      result({
        terminalVerification: { status: 'verified', observed: { kind: 'json', value: 1 } },
      }),
    ],
    [
      'another text',
      result({
        terminalVerification: {
          status: 'verified',
          observed: { kind: 'text', text: 'Discharge to 4%' },
        },
      }),
    ],
  ])('is not proved by %s', (_what, found) => {
    expect(kind(found)).toBe('unproved')
  })

  test('is not proved when the arguments do not tell', () => {
    expect(kind(result(), [])).toBe('unproved')
  })

  test('is nothing when it declares nothing', () => {
    expect(checkDeclaredVerification(undefined, [], null).kind).toBe('not_declared')
    expect(checkDeclaredVerification(parseContract({}), [], null).kind).toBe('not_declared')
  })
})

test.each([
  [{ agent: [] }],
  [{ agent: { cli: ' ' } }],
  [{ agent: { cli: 'codex', cliPath: '' } }],
  [{ agent: { cli: 'codex', timeoutMs: 0 } }],
  [{ agent: { cli: 'codex', timeoutMs: 1.5 } }],
  [{ contract: { inputs: { 'a-b': 'string' }, goal: null, verification: null } }],
  [{ contract: { inputs: { ['__proto__']: 'string' }, goal: null, verification: null } }],
  [{ contract: { inputs: { a: 'float' }, goal: null, verification: null } }],
  [{ contract: { inputs: { a: 'integer[2,1]' }, goal: null, verification: null } }],
  [{ contract: { inputs: {}, goal: {}, verification: null } }],
  [
    {
      contract: {
        inputs: {},
        goal: null,
        verification: { kind: 'node_text_matches', matcher: '{x}' },
      },
    },
  ],
  [{ contract: { inputs: {}, goal: null, verification: { kind: 'other', matcher: 'x' } } }],
  ['text'],
  [null],
])('%j is no manifest', (document) => {
  expect(() => readRunManifest(document)).toThrow(ManifestError)
})

describe('what the runtime reads itself', () => {
  const step = (actionType: string, data: Record<string, string>, success = true) => ({
    id: actionType,
    actionType,
    success,
    data,
  })

  test('a label of the screen', () => {
    expect(checkLabels(['a', '21 °'], '21')).toMatchObject({
      status: 'verified',
      observed: '21 °',
    })
    expect(checkLabels(['a', '21 °C'], '21')).toMatchObject({ status: 'not_seen' })
  })

  test('a read that comes after the last touch, and none before it', () => {
    const read = step('read_text', { text: '21' })
    const touch = step('click', { click_types: 'default' })
    expect(checkRecordedReads([touch, read], '21')).toMatchObject({ by: 'recorded_read' })
    expect(checkRecordedReads([read, touch], '21')).toBeUndefined()
    expect(checkRecordedReads([touch, step('read_text', { text: '21' }, false)], '21')).toBeUndefined()
  })
})

test('words are found wherever the output is cut', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b') }),
      fc.array(fc.string({ maxLength: 5, unit: fc.constantFrom('a', 'b') }), { maxLength: 6 }),
      (wanted, pieces) => {
        const watch = new OutputSearch(wanted)
        for (const piece of pieces) watch.push(piece)
        expect(watch.found).toBe(pieces.join('').includes(wanted))
      },
    ),
    { numRuns: 3000 },
  )
})
