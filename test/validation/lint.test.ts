import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '@apprentice/contracts/learn/proposal.ts'
import { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import { lintCheckpoints, type LintSource } from '../../src/knowledge/checkpoint-lint/checkpoint-lint.ts'
import { countRuns } from '../kit/count-runs.ts'

const proposal_id = '3f2c9a52-0b0f-4a35-9d0e-6f7f0f5e8a11'
const at = '2026-03-01T12:00:00.000Z'

function buildCheckpoint(changes: Partial<Checkpoint> = {}): Checkpoint {
  return {
    checkpoint_id: 'cp-01',
    goal: 'The export is prepared',
    success_condition: 'Export dialog is open',
    order_hint: 0,
    ...changes,
  }
}

interface Source {
  readonly checkpoints?: readonly Checkpoint[]
  readonly success_conditions?: readonly string[]
  readonly document?: string
  readonly graph?: LintSource['graph']
}

function lint(source: Source = {}) {
  const report = lintCheckpoints(
    {
      proposal_id,
      interpretation: {
        checkpoints: [...(source.checkpoints ?? [buildCheckpoint()])],
        success_conditions: [...(source.success_conditions ?? ['The exported file exists'])],
      },
      document: source.document ?? '# Export\n\n- When asked to export\n',
      graph: source.graph ?? { node_ids: ['n01', 'n02'], graph_id: proposal_id },
    },
    at,
  )
  expect(CheckpointLintReport.parse(report)).toEqual(report)
  return report
}

const listCodes = (success_condition: string): string[] =>
  lint({ checkpoints: [buildCheckpoint({ success_condition })] }).findings.map(({ code }) => code)

const GOOD = [
  'Export dialog is open',
  'PDF format is selected',
  'Export confirmed',
  'File exists at destination',
  'The File > Export menu path was used',
  'The exported .pdf file exists in the chosen folder',
  'Section-2 heading is visible',
  'The unit shows the wanted temperature',
  'The list shows the new note at the top',
  'Dark mode is on',
  'The press release is published',
  'The type of the document is invoice',
  'Type field matches the order',
  'The inbox shows 3 unread messages',
  'The order total is 12,50 euros',
  'The switch beside Wi-Fi is on',
  'Version 2.4 is installed',
  'The alarm for 07:30 is listed',
  'The button Save is no longer offered',
  'The battery limit reads 80 percent',
  'The address bar shows https://example.com/orders',
  'Room 12 is cooling',
  'Die Einstellungen sind geöffnet',
]

test.each(GOOD)('no finding: %s', (text) => {
  expect(listCodes(text)).toEqual([])
  expect(lint({ success_conditions: [text] }).findings).toEqual([])
})

const BAD: readonly (readonly [string, string])[] = [
  ['div-8472', 'CKP-001'],
  ['The row button#save is active', 'CKP-001'],
  ['The input[name=mail] is filled in', 'CKP-001'],
  ['The menu is shown in #main', 'CKP-001'],
  ['Something carries .is-active now', 'CKP-001'],
  ['The path nav > li was followed', 'CKP-001'],
  ['What querySelector finds is green', 'CKP-001'],
  ['The page shows <strong>done</strong> now', 'CKP-001'],
  ['(340, 220)', 'CKP-002'],
  ['The pointer rests on x=340, y=220', 'CKP-002'],
  ['The panel is 300 px wide', 'CKP-002'],
  ['The finger is at 340, 220 now', 'CKP-002'],
  ['The node //table/row is marked', 'CKP-003'],
  ['The AXButton is enabled', 'CKP-003'],
  ['The text of row[3] has changed', 'CKP-003'],
  ['The window 0x1f40 is in front', 'CKP-003'],
  ['Tap the save button', 'CKP-004'],
  ['One must click Save and then press Enter', 'CKP-004'],
  ['The shortcut Ctrl+S was used', 'CKP-004'],
  ['Waiting 5 seconds is enough', 'CKP-005'],
  ['It is there after 300 ms', 'CKP-005'],
  ['It works!', 'CKP-006'],
  ['Finished', 'CKP-006'],
  ['The note 3f2c9a52-0b0f-4a35-9d0e-6f7f0f5e8a11 is listed', 'CKP-008'],
  ['The file lies in /home/ann/exports', 'CKP-008'],
  ['The daemon listens on port 4870', 'CKP-008'],
  ['The mail went to ann@example.com', 'CKP-009'],
  ['The page shows password: hunter2', 'CKP-009'],
  ['The card 4111 1111 1111 1111 is charged', 'CKP-009'],
  ['The command `make` has ended', 'CKP-010'],
  ['The output of curl is shown', 'CKP-010'],
]

test.each(BAD)('%s is reported as %s', (text, code) => {
  const report = lint({ checkpoints: [buildCheckpoint({ success_condition: text })] })
  expect(report.findings.map((finding) => finding.code)).toContain(code)
  expect(report.passed).toBe(false)
  expect(report.findings.find((finding) => finding.code === code)).toMatchObject({
    severity: 'error',
    checkpoint_id: 'cp-01',
    field: 'success_condition',
  })
})

test('several rules can report one string', () => {
  expect(listCodes('div-8472')).toEqual(['CKP-001', 'CKP-006'])
})

test('a report does not contain the secret it found, whichever rule quotes the text', () => {
  const { findings } = lint({
    checkpoints: [buildCheckpoint({ success_condition: 'Probably token: abc123 at (1, 2)' })],
  })
  expect(findings.map(({ code }) => code)).toEqual(['CKP-002', 'CKP-009', 'CKP-014'])
  for (const { excerpt } of findings) expect(excerpt).not.toContain('abc123')
})

describe('structure', () => {
  test('an empty list of checkpoints is an error', () => {
    const report = lint({ checkpoints: [] })
    expect(report.passed).toBe(false)
    expect(report.findings).toMatchObject([{ code: 'CKP-011', severity: 'error' }])
  })

  test('a duplicate id and a goal that is too long are errors', () => {
    const twin = buildCheckpoint({ success_condition: 'PDF format is selected', order_hint: 1 })
    const long = buildCheckpoint({
      checkpoint_id: 'cp-02',
      goal: `The ${'very '.repeat(60)}end is reached`,
      success_condition: 'The last page is shown',
      order_hint: 2,
    })
    const errors = lint({ checkpoints: [buildCheckpoint(), twin, long] }).findings
    expect(errors.map(({ code, severity, field }) => [code, severity, field])).toEqual([
      ['CKP-011', 'error', 'goal'],
      ['CKP-011', 'error', 'checkpoints'],
    ])
  })

  test('structural weaknesses are warnings', () => {
    const many = Array.from({ length: 21 }, (_, index) =>
      buildCheckpoint({
        checkpoint_id: `cp-${index}`,
        goal: `Page ${index} of the form is filled in`,
        success_condition: `Page ${index + 1} of the form is shown`,
        order_hint: index,
      }),
    )
    const twice = [...many.slice(0, 20), buildCheckpoint({ checkpoint_id: 'x', order_hint: 3 })]
    const same = [
      buildCheckpoint({ goal: 'Export dialog is open.' }),
      buildCheckpoint({ checkpoint_id: 'cp-02', order_hint: undefined }),
    ]
    for (const [checkpoints, count] of [
      [many, 1],
      [twice, 2],
      [same, 3],
    ] as const) {
      const report = lint({ checkpoints })
      expect(report.passed).toBe(true)
      expect(report.findings, JSON.stringify(report.findings)).toHaveLength(count)
    }
    expect(lint({ checkpoints: same }).findings.map(({ code }) => code)).toContain('CKP-007')
  })

  test('missing success conditions and hedging are warnings', () => {
    const report = lint({ success_conditions: [] })
    expect(report.findings).toMatchObject([{ code: 'CKP-013', severity: 'warning' }])
    const hedged = lint({ success_conditions: ['The file should be there'] })
    expect(hedged).toMatchObject({
      passed: true,
      findings: [{ code: 'CKP-014', severity: 'warning', field: 'success_conditions[0]' }],
    })
  })
})

describe('the document', () => {
  test('a list of clicks is an error', () => {
    const clicks = ['1. **cp-01** Tap Share.', '2. Click PDF', '', '3. Press Save', '']
    expect(lint({ document: clicks.join('\n') }).findings).toMatchObject([
      { code: 'CKP-012', severity: 'error', field: 'SKILL.md', excerpt: '3. Press Save' },
    ])
  })

  test('two consecutive clicks, or three with other lines between them, are allowed', () => {
    const broken = ['- Tap Share', '- Tap PDF', '- The dialog is open', '- Tap Save']
    expect(lint({ document: broken.join('\n') }).findings).toEqual([])
    const parted = ['- Tap Share', '- Tap PDF', 'Then:', '- Tap Save']
    expect(lint({ document: parted.join('\n') }).findings).toEqual([])
  })

  test.each(['the step n02 follows', proposal_id, '{"edges" : []}'])('graph content is an error: %s', (leak) => {
    expect(lint({ document: `# Export\n\nHere ${leak}.` }).findings).toMatchObject([
      { code: 'CKP-012', severity: 'error' },
    ])
  })

  test('a word that only starts like a node id is allowed', () => {
    expect(lint({ document: '# Export\n\nModel n012 and N01-b are meant.' }).findings).toEqual([])
  })
})

test('for any input the report is valid, deterministic, and passes exactly if it has no errors', () => {
  const words = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constantFrom(...GOOD))
  const anyCheckpoint = fc.record(
    { checkpoint_id: fc.string({ maxLength: 100 }), goal: words, success_condition: words },
    { requiredKeys: ['checkpoint_id', 'goal', 'success_condition'] },
  )
  fc.assert(
    fc.property(
      fc.array(anyCheckpoint, { maxLength: 25 }),
      fc.array(words, { maxLength: 4 }),
      words,
      (checkpoints, success_conditions, document) => {
        const source = { checkpoints, success_conditions, document }
        const report = lint(source)
        expect(lint(source)).toEqual(report)
        expect(report.passed).toBe(!report.findings.some(({ severity }) => severity === 'error'))
      },
    ),
    { numRuns: countRuns(200) },
  )
})
