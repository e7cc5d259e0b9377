import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SemanticWorkflowInterpretation, SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import { describeStateAfter, removeConcrete } from '../../src/knowledge/text/label-rewriting.ts'
import { compileDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { startDaemon } from '../kit/daemon.ts'
import { makeDraftSource, type SourceParts, step } from './draft-source.ts'
import { demonstrateSession } from '../learn/demonstrated-session.ts'
import { countRuns } from '../kit/count-runs.ts'

const compile = (parts: SourceParts) => compileDraft(makeDraftSource(parts))
const compileFile = (parts: SourceParts, name: string): string =>
  compile(parts).files.find((file) => file.name === name)?.content ?? ''

test('equal sources give equal bytes', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      anyText,
      fc.array(anyText, { maxLength: 8 }),
      fc.array(anyText, { maxLength: 4 }),
      (goal, labels, marks) => {
        const source = makeDraftSource({
          demonstration: {
            goal,
            steps: labels.map((label, index) => step(label, { event_id: `e${index}` })),
            marks: marks.map((label) => ({ label, kind: 'action' as const })),
          },
        })
        expect(compileDraft(structuredClone(source))).toEqual(compileDraft(source))
      },
    ),
    { numRuns: countRuns(60) },
  )
})

test('two daemons write the same skill for the same demonstration', async () => {
  const skills = await Promise.all(
    ['one', 'two'].map(async () => {
      const daemon = await startDaemon()
      const id = await demonstrateSession(daemon, {
        goal: 'Share a note',
        steps: ['Open the note'],
      })
      await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
      const proposal = String(daemon.session(id)?.proposal_id)
      return daemon.system.store
        .read((reader) => listDraftFiles(reader, proposal))
        .find(({ name }) => name === 'SKILL.md')
    }),
  )
  expect(skills[0]?.content).toContain('# Share a note')
  expect(skills[1]).toEqual(skills[0])
})

test('the draft of any demonstration fits the contracts', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 400 })
  const record = fc.record({
    goal: fc.option(anyText, { nil: undefined }),
    labels: fc.array(anyText, { maxLength: 40 }),
    marks: fc.array(anyText, { maxLength: 40 }),
    name: fc.option(anyText, { nil: undefined }),
    conditions: anyText,
  })
  fc.assert(
    fc.property(record, ({ goal, labels, marks, name, conditions }) => {
      const { interpretation, ...draft } = compile({
        demonstration: {
          goal,
          steps: labels.map((label) => step(label)),
          marks: marks.map((label) => ({ label, kind: 'verification' as const })),
        },
        answers: {
          ...(name === undefined ? {} : { name }),
          use_conditions: conditions,
          non_use_conditions: conditions,
          success_condition: conditions,
        },
      })
      SemanticWorkflowInterpretation.omit({ interpretation_id: true }).parse(interpretation)
      SkillBundleProposal.pick({
        title: true,
        proposed_skill_slug: true,
        trigger_phrases: true,
        negative_triggers: true,
        support_pack_refs: true,
      }).parse(draft)
      expect(draft.trigger_phrases.length).toBeGreaterThan(0)
      expect(draft.trigger_phrases.every((phrase) => phrase.trim() !== '')).toBe(true)
      expect(interpretation.checkpoints.length).toBeLessThanOrEqual(20)
      const goals = interpretation.checkpoints.map((checkpoint) => checkpoint.goal)
      expect(new Set(goals).size).toBe(goals.length)
    }),
    { numRuns: countRuns(200) },
  )
})

test.each([
  ['Export the brief as PDF', 'export-the-brief-as-pdf'],
  ['Überweisung prüfen!', 'ueberweisung-pruefen'],
  ['設定を開く', 'skill-11111111'],
  ['x', 'skill-11111111'],
  ['--- ../../etc/passwd', 'etc-passwd'],
  ['long '.repeat(40), 'long-long-long-long-long-long-long-long-long-long-long-long-long'],
])('the name %j becomes the slug %s', (name, slug) => {
  expect(compile({ answers: { name } }).proposed_skill_slug).toBe(slug)
})

test('an improved skill keeps its slug, title and capability id', () => {
  const session = { target_kind: 'existing_skill', target_skill_id: 'learned.share-note' } as const
  const draft = compile({
    session,
    target_title: 'Share note',
    demonstration: { steps: [step('Tap Send')] },
  })
  expect(draft).toMatchObject({ title: 'Share note', proposed_skill_slug: 'share-note' })
  const manifest = JSON.parse(compileFile({ session }, 'manifest.json')) as Record<string, unknown>
  expect(manifest).toMatchObject({ capability_id: 'learned.share-note' })
})

