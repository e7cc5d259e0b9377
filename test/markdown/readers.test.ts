import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import { HEADER_LINE, splitDocument } from '../../src/knowledge/markdown/document.ts'
import { readFields } from '../../src/knowledge/markdown/fields.ts'
import { parseRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { Findings } from '../../src/knowledge/bundle-scan/findings.ts'
import { normalizeFrontmatter, readHeader } from '../../src/knowledge/bundle-scan/frontmatter.ts'
import { readDeclaredType, readDescription } from '../../src/knowledge/skill-format/frontmatter.ts'
import { countRuns } from '../kit/count-runs.ts'

/** Fragments with a meaning in YAML, Markdown or one of the readers. */
const bit = fc.oneof(
  fc.constantFrom('a', 'b: ', ': ', ':', '- ', '? ', '[', ']', '{', '}', ',', '\n', '\n  ', ' '),
  fc.constantFrom('&a ', '*a', '!!x ', '!', '<<: ', '"', "'", '|', '>-\n', '#', '\t', '\r\n'),
  fc.constantFrom('__proto__: ', 'constructor: ', '.nan', '0o7', '...\n', '--- ', '\r', '\u0000'),
  fc.constantFrom('\nname: a-skill\n', '\ndescription: Use when: asked\n', '\ntriggers: [a b c]\n'),
  fc.constantFrom('\nclawperator-skill-type: replay # x\n', '\nclawperator-skill-type: "x', '\n---\n'),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('['.repeat(900), '{a: '.repeat(900), '- '.repeat(900), '? '.repeat(900)),
)
const soup = fc.array(bit, { maxLength: 16 }).map((bits) => bits.join(''))
const file = fc
  .tuple(fc.constantFrom('---\n', '---\n', '---\n', '\uFEFF---\r\n', ''), soup, soup)
  .map(([start, header, body]) => `${start}${header}\n---\n${body}`)
const TIMEOUT_MS = 60_000

test(
  'readFields parses or rejects any header, and problems have a line within the header',
  { timeout: TIMEOUT_MS },
  () => {
    fc.assert(
      fc.property(soup, (header) => {
        const read = readFields(header)
        if ('fields' in read) {
          expect(header.length).toBeLessThanOrEqual(16_000)
          expect(Object.getPrototypeOf(read.fields)).toBe(Object.prototype)
          return
        }
        expect(read.problems.length).toBeGreaterThan(0)
        const last = HEADER_LINE + header.split('\n').length
        for (const { line } of read.problems) {
          expect(line).toBeGreaterThanOrEqual(HEADER_LINE)
          expect(line).toBeLessThanOrEqual(last)
        }
      }),
      { numRuns: countRuns(1500) },
    )
  },
)

test(
  'every reader accepts or rejects any text, and all agree on whether it has a header',
  { timeout: TIMEOUT_MS },
  () => {
    fc.assert(
      fc.property(file, (text) => {
        const { header, body, hasByteOrderMark } = splitDocument(text)
        checkImport(header, body)
        checkDeclaredType(text)
        const recipe = parseRecipe(text, 'markdown')
        const [first] = 'violations' in recipe ? recipe.violations : []
        const headless = first?.message.includes('must start with front matter') ?? false
        expect(headless).toBe(header === undefined || hasByteOrderMark)
      }),
      { numRuns: countRuns(1500) },
    )
  },
)

/** The frontmatter is valid, or there is a finding. */
function checkImport(header: string | undefined, body: string): void {
  const findings = new Findings()
  const fields = readHeader(header, findings)
  expect(findings.has('FRONTMATTER_MISSING')).toBe(header === undefined)
  const frontmatter = fields && normalizeFrontmatter(fields, { body }, findings).frontmatter
  if (frontmatter === undefined) expect(findings.compatible).toBe(false)
  else expect(PortableFrontmatter.safeParse(frontmatter).success).toBe(true)
}

/** The declared type is one trimmed line or undefined. */
function checkDeclaredType(text: string): void {
  const type = readDeclaredType(text)
  expect(type).toBe(type?.trim())
  expect(type ?? 'none').not.toMatch(/\n/)
  expect(typeof (readDescription(text) ?? '')).toBe('string')
}
