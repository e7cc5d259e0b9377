import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { truncate, MASK, maskText } from '../../src/knowledge/redaction/masking.ts'
import { countRuns } from '../kit/count-runs.ts'

test.each([
  ['Type "hunter two" into the field', 'Type ••• into the field'],
  ["Choose 'Work' in the list", 'Choose ••• in the list'],
  ['Choose “Work” and „Heim“ and «Travail»', 'Choose ••• and ••• and •••'],
  ['Tap ‹Senden› now', 'Tap ••• now'],
  ['Skriv ”hej” här', 'Skriv ••• här'],
  ['Run `rm notes` in the shell', 'Run ••• in the shell'],
  ['A “nested “quote” inside” stays hidden', 'A ••• stays hidden'],
  ['CSV ""cell"" value', 'CSV ••• value'],
  ['A 5" screen shows "secret"', 'A 5•••'],
  ['It says "a \\"b\\" c" there', 'It says •••'],
  ['An open "quotation runs on', 'An open •••'],
  ["Don't touch the users' files", "Don't touch the users' files"],
  ['Write to ada@example.org today', 'Write to ••• today'],
  ['Call 5551234 or 123', 'Call ••• or 123'],
  ['Pay ١٢٣٤٥ now', 'Pay ••• now'],
  ['Use sk_live_4eC39HqLyjWDarjtT1zdp7dc here', 'Use ••• here'],
  ['Open 0f8fad5b-d9cb-469f-a165-70867728950e', 'Open •••'],
  ['Set password: correct and go', 'Set password: ••• and go'],
  ['Send Bearer abcdef with it', 'Send Bearer ••• with it'],
  ['Tap com.example.app:id/settings_wifi_5ghz_toggle', 'Tap com.example.app:id/settings_wifi_5ghz_toggle'],
  ['Tap Save', 'Tap Save'],
  ['Type ‹text:12› into Name', 'Type ‹text:12› into Name'],
])('%s is masked to %s', (text, expected) => {
  expect(maskText(text)).toBe(expected)
})

const fragments = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('"', "'", '`', '“', '”', '„', '«', '»', '‹', '›', '‹text:1›', '\\"', '@', ' '),
  fc.constantFrom('a@b.co', '12345', '١٢٣٤', '•••', 'password=', 'Bearer ', 'x1y2z3a4b5c6'),
  fc.emailAddress(),
  fc.uuid(),
  fc.nat().map(String),
)
const anyText = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(''))

test('maskText removes every email address and every four consecutive digits', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const out = maskText(text)
      expect(out).not.toMatch(/[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+/)
      expect(out).not.toMatch(/\p{Nd}{4}/u)
    }),
    { numRuns: countRuns(1000) },
  )
})

test('masking is idempotent', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = maskText(text)
      expect(maskText(once)).toBe(once)
    }),
    { numRuns: countRuns(1000) },
  )
})

const plain = fc.stringMatching(/^[a-z]{1,8}$/)
const literal = fc.stringMatching(/^[A-Z][A-Z ,.!?]{0,10}[A-Z]$/)
const quotation = fc.tuple(literal, fc.constantFrom('""', "''", '``', '“”', '„“', '«»', '»«', '””', '‘’', '「」'))

test('maskText removes quoted literals and keeps the words around them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plain, quotation), { minLength: 1, maxLength: 4 }), (parts) => {
      const text = parts.map(([word, [quoted, [open, close]]]) => `${word} ${open}${quoted}${close}`)
      const out = maskText(text.join(' '))
      for (const [word, [quoted]] of parts) {
        expect(out).not.toContain(quoted)
        expect(out).toContain(word)
      }
      expect(out.split(MASK)).toHaveLength(parts.length + 1)
    }),
    { numRuns: countRuns(1000) },
  )
})

test('truncate respects the limit and never cuts a character or a placeholder', () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 40 }), (text, max) => {
      const out = truncate(text, max)
      expect(out.length).toBeLessThanOrEqual(max)
      expect(text.startsWith(out)).toBe(true)
      expect(out === text || !/[\uD800-\uDBFF]$|‹text:\d*$/.test(out)).toBe(true)
    }),
  )
})
