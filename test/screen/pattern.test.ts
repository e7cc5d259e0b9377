import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_PATTERN_SIZE, parsePattern } from '@apprentice/contracts/devices/pattern.ts'
import { findFirst, matchWhole } from '../../src/screen/pattern-match.ts'
import { countRuns } from '../kit/count-runs.ts'

const ATOMS = String.raw`
  a b Z 7 - ° ß / ] } { {,2} . ^ $ [ab] [^a] [a-c7] [\d-] [\w.-] [-a] [a-] [^] [] [[:a] [\b] [^\s,] [\S] [\W] [\]a]
  \d \D \w \W \s \S \b \B \n \t \v \x41 \u00e9 \cJ \0 \. \- \/ \A \z \Q \_ \% \é \( \u{2} \x20`
  .trim()
  .split(/\s+/)
const REPETITIONS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{0,2}?']
const isAssertion = (atom: string) => ['^', '$', '\\b', '\\B'].includes(atom)

const term = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ATOMS) }, inner), fc.constantFrom(...REPETITIONS))
    .map(([atom, repetition]) => (isAssertion(atom) ? atom : atom + repetition))
const { pattern } = fc.letrec<{ pattern: string; group: string; sequence: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: fc.array(term(tie('group')), { maxLength: 4 }).map((parts) => parts.join('')),
  group: fc.tuple(fc.constantFrom('(?:', '(', '(?<name>'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
}))
const LETTERS = [
  'a',
  'b',
  'c',
  'A',
  'Z',
  'Q',
  '7',
  ' ',
  '-',
  '°',
  'ß',
  '/',
  ']',
  '\n',
  '\r',
  '\u00a0',
  '\u2028',
  'é',
  'p',
]
const text = fc.array(fc.constantFrom(...LETTERS, '{,2}', '.', '(', '\u0000', 'u', '_'), { maxLength: 8 })

function compileNative(source: string): RegExp | undefined {
  try {
    return new RegExp(source)
  } catch {
    return undefined
  }
}

test('a pattern finds what it finds in JavaScript, and never more groups than it has', () => {
  let compared = 0
  fc.assert(
    fc.property(pattern, text, (source, letters) => {
      const name = source.indexOf('(?<name>')
      fc.pre(name === source.lastIndexOf('(?<name>'))
      const shown = letters.join('')
      const parsed = parsePattern(source)
      const whole = compileNative(`^(?:${source})$`)
      if (whole === undefined) {
        expect(parsed).toHaveProperty('problem')
        return
      }
      if ('problem' in parsed) {
        expect(parsed.problem).toMatch(/^is too large|^has a number after/)
        return
      }
      compared += 1
      expect(matchWhole(source, shown).kind).toBe(whole.test(shown) ? 'matched' : 'missed')
      expect(findFirst(source, shown).kind).toBe(new RegExp(source).test(shown) ? 'matched' : 'missed')
      expect(parsed.groups).toBe((new RegExp(`${source}|`).exec('')?.length ?? 0) - 1)
    }),
    { numRuns: countRuns(4000) },
  )
  expect(compared).toBeGreaterThan(countRuns(2000))
})

test('any text is either a pattern that compiles or refused with a reason', () => {
  const piece = fc.oneof(
    fc.constantFrom(...ATOMS, ...REPETITIONS, '(', ')', '(?', '[', '|', '\\', '{9', '\ud800'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('')
      const match = matchWhole(source, 'abc')
      if (match.kind === 'refused') expect(match.problem).toMatch(/^The pattern [a-z].{5,}\.$/s)
      else expect(() => new RegExp(source)).not.toThrow()
    }),
    { numRuns: countRuns(4000) },
  )
})

test.each([
  ['a(?=b)', 'uses lookahead ((?=)'],
  ['a(?!b)', 'uses lookahead ((?!)'],
  ['(?<=a)b', 'uses lookbehind ((?<=)'],
  ['(?<!a)b', 'uses lookbehind ((?<!)'],
  ['(a)\\1', 'uses a backreference (\\1)'],
  ['(?<a>b)\\k<a>', 'uses a backreference (\\k)'],
  ['\\p{L}+', 'uses \\p'],
  ['(?i:a)', 'has a group that starts with (?'],
  ['a**', 'has a repetition with nothing to repeat'],
  ['^*', 'repeats ^'],
  ['a{3,2}', 'has the repetition {3,2}'],
  ['[b-a]', 'has a range of characters that ends before it starts'],
  ['(a', 'has a ( without a )'],
  ['a)', 'has a ) without a ('],
  ['[a', 'has a [ without a ]'],
  ['a\\', 'ends with a single \\'],
  ['((a{9}){9}){99}', 'is too large'],
  ['a{1001}', 'is too large'],
])('the pattern %j is refused, because it %s', (source, problem) => {
  const parsed = parsePattern(source)
  expect('problem' in parsed ? parsed.problem : '').toContain(problem)
})

/** Patterns that take exponential or polynomial time in an engine that tries one way after the other. */
test.each([
  ['(|)'.repeat(256), 'a'.repeat(500)],
  ['(a+)+$', `${'a'.repeat(4000)}!`],
  ['(?:a|aa|a+)*c', 'a'.repeat(4000)],
  ['(.*)*(.*)*(.*)*x', 'a'.repeat(4000)],
  ['(?:a?){200}a{200}', 'a'.repeat(399)],
  ['(a|b)*a(a|b){80}c', 'ab'.repeat(400)],
])('the pattern %s ends at once', (source, long) => {
  const before = process.cpuUsage()
  expect(matchWhole(source, long).kind).not.toBe('refused')
  expect(findFirst(source, long).kind).not.toBe('refused')
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000)
})

test('a text that is too long for a large pattern is not matched', () => {
  const large = 'a{0,490}'
  expect(parsePattern(large)).toMatchObject({ size: 980 })
  expect(MAX_PATTERN_SIZE).toBe(1000)
  expect(matchWhole(large, 'a'.repeat(400)).kind).toBe('matched')
  expect(matchWhole(large, 'a'.repeat(1000))).toMatchObject({
    kind: 'refused',
    problem: 'The pattern has 980 parts, which is too many for a text of 1000 characters.',
  })
})
