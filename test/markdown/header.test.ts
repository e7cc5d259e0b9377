import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startsWithHeader, splitDocument } from '../../src/knowledge/markdown/document.ts'
import { readFields } from '../../src/knowledge/markdown/fields.ts'
import { writeHeader } from '../../src/knowledge/markdown/write-header.ts'
import { readYaml } from '../../src/knowledge/markdown/yaml.ts'
import { countRuns } from '../kit/count-runs.ts'

/** A character-by-character implementation of the same rules. */
function splitNaively(text: string) {
  const hasByteOrderMark = text.codePointAt(0) === 0xfe_ff
  const lines: string[] = ['']
  for (let at = hasByteOrderMark ? 1 : 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '\r' && text.charAt(at + 1) === '\n') continue
    if (letter === '\n') lines.push('')
    else lines.push(`${lines.pop() ?? ''}${letter}`)
  }
  const fences = lines.flatMap((line, at) => {
    const [first, second, third, ...rest] = line
    const dashes = first === '-' && second === '-' && third === '-'
    return dashes && rest.every((one) => one === ' ' || one === '\t') ? [at] : []
  })
  const [open, close] = fences
  if (open !== 0 || close === undefined) return { body: lines.join('\n'), bodyLine: 1, hasByteOrderMark }
  const header = lines.slice(1, close).join('\n')
  return { header, body: lines.slice(close + 1).join('\n'), bodyLine: close + 2, hasByteOrderMark }
}

const line = fc.oneof(
  fc.constantFrom('---', '---', '--- ', '---\t', '----', ' ---', '---\u00A0', '--- x', '--', ''),
  fc.constantFrom('name: x', '\r', '\uFEFF', '\uFEFF---', '---\r', '# heading', '```'),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const anyText = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF', '---\n', '---\r\n'),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 10 }),
  )
  .map(([start, lines]) => start + lines.flat().join(''))

test('splitDocument agrees with a character-by-character implementation', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const split = splitDocument(text)
      expect(split).toEqual(splitNaively(text))
      if (split.header !== undefined) expect(startsWithHeader(text)).toBe(true)
      if (startsWithHeader(text)) expect(splitDocument(`${text}\n---\n`).header).toBeDefined()
    }),
    { numRuns: countRuns(1000) },
  )
})

test('bodyLine is the line number of the body in the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { body, bodyLine } = splitDocument(text)
      const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
      expect(lines.slice(bodyLine - 1).join('\n')).toBe(body)
    }),
    { numRuns: countRuns(1000) },
  )
})

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('---', '\n---\n', '&a', '*a', '!!x', 'null', 'true', '1e3', '<<', '%YAML', ': '),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 10 }), tie('value'), { maxKeys: 4 }),
  ),
}))
const key = fc.oneof(
  fc.stringMatching(/^[a-z][a-z_-]{0,12}$/),
  fc.constantFrom('__proto__', 'null', '1', '<<', '---', '? a', '- a', 'a: b', '#', ''),
)
const anyFields = fc.dictionary(key, value, { maxKeys: 6 })

test('written fields can be read back, and the body is unchanged', () => {
  fc.assert(
    fc.property(anyFields, anyText, (fields, body) => {
      const text = `${writeHeader(fields)}${body}`
      const split = splitDocument(text)
      expect(readFields(split.header ?? '---')).toEqual({ fields })
      expect(split.body).toBe(body.replaceAll('\r\n', '\n'))
    }),
    { numRuns: countRuns(1200) },
  )
})

test('a list used in two fields is written twice, without an alias', () => {
  const list = ['a', { b: 'c' }]
  const text = writeHeader({ one: list, two: list })
  expect(readFields(splitDocument(text).header ?? '')).toEqual({ fields: { one: list, two: list } })
})

