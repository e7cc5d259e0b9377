import type { Checkpoint } from '@apprentice/contracts/learn/proposal.ts'
import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { finding, normalised } from './string-rules.ts'

const mostCheckpoints = 20
const limits = { checkpoint_id: 80, goal: 240, success_condition: 240 } as const

/** What is wrong with the checkpoints as a list. */
export function lintStructure(checkpoints: readonly Checkpoint[]): LintFinding[] {
  const list = { text: '', field: 'checkpoints' }
  const error = (message: string) => finding(list, { code: 'CKP-011', severity: 'error', message })
  const warning = (message: string) =>
    finding(list, { code: 'CKP-011', severity: 'warning', message })
  if (checkpoints.length === 0) return [error('There is no checkpoint.')]
  return [
    ...checkpoints.flatMap(tooLong),
    ...repeated(checkpoints.map((checkpoint) => checkpoint.checkpoint_id)).map((id) =>
      error(`Two checkpoints are called ${id.slice(0, 80)}.`),
    ),
    ...(checkpoints.length > mostCheckpoints
      ? [warning(`There are ${checkpoints.length} checkpoints; ${mostCheckpoints} are enough.`)]
      : []),
    ...repeated(checkpoints.map((checkpoint) => normalised(checkpoint.success_condition))).map(() =>
      warning('Two checkpoints are reached by the same sign.'),
    ),
    ...(isOrdered(checkpoints) ? [] : [warning('The order of the checkpoints is not told.')]),
    ...checkpoints.flatMap(saysItTwice),
  ]
}

function tooLong(checkpoint: Checkpoint): LintFinding[] {
  const { checkpoint_id } = checkpoint
  return (Object.keys(limits) as (keyof typeof limits)[])
    .filter((field) => checkpoint[field].length > limits[field])
    .map((field) =>
      finding(
        { text: checkpoint[field], field, checkpoint_id },
        {
          code: 'CKP-011',
          severity: 'error',
          message: `Is longer than ${limits[field]} characters.`,
        },
      ),
    )
}

function saysItTwice({ checkpoint_id, goal, success_condition }: Checkpoint): LintFinding[] {
  if (normalised(goal) !== normalised(success_condition)) return []
  const statement = { text: success_condition, field: 'success_condition', checkpoint_id }
  const message = 'Repeats the goal; say how one sees that it is reached.'
  return [finding(statement, { code: 'CKP-007', severity: 'warning', message })]
}

function isOrdered(checkpoints: readonly Checkpoint[]): boolean {
  const hints = checkpoints.map((checkpoint) => checkpoint.order_hint)
  return !hints.includes(undefined) && new Set(hints).size === hints.length
}

/** Those that stand there more than once, each told once. */
function repeated(entries: readonly string[]): string[] {
  const again = entries.filter((entry, at) => entries.indexOf(entry) !== at)
  return [...new Set(again)]
}
