import type { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

const LINT_RULES: readonly (readonly [string, string])[] = [
  ['CKP-001', 'No selectors or markup'],
  ['CKP-002', 'No coordinates'],
  ['CKP-003', 'No UI tree paths'],
  ['CKP-004', 'States instead of clicks'],
  ['CKP-005', 'No waiting time as evidence'],
  ['CKP-006', 'Not empty or generic'],
  ['CKP-007', 'Conditions differ from goals'],
  ['CKP-008', 'No values that change with each run'],
  ['CKP-009', 'No secrets or personal data'],
  ['CKP-010', 'No code'],
  ['CKP-011', 'A well-formed list'],
  ['CKP-012', 'A document without clicks or graph'],
  ['CKP-013', 'The overall success is described'],
  ['CKP-014', 'No hedging'],
  ['CKP-015', 'The document says how to run the skill'],
]

/** One test per lint rule. A warning does not fail its rule. */
export function lintTests({ findings }: CheckpointLintReport): TestResult[] {
  return LINT_RULES.map(([code, label]) => {
    const own = findings.filter((finding) => finding.code === code)
    const failed = own.some(({ severity }) => severity === 'error')
    const details = own
      .map(({ checkpoint_id, field, message, excerpt }) =>
        [checkpoint_id, field, message, excerpt].filter(Boolean).join(' | '),
      )
      .join('\n')
    return {
      test_case_id: `lint:${code}`,
      label,
      result: failed ? 'failed' : 'passed',
      ...(details === '' ? {} : { details }),
    }
  })
}