test('fields in any YAML style have the same value and the right line number', () => {
  const spelling = fc.record({
    indent: fc.integer({ min: 1, max: 5 }),
    defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
    collectionStyle: fc.constantFrom('any', 'block'),
    lineWidth: fc.constantFrom(0, 20, 80),
  })
  const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ':', '#', '-', '"', 'é') })
  const plain = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(words, fc.integer(), fc.array(words, { maxLength: 3 })),
    { minKeys: 1, maxKeys: 6 },
  )
  fc.assert(
    fc.property(plain, spelling, fc.nat({ max: 99 }), (fields, spelled, before) => {
      // Block style does not preserve texts that consist of whitespace.
      const header = stringify(fields, {
        ...spelled,
        blockQuote: false,
        defaultKeyType: 'PLAIN',
      })
      const read = readYaml(header, { firstLine: before + 1, name: 'steps.3' })
      const lines = 'lines' in read ? read.lines : new Map()
      expect('value' in read && read.value).toEqual(fields)
      const rows = header.split('\n')
      for (const name of Object.keys(fields)) {
        const at = rows.findIndex((row) => row.startsWith(`${name}:`))
        expect(lines.get(`steps.3.${name}`)).toBe(before + 1 + at)
      }
    }),
    { numRuns: countRuns(1000) },
  )
})

test.each([
  ['an anchor', 'a: 1\nb: &x 2', 'unsafe', 3],
  ['an alias', 'a: *x', 'unsafe', 2],
  ['a merge of an alias', 'a: &x {b: 1}\n<<: *x', 'unsafe', 2],
  ['a tag', 'a: 1\n\nb: !!int 2', 'unsafe', 4],
  ['a custom tag', 'a: !run "x"', 'unsafe', 2],
  ['a key that is a list', '? [a]\n: b', 'unsafe', 2],
  ['a directive', '%YAML 1.1\n--- {a: b}', 'unsafe', 2],
  ['lists in lists in lists', `a: ${'['.repeat(40)}${']'.repeat(40)}`, 'unsafe', 2],
  ['a key twice', 'a: 1\nb: 2\na: 3', 'broken', 4],
  ['two documents', 'a: 1\n--- b\n', 'broken', 3],
  ['an unclosed list', 'a: 1\nb: [1', 'broken', 3],
  ['a list', '- a', 'broken', 2],
  ['a word', 'a', 'broken', 2],
  ['nothing but a comment', '# a', 'broken', 2],
  ['deeply nested lists', '['.repeat(15_000), 'unsafe', 2],
  ['deeply nested fields', `${'{a: '.repeat(3000)}${'}'.repeat(3000)}`, 'unsafe', 2],
  ['deeply nested items', `${'- '.repeat(7000)}\na`, 'unsafe', 2],
  ['deeply nested keys', 'a: :\n '.repeat(2600), 'unsafe', 2],
  [
    'more fields than can be parsed quickly',
    Array.from({ length: 600 }, (_, n) => `k${n}: v`).join('\n'),
    'too_long',
    2,
  ],
  ['more items than can be parsed quickly', `a: [${'{},'.repeat(1500)}]`, 'too_long', 2],
  ['a header that is too long', `a: ${'x'.repeat(16_000)}`, 'too_long', 2],
] as const)('%s is rejected with its line', (_name, header, why, at) => {
  const read = readFields(header)
  expect(read).toMatchObject({
    why,
    problems: expect.arrayContaining([{ message: expect.any(String), line: at }]),
  })
})

test.each([
  ['', {}],
  ['\n  \n', {}],
  ['description: Use when: asked', { description: 'Use when: asked' }],
  ['name: a\ndescription: - a: b', { name: 'a', description: '- a: b' }],
  ['a: |-\n  b: c: d\ne: 1', { a: 'b: c: d', e: 1 }],
  ['<<: {a: 1}', { '<<': { a: 1 } }],
  ['on: yes\nold: 010', { on: 'yes', old: 10 }],
])('%j is parsed', (header, fields) => {
  expect(readFields(header)).toEqual({ fields })
})
