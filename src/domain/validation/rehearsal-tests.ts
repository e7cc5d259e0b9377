import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { CompiledStep } from '../../knowledge/recipes/compile/compile.ts'
import { judgeResults } from '../../knowledge/recipes/compile/judge-results.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'
import { type Rehearsal, withoutValues } from './rehearsal.ts'

/** What the steps done so far came to, in the recipe's terms. */
export function stepTests(
  draft: Pick<DraftUnderTest, 'meaning'>,
  rehearsal: Rehearsal,
  results: readonly StepResult[],
): TestResult[] {
  const { recipe, steps } = rehearsal
  const facts = new Map(steps.map((step) => [step.action_id, step]))
  return judgeResults(recipe, steps, results).flatMap((result) => {
    const step = facts.get(result.id)
    const own = stepTest(result, step, rehearsal)
    const { checkpoint_id } = step ?? {}
    return checkpoint_id === undefined || !result.success
      ? [own]
      : [own, checkpointTest(draft, checkpoint_id, { reached: true, details: '' })]
  })
}

/** What is left to say once it is over: checkpoints that were not reached, and why it ended. */
export function endTests(
  draft: Pick<DraftUnderTest, 'meaning' | 'policy'>,
  rehearsal: Rehearsal,
  envelope: ResultEnvelope | undefined,
): TestResult[] {
  const isCanary = rehearsal.kind === 'canary'
  const done = new Set(envelope?.stepResults.filter(({ success }) => success).map(({ id }) => id))
  const planned = new Map(
    rehearsal.steps.flatMap(({ checkpoint_id, action_id }) =>
      checkpoint_id === undefined ? [] : [[checkpoint_id, action_id] as const],
    ),
  )
  const failed = envelope?.status === 'success' ? '' : (envelope?.error ?? 'It did not finish.')
  return [
    ...(isCanary ? [] : (draft.meaning?.checkpoints ?? [])).flatMap(({ checkpoint_id }) => {
      const action = planned.get(checkpoint_id)
      if (action !== undefined && done.has(action)) return []
      return action === undefined
        ? [unplanned(draft, checkpoint_id)]
        : [checkpointTest(draft, checkpoint_id, { reached: false, details: failed })]
    }),
    ...(envelope?.status === 'success' || hasFailedStep(envelope)
      ? []
      : [
          {
            test_case_id: isCanary ? 'canary:end' : 'action:end',
            label: 'It comes to its end',
            result: 'failed' as const,
            details: `${envelope?.errorCode ?? ''} ${failed}`.trim(),
          },
        ]),
    ...(draft.policy.cleanup_required && !isCanary ? [cleanup] : []),
  ]
}

const hasFailedStep = (envelope: ResultEnvelope | undefined): boolean =>
  envelope?.stepResults.some(({ outcome }) => outcome === 'failed') ?? false

/** Nobody can undo for certain what a recipe did, so a person is asked to. */
const cleanup: TestResult = {
  test_case_id: 'cleanup:manual',
  label: 'What the rehearsal left behind is cleaned up',
  result: 'skipped',
  details: 'The policy asks for cleanup. Look at the phone and undo what is not to stay.',
}

function stepTest(
  result: StepResult,
  step: CompiledStep | undefined,
  { kind, texts }: Rehearsal,
): TestResult {
  const { id, actionType, success, outcome, data } = result
  const verifies = step?.verification === true
  const plain = verifies ? id.replace(/^verify\./, '') : id
  const notes = [data['error'], data['message'], data['observed'], data['skipped_by']]
    .filter((note) => note !== undefined && note !== '')
    .join(' | ')
  return {
    test_case_id: `${kind === 'canary' ? kind : verifies ? 'verify' : 'action'}:${plain}`,
    label: `${verifies ? 'Verified' : 'Done'}: ${step?.step_id ?? id} (${actionType})`,
    result: success ? 'passed' : outcome === 'skipped' ? 'skipped' : 'failed',
    ...(notes === '' ? {} : { details: withoutValues(notes, texts) }),
  }
}

function checkpointTest(
  { meaning }: Pick<DraftUnderTest, 'meaning'>,
  id: string,
  { reached, details }: { reached: boolean; details: string },
): TestResult {
  const known = meaning?.checkpoints.find(({ checkpoint_id }) => checkpoint_id === id)
  return {
    test_case_id: `checkpoint:${id}`,
    label: known?.goal ?? id,
    result: reached ? 'passed' : 'failed',
    ...(details === '' ? {} : { details }),
  }
}

const unplanned = (draft: Pick<DraftUnderTest, 'meaning'>, id: string): TestResult => ({
  ...checkpointTest(draft, id, { reached: false, details: 'No step of the recipe ends in it.' }),
  result: 'skipped',
  required: false,
})
