import type { Checkpoint } from '@apprentice/contracts/learn/proposal.ts'
import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { toFinding, normalizeText } from './string-rules.ts'

const MAX_CHECKPOINTS = 20
const MAX_LENGTHS = { checkpoint_id: 80, goal: 240, success_condition: 240 } as const

/** Lints the list of checkpoints as a whole. */
export function lintStructure(checkpoints: readonly Checkpoint[]): LintFinding[] {
  const list = { text: '', field: 'checkpoints' }
  const error = (message: string) => toFinding(list, { code: 'CKP-011', severity: 'error', message })
  const warning = (message: string) => toFinding(list, { code: 'CKP-011', severity: 'warning', message })
  if (checkpoints.length === 0) return [error('There are no checkpoints.')]
  return [
    ...checkpoints.flatMap(lintLengths),
    ...findRepeated(checkpoints.map((checkpoint) => checkpoint.checkpoint_id)).map((id) =>
      error(`Two checkpoints have the id ${id.slice(0, 80)}.`),
    ),
    ...(checkpoints.length > MAX_CHECKPOINTS
      ? [warning(`There are ${checkpoints.length} checkpoints; use at most ${MAX_CHECKPOINTS}.`)]
      : []),
    ...findRepeated(checkpoints.map((checkpoint) => normalizeText(checkpoint.success_condition))).map(() =>
      warning('Two checkpoints have the same success condition.'),
    ),
    ...(isOrdered(checkpoints) ? [] : [warning('The order_hint of the checkpoints is missing or not unique.')]),
    ...checkpoints.flatMap(lintRepeatedGoal),
  ]
}

function lintLengths(checkpoint: Checkpoint): LintFinding[] {
  const { checkpoint_id } = checkpoint
  return (Object.keys(MAX_LENGTHS) as (keyof typeof MAX_LENGTHS)[])
    .filter((field) => checkpoint[field].length > MAX_LENGTHS[field])
    .map((field) =>
      toFinding(
        { text: checkpoint[field], field, checkpoint_id },
        {
          code: 'CKP-011',
          severity: 'error',
          message: `Is longer than ${MAX_LENGTHS[field]} characters.`,
        },
      ),
    )
}

function lintRepeatedGoal({ checkpoint_id, goal, success_condition }: Checkpoint): LintFinding[] {
  if (normalizeText(goal) !== normalizeText(success_condition)) return []
  const statement = { text: success_condition, field: 'success_condition', checkpoint_id }
  const message = 'Repeats the goal; describe what is visible when it is reached.'
  return [toFinding(statement, { code: 'CKP-007', severity: 'warning', message })]
}

function isOrdered(checkpoints: readonly Checkpoint[]): boolean {
  const hints = checkpoints.map((checkpoint) => checkpoint.order_hint)
  return !hints.includes(undefined) && new Set(hints).size === hints.length
}

/** The entries that occur more than once, without duplicates. */
function findRepeated(entries: readonly string[]): string[] {
  const again = entries.filter((entry, at) => entries.indexOf(entry) !== at)
  return [...new Set(again)]
}
