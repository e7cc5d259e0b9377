import type { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

const rules: readonly (readonly [string, string])[] = [
  ['CKP-001', 'No selectors or markup'],
  ['CKP-002', 'No coordinates'],
  ['CKP-003', 'No paths into a tree'],
  ['CKP-004', 'States and not clicks'],
  ['CKP-005', 'No time as proof'],
  ['CKP-006', 'Says something'],
  ['CKP-007', 'Signs beside goals'],
  ['CKP-008', 'Nothing that changes each time'],
  ['CKP-009', 'Nothing secret or personal'],
  ['CKP-010', 'No code'],
  ['CKP-011', 'A well-formed list'],
  ['CKP-012', 'A document without clicks or graph'],
  ['CKP-013', 'Success of the whole is told'],
  ['CKP-014', 'No hedging'],
]

/** What the linter found, rule by rule. A warning does not fail its rule. */
export function lintTests({ findings }: CheckpointLintReport): TestResult[] {
  return rules.map(([code, label]) => {
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