test('the manifest orders surfaces by reliability and has one verification per success condition', () => {
  const parts: SourceParts = {
    demonstration: {
      goal: 'Share a note',
      steps: [step('Tap Send', { control_surface: 'raw_ui' }), step('Call share', { control_surface: 'bridge_tool' })],
    },
    answers: {
      success_condition: 'The recipient is listed',
      package_assignment: 'packs/mail;packs/a',
    },
  }
  expect(JSON.parse(compileFile(parts, 'manifest.json'))).toMatchObject({
    capability_id: 'learned.share-a-note',
    family: 'notes',
    kind: 'promoted_skill',
    surface_order: ['bridge_tool', 'raw_ui'],
    runtime_binding: { target: 'skills/share-a-note/SKILL.md' },
    verification: [
      { kind: 'manual_confirmation', target: 'Note is shared' },
      { kind: 'manual_confirmation', target: 'The recipient is listed' },
    ],
  })
  expect(compile(parts).support_pack_refs).toEqual(['packs/mail', 'packs/a'])
})

test('the graph links steps and marks in order and contains no raw label', () => {
  const graph = JSON.parse(
    compileFile(
      {
        demonstration: {
          steps: [
            step('Tap "Secret plan"', { event_id: 'a' }),
            step('Tap "Secret plan"', { event_id: 'b' }),
            step('Open the menu', { event_id: 'c' }),
          ],
          marks: [
            { label: 'Ready', kind: 'guard' },
            { label: 'Is it open?', kind: 'decision', after_event_id: 'b' },
          ],
        },
      },
      'graph.json',
    ),
  ) as { nodes: { node_id: string }[]; edges: unknown[] }
  expect(graph.nodes).toMatchObject([
    { node_id: 'n01', kind: 'guard', label: 'Ready', source_event_ids: [] },
    { node_id: 'n02', kind: 'action', label: 'Unnamed action', source_event_ids: ['a', 'b'] },
    { node_id: 'n03', kind: 'decision', source_event_ids: ['b'] },
    { node_id: 'n04', kind: 'action', label: 'Menu is open' },
  ])
  expect(graph.edges).toEqual([
    { from: 'n01', to: 'n02' },
    { from: 'n02', to: 'n03' },
    { from: 'n03', to: 'n04' },
  ])
  expect(JSON.stringify(graph)).not.toContain('Secret')
})

test('a long demonstration has twenty checkpoints from its start to its end', () => {
  const steps = Array.from({ length: 300 }, (_, index) =>
    step(`Open page ${String.fromCodePoint(0x4e00 + index)}${String.fromCodePoint(0x4e00 + index)}`),
  )
  const { checkpoints } = compile({ demonstration: { goal: 'Read it all', steps } }).interpretation
  expect(checkpoints).toHaveLength(20)
  expect(checkpoints[0]).toMatchObject({ checkpoint_id: 'cp-01', goal: 'Page 一一 is open' })
  expect(checkpoints[18]?.goal).toBe(`Page ${String.fromCodePoint(0x4e00 + 299).repeat(2)} is open`)
  expect(checkpoints[19]).toMatchObject({ checkpoint_id: 'cp-20', goal: 'It all has been checked' })
})

test('steps without a state change are no checkpoints, and unnamed steps get a number', () => {
  const { checkpoints } = compile({
    demonstration: {
      steps: [step('Hover over the title', { caused_state_change: false }), step('Tap "X"'), step('Press Ctrl+S')],
    },
  }).interpretation
  expect(checkpoints.map(({ goal }) => goal)).toEqual([
    'Step 1 in notes has taken effect',
    'Step 2 in notes has taken effect',
  ])
})

