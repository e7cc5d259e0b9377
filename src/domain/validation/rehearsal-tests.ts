import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { CompiledStep } from '../../knowledge/recipes/compile/compile.ts'
import { judgeResults } from '../../knowledge/recipes/compile/judge-results.ts'
import type { DraftUnderTest } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'
import { type Rehearsal, maskValues } from './rehearsal.ts'

/** The tests of the steps executed so far. */
export function stepTests(
  draft: Pick<DraftUnderTest, 'meaning'>,
  rehearsal: Rehearsal,
  results: readonly StepResult[],
): TestResult[] {
  const { recipe, steps } = rehearsal
  const facts = new Map(steps.map((step) => [step.action_id, step]))
  return judgeResults(recipe, steps, results).flatMap((result) => {
    const step = facts.get(result.id)
    const own = buildStepTest(result, step, rehearsal)
    const { checkpoint_id } = step ?? {}
    return checkpoint_id === undefined || !result.success
      ? [own]
      : [own, buildCheckpointTest(draft, checkpoint_id, { reached: true, details: '' })]
  })
}

/** The tests at the end of the execution: checkpoints that were not reached, and why it stopped. */
export function endTests(
  draft: Pick<DraftUnderTest, 'meaning' | 'policy'>,
  rehearsal: Rehearsal,
  envelope: ResultEnvelope | undefined,
): TestResult[] {
  const isCanary = rehearsal.kind === 'canary'
  const succeeded = new Set(envelope?.stepResults.filter(({ success }) => success).map(({ id }) => id))
  const planned = new Map(
    rehearsal.steps.flatMap(({ checkpoint_id, action_id }) =>
      checkpoint_id === undefined ? [] : [[checkpoint_id, action_id] as const],
    ),
  )
  const failed = envelope?.status === 'success' ? '' : (envelope?.error ?? 'The execution did not finish.')
  return [
    ...(isCanary ? [] : (draft.meaning?.checkpoints ?? [])).flatMap(({ checkpoint_id }) => {
      const action = planned.get(checkpoint_id)
      if (action !== undefined && succeeded.has(action)) return []
      return action === undefined
        ? [buildUnplannedTest(draft, checkpoint_id)]
        : [buildCheckpointTest(draft, checkpoint_id, { reached: false, details: failed })]
    }),
    ...(envelope?.status === 'success' || hasFailedStep(envelope)
      ? []
      : [
          {
            test_case_id: isCanary ? 'canary:end' : 'action:end',
            label: 'The execution finishes',
            result: 'failed' as const,
            details: `${envelope?.errorCode ?? ''} ${failed}`.trim(),
          },
        ]),
    ...(draft.policy.cleanup_required && !isCanary ? [MANUAL_CLEANUP] : []),
  ]
}

const hasFailedStep = (envelope: ResultEnvelope | undefined): boolean =>
  envelope?.stepResults.some(({ outcome }) => outcome === 'failed') ?? false

/** The daemon cannot undo what a recipe did, so a person has to. */
const MANUAL_CLEANUP: TestResult = {
  test_case_id: 'cleanup:manual',
  label: 'Changes of the rehearsal are cleaned up',
  result: 'skipped',
  details: 'The policy requires cleanup: undo the changes of the rehearsal on the device.',
}

function buildStepTest(result: StepResult, step: CompiledStep | undefined, { kind, texts }: Rehearsal): TestResult {
  const { id, actionType, success, outcome, data } = result
  const verifies = step?.verification === true
  const name = verifies ? id.replace(/^verify\./, '') : id
  const notes = [data['error'], data['message'], data['observed'], data['skipped_by']]
    .filter((note) => note !== undefined && note !== '')
    .join(' | ')
  return {
    test_case_id: `${kind === 'canary' ? kind : verifies ? 'verify' : 'action'}:${name}`,
    label: `${verifies ? 'Verified' : 'Done'}: ${step?.step_id ?? id} (${actionType})`,
    result: success ? 'passed' : outcome === 'skipped' ? 'skipped' : 'failed',
    ...(notes === '' ? {} : { details: maskValues(notes, texts) }),
  }
}

function buildCheckpointTest(
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

const buildUnplannedTest = (draft: Pick<DraftUnderTest, 'meaning'>, id: string): TestResult => ({
  ...buildCheckpointTest(draft, id, {
    reached: false,
    details: 'No step of the recipe reaches this checkpoint.',
  }),
  result: 'skipped',
  required: false,
})
