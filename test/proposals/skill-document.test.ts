import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatRunSection } from '../../src/knowledge/skill-format/run-section.ts'
import { escapeMarkdown } from '../../src/knowledge/markdown/escape.ts'
import { compileDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import { makeDraftSource, step } from './draft-source.ts'
import { countRuns } from '../kit/count-runs.ts'

const HOSTILE_TEXTS = [
  '---',
  '\n---\n',
  '\r\n---\r\nname: evil\r\n',
  '\n# Heading\n',
  '## Checkpoints',
  '```sh\nrm -rf\n```',
  '~~~',
  '[click](javascript:alert(1))',
  '![x](http://evil.example/p.png)',
  '<script>alert(1)</script>',
  '<!-- -->',
  'http://evil.example',
  'www.evil.example',
  'ann@evil.example',
  '"; name: evil',
  "' : [",
  '\\',
  '\\n',
  '{{x}}',
  '&lt;b&gt;',
  '\u2028',
  '\u0085',
  '\u0000',
  '\uD800',
  '1. item',
  '- item',
  '+ item',
  '===',
  '| a | b |',
  '*bold* _em_',
  '#hash',
  '!!js/function x',
  '&anchor *alias',
  '? complex',
  'null',
  'true',
  '1e3',
  '\t- tabbed',
  '%TAG',
]

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 20 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.join(''))

const record = fc.record({
  goal: fc.option(hostile, { nil: undefined }),
  app: hostile,
  labels: fc.array(hostile, { maxLength: 5 }),
  marks: fc.array(hostile, { maxLength: 3 }),
  answers: fc.record({
    name: hostile,
    use_conditions: hostile,
    non_use_conditions: hostile,
    success_condition: hostile,
    preferred_surface: hostile,
    package_assignment: hostile,
  }),
})

const compile = (demonstration: typeof record extends fc.Arbitrary<infer T> ? T : never) =>
  compileDraft(
    makeDraftSource({
      demonstration: {
        goal: demonstration.goal,
        steps: demonstration.labels.map((label) => step(label, { app_family: demonstration.app })),
        marks: demonstration.marks.map((label) => ({ label, kind: 'verification' as const })),
      },
      answers: demonstration.answers,
      session: { target_app_family: demonstration.app },
    }),
  )

const readDocument = (draft: ReturnType<typeof compileDraft>): string =>
  draft.files.find(({ name }) => name === 'SKILL.md')?.content ?? ''

const HEADINGS = [
  'Run',
  'Purpose',
  'When to use',
  'When not to use',
  'By hand',
  'Starting conditions',
  'Checkpoints',
  'Success conditions',
  'If a checkpoint cannot be met',
  'Reporting',
]

/** A markup character that is not escaped, i.e. preceded by an even number of backslashes. */
const UNESCAPED_MARKUP = /(?<!\\)(?:\\\\)*[`[\]<>~|{}#&@]/

test('hostile text in any field does not change the structure of the document', () => {
  fc.assert(
    fc.property(record, (demonstration) => {
      const draft = compile(demonstration)
      const text = readDocument(draft)
      const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? []

      const fields = parse(front) as Record<string, unknown>
      expect(Object.keys(fields)).toEqual(FRONTMATTER_KEYS)
      expect(fields).toMatchObject({
        name: draft.proposed_skill_slug,
        title: draft.title,
        triggers: draft.trigger_phrases,
        'negative-triggers': draft.negative_triggers,
        'support-packs': draft.support_pack_refs,
        'preferred-control-surfaces': draft.interpretation.preferred_control_surfaces,
        'schema-version': 1,
      })
      expect(String(fields['description']).length).toBeLessThanOrEqual(500)

      const run = formatRunSection({
        ability_id: `learned.${draft.proposed_skill_slug}`,
        kind: 'guidance',
        inputs: [],
      })
      expect(body).toContain(`\n\n${run}\n## Purpose`)
      const lines = body.replace(run, '## Run\n').split('\n')
      expect(lines[0]?.startsWith('# ')).toBe(true)
      expect(lines.filter((line) => line.startsWith('#')).slice(1)).toEqual(HEADINGS.map((heading) => `## ${heading}`))
      const words = lines.map((line) => line.replace(/^#{1,2} /, ''))
      for (const line of words) expect(line).not.toMatch(UNESCAPED_MARKUP)
      for (const line of lines) expect(line).not.toMatch(/^\s*(?:---|===|```|~~~|>|\+ |\* )|^\s+\S/)
      expect(body).not.toMatch(/(?<!\\):\/\/|\bwww\./i)
      // oxlint-disable-next-line no-control-regex -- the test checks that there are none
      expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/)
      expect(text).not.toMatch(/\p{Cs}/u)
    }),
    { numRuns: countRuns(300) },
  )
})

const FRONTMATTER_KEYS = [
  'name',
  'title',
  'description',
  'version',
  'triggers',
  'negative-triggers',
  'allowed-tools',
  'metadata',
  'support-packs',
  'connector-hints',
  'depends-on',
  'preferred-control-surfaces',
  'estimated-cost-class',
  'portability-grade',
  'schema-version',
]

test('values that look like other YAML types stay text', () => {
  for (const name of ['null stays', 'true story', '1e3 metres', 'yes: no', '- dash', '"quoted" title']) {
    const text = readDocument(compileDraft(makeDraftSource({ answers: { name } })))
    const front = text.split('\n---\n', 1)[0]?.replace(/^---\n/, '') ?? ''
    expect(parse(front)).toMatchObject({ title: name })
  }
})

test.each([
  ['# not a heading', String.raw`\# not a heading`],
  ['- not an item', String.raw`\- not an item`],
  ['12. not an item', String.raw`12\. not an item`],
  ['[a](http://b.c)', String.raw`\[a\](http\://b.c)`],
  ['see www.evil.example', String.raw`see www\.evil.example`],
  ['a\n---\nb', 'a --- b'],
  ['plain words, e.g. a 2.5 kg box (new)', 'plain words, e.g. a 2.5 kg box (new)'],
])('%j is escaped as %j', (text, written) => {
  expect(escapeMarkdown(text)).toBe(written)
})

test('the document describes states and how strictly to follow them, without a list of clicks', () => {
  const demonstration = {
    goal: 'Export the brief as PDF',
    steps: [step('Tap the share icon'), step('Tap Export'), step('Tap PDF'), step('Press OK')],
  }
  const strict = readDocument(
    compileDraft(
      makeDraftSource({
        demonstration,
        session: { execution_mode: 'strict', device_serial: 'emulator-5554' },
      }),
    ),
  )
  expect(strict).toContain('in this order and verify each one')
  expect(strict).toContain('1. **cp-01** Share icon has been used. Reached when: Visible result:')
  expect(strict).toContain('A connected Android device is available')
  expect(strict).not.toContain('emulator-5554')
  expect(strict).not.toMatch(/^\s*(?:\d+\.|-)\s*(?:\*\*\S+\*\* )?(?:tap|press|click|type)\b/im)
  const adaptive = readDocument(
    compileDraft(makeDraftSource({ demonstration, session: { execution_mode: 'adaptive' } })),
  )
  expect(adaptive).not.toContain('in this order')
})