test('there are three trigger tests of each kind, and only negative ones do not match the triggers', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 8 }), (goal) => {
      const tests = JSON.parse(compileFile({ demonstration: { goal } }, 'trigger-tests.json')) as Record<
        'positive' | 'negative' | 'paraphrase',
        string[]
      >
      const triggers = compile({ demonstration: { goal } }).trigger_phrases.map((text) => text.toLowerCase())
      for (const kind of ['positive', 'negative', 'paraphrase'] as const) {
        expect(tests[kind].length, kind).toBeGreaterThanOrEqual(3)
      }
      expect(tests.positive.every((phrase) => triggers.some((text) => phrase.includes(text)))).toBe(true)
      const words = new Set(triggers.flatMap((text) => text.split(/\s+/)))
      for (const phrase of tests.negative) {
        expect(phrase.split(' ').filter((word) => words.has(word)).length).toBeLessThan(2)
      }
      for (const phrase of tests.paraphrase) {
        const shared = phrase.split(' ').filter((word) => words.has(word)).length
        expect(shared >= 2 || triggers.some((text) => phrase.includes(text)), phrase).toBe(true)
      }
    }),
    { numRuns: countRuns(100) },
  )
})

test.each([
  ['Open the export dialog', 'Export dialog is open'],
  ['Tapped Save button', 'Save button has been used'],
  ['typed ‹text:1› into Title field', 'Title field is filled in'],
  ['Export dialog is open', 'Export dialog is open'],
  ['The File > Export menu path was used', 'The File > Export menu path was used'],
  ['Verify that the file exists', 'The file exists'],
  ['Send the weekly report to bob@example.com', 'Weekly report is sent'],
  ['Turn on Wi-Fi', 'Wi-Fi is on'],
  ['2) Scroll to the notes list then press Enter', 'Notes list is in view'],
  ['Weekly review', 'Weekly review is finished'],
  ['Tap "Save"', undefined],
  ['click div#main > span.x at (340, 220)', undefined],
  ['', undefined],
])('the state after %j is %j', (label, state) => {
  expect(describeStateAfter(label)).toBe(state)
})

/** Patterns of text that is specific to one screen, machine or person. */
const FORBIDDEN_PATTERNS = [
  /\b(?:div|span|btn|button|node)-\d+\b/i,
  /\b[a-z][a-z0-9]*#[A-Za-z_][\w-]*/,
  /\bdata-test(?:id)?\b|\baria-[a-z]+\s*=|:nth-/i,
  /<\/?[a-z][^>]*>/i,
  /\(\s*-?\d{1,5}\s*,\s*-?\d{1,5}\s*\)/,
  /\bx\s*[=:]\s*-?\d+\s*[,; ]\s*y\s*[=:]/i,
  /\b\d{1,5}\s*(?:px|pixels?)\b/i,
  /\/\/[a-z*@]/i,
  /\bAX[A-Z][A-Za-z]+\b|\b0x[0-9a-f]{4,}\b/i,
  /\b(?:cmd|ctrl|alt|shift)\s*\+\s*\w+/i,
  /[0-9a-f]{8}-[0-9a-f]{4}-/i,
  /(?:\/Users\/|\/home\/|\/tmp\/|[A-Z]:\\)/,
  /@[\w-]+\.\w/,
  /\b(?:password|token)\s*[=:]/i,
  /["“”‹›`•]/,
]
const CONCRETE_TEXTS = [
  'div-8472',
  'button#save',
  'input[name="q"]',
  '[data-testid=go]',
  'aria-label="x"',
  '<b>bold</b>',
  '(340, 220)',
  'x=12, y=40',
  '120 px',
  '//android.widget.Button[2]',
  'AXButton',
  '0xdeadbeef',
  'Ctrl+Shift+S',
  '/home/ann/secret.txt',
  'C:\\Users\\ann',
  'ann@example.com',
  'password: hunter2',
  '"my words"',
  '“my words”',
  '‹text:3›',
  '•••',
  'https://example.com/x?y=1',
  '`rm -rf`',
]

test('what remains around removed parts is removed too', () => {
  const label = '//android.widget.Button[2] aria-label="x" 120 px div-8472'
  expect(removeConcrete(label, 240)).not.toMatch(/px/)
})

test('selectors, coordinates, key chords, paths, secrets and quoted text are always removed', () => {
  const words = fc.constantFrom('Open', 'the', 'menu', 'Tap', 'and', 'Save', 'is', 'page')
  const parts = fc.array(fc.oneof(words, fc.constantFrom(...CONCRETE_TEXTS, randomUUID())), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(parts, (pieces) => {
      const label = pieces.join(' ')
      for (const text of [removeConcrete(label, 240), describeStateAfter(label) ?? '']) {
        for (const shape of FORBIDDEN_PATTERNS) expect(text).not.toMatch(shape)
        expect(text).not.toMatch(/hunter2|my words|secret\.txt/)
      }
    }),
    { numRuns: countRuns(500) },
  )
})
