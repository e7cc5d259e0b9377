import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { escapeMarkdown } from '../../src/domain/proposals/skill-document.ts'
import { compileDraft } from '../../src/domain/proposals/skill-draft.ts'
import { draftSource, step } from './draft-source.ts'

const traps = [
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
  .array(fc.oneof(fc.constantFrom(...traps), fc.string({ unit: 'binary', maxLength: 20 })), {
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

const draftOf = (shown: typeof record extends fc.Arbitrary<infer T> ? T : never) =>
  compileDraft(
    draftSource({
      shown: {
        goal: shown.goal,
        steps: shown.labels.map((label) => step(label, { app_family: shown.app })),
        marks: shown.marks.map((label) => ({ label, kind: 'verification' as const })),
      },
      answers: shown.answers,
      session: { target_app_family: shown.app },
    }),
  )

const documentOf = (draft: ReturnType<typeof compileDraft>): string =>
  draft.files.find(({ name }) => name === 'SKILL.md')?.content ?? ''

const headings = [
  'Purpose',
  'When to use',
  'When not to use',
  'Starting conditions',
  'Checkpoints',
  'Success conditions',
  'If a checkpoint cannot be met',
  'Reporting',
]

/** A mark-up character that is not escaped: preceded by an even number of backslashes. */
const bare = /(?<!\\)(?:\\\\)*[`[\]<>~|{}#&@]/

test('hostile text in any place leaves a document of frontmatter and body with our structure and no other', () => {
  fc.assert(
    fc.property(record, (shown) => {
      const draft = draftOf(shown)
      const text = documentOf(draft)
      const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? []

      const fields = parse(front) as Record<string, unknown>
      expect(Object.keys(fields)).toEqual(frontKeys)
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

      const lines = body.split('\n')
      expect(lines[0]?.startsWith('# ')).toBe(true)
      expect(lines.filter((line) => line.startsWith('#')).slice(1)).toEqual(
        headings.map((heading) => `## ${heading}`),
      )
      const words = lines.map((line) => line.replace(/^#{1,2} /, ''))
      for (const line of words) expect(line).not.toMatch(bare)
      for (const line of lines) expect(line).not.toMatch(/^\s*(?:---|===|```|~~~|>|\+ |\* )|^\s+\S/)
      expect(body).not.toMatch(/(?<!\\):\/\/|\bwww\./i)
      // oxlint-disable-next-line no-control-regex -- that there are none is the point
      expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/)
      expect(text).not.toMatch(/\p{Cs}/u)
    }),
    { numRuns: 300 },
  )
})

const frontKeys = [
  'name',
  'title',
  'description',
  'version',
  'triggers',
  'negative-triggers',
  'allowed-tools',
  'support-packs',
  'connector-hints',
  'depends-on',
  'preferred-control-surfaces',
  'estimated-cost-class',
  'portability-grade',
  'schema-version',
]

test('values that YAML would read as something else stay text', () => {
  for (const name of [
    'null stays',
    'true story',
    '1e3 metres',
    'yes: no',
    '- dash',
    '"quoted" title',
  ]) {
    const text = documentOf(compileDraft(draftSource({ answers: { name } })))
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
])('%j is written as %j', (text, written) => {
  expect(escapeMarkdown(text)).toBe(written)
})

test('the document tells states and how strictly to follow them, never a list of clicks', () => {
  const shown = {
    goal: 'Export the brief as PDF',
    steps: [step('Tap the share icon'), step('Tap Export'), step('Tap PDF'), step('Press OK')],
  }
  const strict = documentOf(
    compileDraft(
      draftSource({ shown, session: { execution_mode: 'strict', device_serial: 'emulator-5554' } }),
    ),
  )
  expect(strict).toContain('in this order and verify each one')
  expect(strict).toContain('1. **cp-01** Share icon has been used. Reached when: Visible result:')
  expect(strict).toContain('A connected Android device is available')
  expect(strict).not.toContain('emulator-5554')
  expect(strict).not.toMatch(/^\s*(?:\d+\.|-)\s*(?:\*\*\S+\*\* )?(?:tap|press|click|type)\b/im)
  const adaptive = documentOf(
    compileDraft(draftSource({ shown, session: { execution_mode: 'adaptive' } })),
  )
  expect(adaptive).not.toContain('in this order')
})
