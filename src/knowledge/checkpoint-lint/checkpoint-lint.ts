import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { CheckpointLintReport, LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { type DocumentUse, type GraphNames, lintDocument, lintUse } from './document-rules.ts'
import { toFinding, lintStatement, type Statement } from './string-rules.ts'
import { lintStructure } from './structure-rules.ts'

type Interpretation = Pick<SemanticWorkflowInterpretation, 'checkpoints' | 'success_conditions'>

export interface LintSource {
  readonly proposal_id: string
  /** Undefined for an imported document, which declares no checkpoints. */
  readonly interpretation: Interpretation | undefined
  /** SKILL.md. */
  readonly document: string
  readonly graph: GraphNames
  /** Undefined for a foreign document that an agent reads as it is. */
  readonly use?: DocumentUse | undefined
}

/** Checks that the checkpoints of a draft are observable states that do not depend on one device or person. */
export function lintCheckpoints(source: LintSource, checkedAt: string): CheckpointLintReport {
  const findings: LintFinding[] = [
    ...(source.interpretation === undefined ? [] : lintInterpretation(source.interpretation)),
    ...lintDocument(source.document, source.graph),
    ...(source.use === undefined ? [] : lintUse(source.use)),
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

const lintInterpretation = (interpretation: Interpretation): LintFinding[] => [
  ...collectStatements(interpretation).flatMap(lintStatement),
  ...lintStructure(interpretation.checkpoints),
  ...(interpretation.success_conditions.length === 0 ? [missingSuccessCondition] : []),
]

const missingSuccessCondition = toFinding(
  { text: '', field: 'success_conditions' },
  {
    code: 'CKP-013',
    severity: 'warning',
    message: 'There is no success condition; add one that shows the workflow succeeded.',
  },
)

function collectStatements({ checkpoints, success_conditions }: Interpretation): Statement[] {
  return [
    ...checkpoints.flatMap(({ checkpoint_id, goal, success_condition }) => [
      { text: goal, field: 'goal', checkpoint_id },
      { text: success_condition, field: 'success_condition', checkpoint_id },
    ]),
    ...success_conditions.map((text, at) => ({ text, field: `success_conditions[${at}]` })),
  ]
}
