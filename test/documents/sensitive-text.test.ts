import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasCheckDigits, isLuhn } from '../../src/knowledge/documents/sensitive-numbers.ts'
import { findSensitive } from '../../src/knowledge/documents/sensitive-text.ts'
import { parsePageWords, parseRecognizedPages } from '../../src/knowledge/documents/page-words.ts'
import { chooseLanguages } from '../../src/knowledge/documents/languages.ts'
import { sniffMediaType } from '../../src/knowledge/documents/media-type.ts'
import { countRuns } from '../kit/count-runs.ts'

const DIGITS = Array.from('0123456789')
const ALL = ['email', 'phone', 'iban', 'card']
const find = (text: string, ...patterns: string[]) =>
  findSensitive(text, patterns.length === 0 ? ALL : patterns).map(({ kind, start, end }) => [
    kind,
    text.slice(start, end),
  ])

describe('what is sensitive', () => {
  test.each([
    ['Mail ada.l+x@sub.example.org, please.', ['email', 'ada.l+x@sub.example.org']],
    ['Call +49 (30) 123-4567 now', ['phone', '+49 (30) 123-4567']],
    ['Call 030 1234567.', ['phone', '030 1234567']],
    ['Call (555) 123-4567.', ['phone', '(555) 123-4567']],
    ['IBAN DE89 3704 0044 0532 0130 00, BIC X', ['iban', 'DE89 3704 0044 0532 0130 00']],
    ['IBAN GB82WEST12345698765432 AND MORE', ['iban', 'GB82WEST12345698765432']],
    ['Card 4111-1111-1111-1111!', ['card', '4111-1111-1111-1111']],
    ['Card 378282246310005', ['card', '378282246310005']],
  ])('%s', (text, match) => expect(find(text)).toEqual([match]))

  test.each([
    'No address: a@b, @home, ada@, ada@localhost',
    'DE89 3704 0044 0532 0130 02 has wrong check digits',
    'XDE89370400440532013000 is part of a word',
    'On 01.02.2024 or 2024-02-01 or 1/2/24',
    'In 1984 there were 12345 of 678901',
    'Version 1.2.3.4',
  ])('%s has nothing', (text) => expect(find(text)).toEqual([]))

  test('a card with a wrong last digit is no card', () => {
    expect(find('4111 1111 1111 1112', 'card')).toEqual([])
    expect(find('0000 0000 0000 0000', 'card')).toEqual([])
  })

  test('names are found in the ways they are written, and only as whole words', () => {
    const text = 'Ada Lovelace, LOVELACE, ADA, A. Lovelace and Adam Lovelaces; ada lovelace'
    expect(find(text, 'name:Ada Lovelace').map(([, found]) => found)).toEqual([
      'Ada Lovelace',
      'LOVELACE, ADA',
      'A. Lovelace',
      'ada lovelace',
    ])
    expect(find('Projekt Über-Ich, Überich', 'term:projekt über')).toEqual([['term', 'Projekt Über']])
  })

  test('of matches in each other the largest stays', () => {
    expect(find('mail ada.lovelace@example.org', 'term:ada', 'email')).toEqual([['email', 'ada.lovelace@example.org']])
  })

  test('every account number with right check digits is found, and with a changed digit none', () => {
    const digits = fc.string({ minLength: 18, maxLength: 18, unit: fc.constantFrom(...DIGITS) })
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 17 }), (account, at) => {
        const rest = Number(BigInt(`${account}131400`) % 97n)
        const iban = `DE${String(98 - rest).padStart(2, '0')}${account}`
        expect(hasCheckDigits(iban)).toBe(true)
        expect(find(`to ${iban}.`, 'iban')).toEqual([['iban', iban]])
        const changed = `${iban.slice(0, 4 + at)}${(Number(iban[4 + at]) + 1) % 10}${iban.slice(5 + at)}`
        expect(find(`to ${changed}.`, 'iban')).toEqual([])
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('every number with a right last digit is a card, and with another none', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 15, maxLength: 15, unit: fc.constantFrom(...DIGITS.slice(1)) }), (start) => {
        const last = DIGITS.find((digit) => isLuhn(start + digit)) ?? ''
        expect(find(`no ${start}${last}`, 'card')).toHaveLength(1)
        expect(find(`no ${start}${(Number(last) + 1) % 10}`, 'card')).toEqual([])
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('any text gives ordered matches inside of it', () => {
    const text = fc.string({ maxLength: 200, unit: fc.constantFrom(...Array.from('aA1 0.@-+()/DE8\nß😀')) })
    fc.assert(
      fc.property(text, (given) => {
        for (const { start, end } of findSensitive(given, [...ALL, 'name:a A', 'term:1'])) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(given.length)
        }
      }),
      { numRuns: countRuns(500) },
    )
  })

  test.each(['1 ', '@', 'a@', '+', '1-', 'DE89', 'DE89 '])('a long text of "%s" is searched quickly', (part) => {
    const started = performance.now()
    findSensitive(part.repeat(50_000), [...ALL, 'term:x'])
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('what programs print', () => {
  const word = (text: string, more = '') => `<word xMin="1.0" yMin="2.0" xMax="3.5" yMax="4.0"${more}>${text}</word>`

  test('words are read with their pages and blocks, and broken lines are left out', () => {
    const text = [
      '<page width="100" height="100">',
      '<block xMin="0">',
      word('a &amp; &lt;b&gt;'),
      word('bell\u0007'),
      word('x', ' other="1"'),
      '<word xMin="nan" yMin="2" xMax="3" yMax="4">y</word>',
      word(''),
      '</block>',
      '<page width="100" height="100">',
    ].join('\n')
    expect(parsePageWords(text, 7)).toEqual([
      {
        page: 7,
        blocks: [
          [
            { x0: 1, y0: 2, x1: 3.5, y1: 4, text: 'a & <b>' },
            { x0: 1, y0: 2, x1: 3.5, y1: 4, text: 'bell' },
          ],
        ],
      },
      { page: 8, blocks: [] },
    ])
  })

  test('the rows of OCR become lines of words', () => {
    const rows = [
      'level\tpage_num',
      '1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t',
      '5\t1\t1\t1\t1\t1\t10\t20\t30\t12\t96.5\tGood',
      '5\t1\t1\t1\t1\t2\t45\t20\t30\t12\t91\tday',
      '5\t1\t1\t1\t2\t1\t10\t40\t30\t12\t-1\t ',
      '1\t2\t0\t0\t0\t0\t0\t0\t64\t48\t-1\t',
    ]
    expect(parseRecognizedPages(rows.join('\n'))).toMatchObject([
      { width: 640, height: 480, lines: [[{ text: 'Good', x0: 10, x1: 40, confidence: 96.5 }, { text: 'day' }]] },
      { width: 64, height: 48, lines: [] },
    ])
  })
})

test('languages are chosen by their usual names, and all are used without a hint', () => {
  const installed = ['deu', 'eng', 'fra']
  const choose = (hint?: string) => chooseLanguages(hint, installed)
  expect(choose('de')).toEqual({ languages: ['deu'], isHintIgnored: false })
  expect(choose('de-AT+en')).toEqual({ languages: ['deu', 'eng'], isHintIgnored: false })
  expect(choose('xyz+fra')).toEqual({ languages: ['fra'], isHintIgnored: true })
  expect(choose('xyz')).toEqual({ languages: ['eng', 'deu', 'fra'], isHintIgnored: true })
  expect(choose()).toEqual({ languages: ['eng', 'deu', 'fra'], isHintIgnored: false })
})

test('types are found by the first bytes', () => {
  const sniff = (text: string) => sniffMediaType(Buffer.from(text, 'latin1'))
  expect(sniff('%PDF-1.4')).toBe('application/pdf')
  expect(sniff('\n\n%PDF-2.0')).toBe('application/pdf')
  expect(sniff('\u00FF\u00D8\u00FF\u00E0')).toBe('image/jpeg')
  expect(sniff('II*\0')).toBe('image/tiff')
  expect(sniff('MM\0*')).toBe('image/tiff')
  for (const other of ['', 'PK', '%PDF', 'GIF89a', '\u0089PNG']) expect(sniff(other)).toBeUndefined()
})
