import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import { headerLine, splitDocument } from '../../src/knowledge/markdown/document.ts'
import { readFields } from '../../src/knowledge/markdown/fields.ts'
import { parseRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { Findings } from '../../src/knowledge/bundle-scan/findings.ts'
import { normaliseFrontmatter, readHeader } from '../../src/knowledge/bundle-scan/frontmatter.ts'
import { declaredType, descriptionIn } from '../../src/knowledge/skill-format/frontmatter.ts'

/** Bits that mean something to YAML, to Markdown or to one of the readers. */
const bit = fc.oneof(
  fc.constantFrom('a', 'b: ', ': ', ':', '- ', '? ', '[', ']', '{', '}', ',', '\n', '\n  ', ' '),
  fc.constantFrom('&a ', '*a', '!!x ', '!', '<<: ', '"', "'", '|', '>-\n', '#', '\t', '\r\n'),
  fc.constantFrom('__proto__: ', 'constructor: ', '.nan', '0o7', '...\n', '--- ', '\r', '\u0000'),
  fc.constantFrom('\nname: a-skill\n', '\ndescription: Use when: asked\n', '\ntriggers: [a b c]\n'),
  fc.constantFrom(
    '\nclawperator-skill-type: replay # x\n',
    '\nclawperator-skill-type: "x',
    '\n---\n',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('['.repeat(900), '{a: '.repeat(900), '- '.repeat(900), '? '.repeat(900)),
)
const soup = fc.array(bit, { maxLength: 16 }).map((bits) => bits.join(''))
const file = fc
  .tuple(fc.constantFrom('---\n', '---\n', '---\n', '\uFEFF---\r\n', ''), soup, soup)
  .map(([start, header, body]) => `${start}${header}\n---\n${body}`)
const timeout = 60_000

test('no header makes the reader stumble, and what it refuses it can point to', { timeout }, () => {
  fc.assert(
    fc.property(soup, (header) => {
      const read = readFields(header)
      if ('fields' in read) {
        expect(header.length).toBeLessThanOrEqual(16_000)
        expect(Object.getPrototypeOf(read.fields)).toBe(Object.prototype)
        return
      }
      expect(read.problems.length).toBeGreaterThan(0)
      const last = headerLine + header.split('\n').length
      for (const { line } of read.problems) {
        expect(line).toBeGreaterThanOrEqual(headerLine)
        expect(line).toBeLessThanOrEqual(last)
      }
    }),
    { numRuns: 4000 },
  )
})

test(
  'every reader takes any text or refuses it, and they agree on whether it has a header',
  { timeout },
  () => {
    fc.assert(
      fc.property(file, (text) => {
        const { header, body, marked } = splitDocument(text)
        imported(header, body)
        registered(text)
        const recipe = parseRecipe(text, 'markdown')
        const [first] = 'violations' in recipe ? recipe.violations : []
        const headless = first?.message === 'It must begin with front matter'
        expect(headless).toBe(header === undefined || marked)
      }),
      { numRuns: 4000 },
    )
  },
)

/** It comes out fit, or there is an error that says why not. */
function imported(header: string | undefined, body: string): void {
  const findings = new Findings()
  const fields = readHeader(header, findings)
  expect(findings.has('FRONTMATTER_MISSING')).toBe(header === undefined)
  const fit = fields && normaliseFrontmatter(fields, { body }, findings).frontmatter
  if (fit === undefined) expect(findings.compatible).toBe(false)
  else expect(PortableFrontmatter.safeParse(fit).success).toBe(true)
}

/** A type is one short word, or none. */
function registered(text: string): void {
  const type = declaredType(text)
  expect(type).toBe(type?.trim())
  expect(type ?? 'none').not.toMatch(/\n/)
  expect(typeof (descriptionIn(text) ?? '')).toBe('string')
}
