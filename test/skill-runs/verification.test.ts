import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import { checkDeclaredVerification } from '../../src/knowledge/skill-script/declared-verification.ts'
import { ManifestError, readRunManifest } from '../../src/knowledge/skill-script/run-manifest.ts'
import { checkRecordedReads, checkLabels } from '../../src/knowledge/skill-script/runtime-check.ts'
import { matchesText } from '../../src/knowledge/skill-script/text-match.ts'
import { readTrustedInputs } from '../../src/knowledge/skill-script/trusted-inputs.ts'
import { OutputSearch } from '../../src/knowledge/skill-script/output-search.ts'
import { countRuns } from '../kit/count-runs.ts'

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
])('%j matches %j: %s', (expected, observed, matches) => {
  expect(matchesText(observed, expected)).toBe(matches)
})

test('a text matches itself, but not with another letter or digit appended', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.constantFrom('a', '7', ' ü'), (text, more) => {
      const blank = text.trim() === ''
      expect(matchesText(text, text)).toBe(!blank)
      expect(matchesText(text + more, text)).toBe(false)
    }),
    { numRuns: countRuns(1000) },
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

describe('trusted inputs', () => {
  const two = { unit_name: 'string', percent: 'integer[0,100]' }

  test.each([
    ['by flag', ['--unit-name', 'Lobby', '--percent=40'], { unit_name: 'Lobby', percent: 40 }],
    ['the last flag wins', ['--percent', '1', '--percent', '2', 'Lobby'], { unit_name: 'Lobby', percent: 2 }],
    ['trailing positionals, by name', ['device', '40', 'Lobby'], { unit_name: 'Lobby', percent: 40 }],
    ['beside other flags', ['--verbose', 'yes', '40', 'Lobby'], { unit_name: 'Lobby', percent: 40 }],
    ['beside --x=y', ['40', '--mode=fast', 'Lobby'], { unit_name: 'Lobby', percent: 40 }],
    ['a flag is no value', ['--unit-name', '--percent', '40', 'Lobby'], { unit_name: 'Lobby', percent: 40 }],
    ['too few', ['40'], undefined],
    ['out of range', ['101', 'Lobby'], undefined],
    ['not a number', ['4x', 'Lobby'], undefined],
    ['a float', ['4.0', 'Lobby'], undefined],
  ])('%s', (_name, args, values) => {
    expect(readInputs(two, args)).toEqual(values)
  })

  test('integers may be negative but must be safe integers', () => {
    expect(readInputs({ n: 'integer' }, ['-5'])).toEqual({ n: -5 })
    expect(readInputs({ n: 'integer' }, ['9007199254740993'])).toBeUndefined()
  })

  test('values have the declared type and range for any arguments', () => {
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
      { numRuns: countRuns(1500) },
    )
  })
})

describe('a declared verification', () => {
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
  const kind = (found: SkillResult | null, args = ['40']) => checkDeclaredVerification(contract, args, found).kind

  test('is proved by the observed text for the given inputs', () => {
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
    ['an inherited input', result({ inputs: Object.create({ percent: 40 }) as Record<string, unknown> })],
    ['no verification', result({ terminalVerification: null })],
    ['a verification not run', result({ terminalVerification: { status: 'not_run' } })],
    ['no observation', result({ terminalVerification: { status: 'verified' } })],
    [
      'an observation that is not a text',
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
  ])('is not proved by %s', (_description, found) => {
    expect(kind(found)).toBe('unproved')
  })

  test('is not proved when an input is missing in the arguments', () => {
    expect(kind(result(), [])).toBe('unproved')
  })

  test('is not_declared without a contract or a verification', () => {
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
])('%j is rejected as a manifest', (document) => {
  expect(() => readRunManifest(document)).toThrow(ManifestError)
})

describe('the check of the runtime', () => {
  const step = (actionType: string, data: Record<string, string>, success = true) => ({
    id: actionType,
    actionType,
    success,
    data,
  })

  test('finds the text among the labels of the screen', () => {
    expect(checkLabels(['a', '21 °'], '21')).toMatchObject({
      status: 'verified',
      observed: '21 °',
    })
    expect(checkLabels(['a', '21 °C'], '21')).toMatchObject({ status: 'not_seen' })
  })

  test('uses successful reads after the last action only', () => {
    const read = step('read_text', { text: '21' })
    const touch = step('click', { click_types: 'default' })
    expect(checkRecordedReads([touch, read], '21')).toMatchObject({ by: 'recorded_read' })
    expect(checkRecordedReads([read, touch], '21')).toBeUndefined()
    expect(checkRecordedReads([touch, step('read_text', { text: '21' }, false)], '21')).toBeUndefined()
  })
})

test('a text is found however the output is split', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b') }),
      fc.array(fc.string({ maxLength: 5, unit: fc.constantFrom('a', 'b') }), { maxLength: 6 }),
      (text, chunks) => {
        const search = new OutputSearch(text)
        for (const chunk of chunks) search.push(chunk)
        expect(search.found).toBe(chunks.join('').includes(text))
      },
    ),
    { numRuns: countRuns(1200) },
  )
})
