import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { CheckpointLintReport, LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { type GraphNames, lintDocument } from './document-rules.ts'
import { finding, lintStatement, type Statement } from './string-rules.ts'
import { lintStructure } from './structure-rules.ts'

export interface LintSource {
  readonly proposal_id: string
  readonly meaning: Pick<SemanticWorkflowInterpretation, 'checkpoints' | 'success_conditions'>
  /** SKILL.md. */
  readonly document: string
  readonly graph: GraphNames
}

/** Whether the checkpoints of a draft are states that can be seen, on any phone, by anybody. */
export function lintCheckpoints(source: LintSource, checkedAt: string): CheckpointLintReport {
  const { checkpoints, success_conditions } = source.meaning
  const findings: LintFinding[] = [
    ...statementsOf(source.meaning).flatMap(lintStatement),
    ...lintStructure(checkpoints),
    ...(success_conditions.length === 0 ? [noSuccess] : []),
    ...lintDocument(source.document, source.graph),
  ]
  return {
    proposal_id: source.proposal_id,
    passed: findings.every(({ severity }) => severity !== 'error'),
    rule_version: 'ckp-1',
    findings,
    checked_at: checkedAt,
    schema_version: 1,
  }
}

const noSuccess = finding(
  { text: '', field: 'success_conditions' },
  { code: 'CKP-013', severity: 'warning', message: 'Nothing tells that the whole has succeeded.' },
)

function statementsOf({ checkpoints, success_conditions }: LintSource['meaning']): Statement[] {
  return [
    ...checkpoints.flatMap(({ checkpoint_id, goal, success_condition }) => [
      { text: goal, field: 'goal', checkpoint_id },
      { text: success_condition, field: 'success_condition', checkpoint_id },
    ]),
    ...success_conditions.map((text, at) => ({ text, field: `success_conditions[${at}]` })),
  ]
}
