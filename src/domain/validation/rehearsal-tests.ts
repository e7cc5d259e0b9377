import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { decideRunState } from '../../knowledge/verification/run-outcome.ts'
import type { CompiledStep } from '../../knowledge/recipes/compile/compile.ts'
import { judgeResults } from '../../knowledge/recipes/compile/judge-results.ts'
import { showsOutcome } from '../../knowledge/recipes/parse/shown-outcome.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import { type DraftUnderTest, qualifyPartId } from './draft-under-test.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'
import { type Rehearsal, type RehearsalPart, maskValues } from './rehearsal.ts'

/** The tests of the steps of one part executed so far. Checkpoints of called abilities are not those of the draft. */
export function stepTests(
  draft: Pick<DraftUnderTest, 'meaning'>,
  { rehearsal, part }: { readonly rehearsal: Rehearsal; readonly part: RehearsalPart },
  results: readonly StepResult[],
): TestResult[] {
  const { recipe, plan, call } = part
  const facts = new Map(plan.map((step) => [step.action_id, step]))
  return judgeResults(recipe, plan, results).flatMap((result) => {
    const step = facts.get(result.id)
    const own = buildStepTest(result, { step, part }, rehearsal)
    const checkpoint_id = call === '' ? step?.checkpoint_id : undefined
    return checkpoint_id === undefined || !result.success
      ? [own]
      : [own, buildCheckpointTest(draft, checkpoint_id, { reached: true, details: '' })]
  })
}

/** A part of a rehearsal whose execution has ended. */
export interface EndedPart {
  readonly part: RehearsalPart
  readonly execution: ExecutionRow | undefined
}

export const readResults = (execution: ExecutionRow | undefined): readonly StepResult[] =>
  execution?.envelope?.stepResults ?? execution?.step_results ?? []

/** The tests at the end of a rehearsal: checkpoints that were not reached, why it stopped, and the outcome of a run. */
export function endTests(
  draft: Pick<DraftUnderTest, 'meaning'>,
  rehearsal: Rehearsal,
  ended: readonly EndedPart[],
): TestResult[] {
  const isCanary = rehearsal.kind === 'canary'
  const envelope = ended.at(-1)?.execution?.envelope
  const isDone = envelope?.status === 'success'
  const failed = isDone ? '' : (envelope?.error ?? 'The execution did not finish.')
  return [
    ...(isCanary ? [] : checkpointTests(draft, rehearsal, { ended, isDone, failed })),
    ...(isDone || ended.some(({ execution }) => hasFailedStep(execution))
      ? []
      : [
          {
            test_case_id: isCanary ? 'canary:end' : 'action:end',
            label: 'The execution finishes',
            result: 'failed' as const,
            details: `${envelope?.errorCode ?? ''} ${failed}`.trim(),
          },
        ]),
    ...(isCanary || !isDone ? [] : outcomeTests(rehearsal, ended)),
  ]
}

function checkpointTests(
  draft: Pick<DraftUnderTest, 'meaning'>,
  { parts }: Rehearsal,
  { ended, isDone, failed }: { ended: readonly EndedPart[]; isDone: boolean; failed: string },
): TestResult[] {
  const own = parts.filter(({ call }) => call === '')
  const reached = new Set(
    own.flatMap((part) => {
      const execution = ended.find((one) => one.part === part)?.execution
      // A part that was passed over because the outcome was already there has nothing to reach.
      if (execution === undefined) return isDone ? part.plan.map(({ checkpoint_id }) => checkpoint_id) : []
      const succeeded = new Set(readResults(execution).flatMap(({ success, id }) => (success ? [id] : [])))
      return part.plan.filter(({ action_id }) => succeeded.has(action_id)).map(({ checkpoint_id }) => checkpoint_id)
    }),
  )
  const planned = new Set(own.flatMap(({ plan }) => plan.map(({ checkpoint_id }) => checkpoint_id)))
  return (draft.meaning?.checkpoints ?? []).flatMap(({ checkpoint_id }) => {
    if (reached.has(checkpoint_id)) return []
    return planned.has(checkpoint_id)
      ? [buildCheckpointTest(draft, checkpoint_id, { reached: false, details: failed })]
      : [buildUnplannedTest(draft, checkpoint_id)]
  })
}

/** All steps succeeded. As in a run, that counts only if every verification held. */
function outcomeTests({ recipe }: Rehearsal, ended: readonly EndedPart[]): TestResult[] {
  if (!showsOutcome(recipe) || isVerified(ended)) return []
  const details = 'All steps succeeded, but the outcome was not verified on the device.'
  return [{ test_case_id: 'verify:outcome', label: 'The outcome is verified', result: 'failed', details }]
}

/** Whether all verifications of executions that succeeded held on the device. */
export function isVerified(ended: readonly EndedPart[]): boolean {
  const plan = ended.flatMap(({ part }) =>
    part.plan.map((step) => ({ ...step, action_id: qualifyPartId(part, step.action_id) })),
  )
  const step_results = ended.flatMap(({ part, execution }) =>
    judgeResults(part.recipe, part.plan, readResults(execution)).map((result) => ({
      ...result,
      id: qualifyPartId(part, result.id),
    })),
  )
  return decideRunState(plan, { state: 'succeeded', step_results }) === 'success'
}

const hasFailedStep = (execution: ExecutionRow | undefined): boolean =>
  execution?.envelope?.stepResults.some(({ outcome }) => outcome === 'failed') ?? false

function buildStepTest(
  result: StepResult,
  { step, part }: { readonly step: CompiledStep | undefined; readonly part: RehearsalPart },
  { kind, texts }: Rehearsal,
): TestResult {
  const { id, actionType, success, outcome, data } = result
  const verifies = step?.verification === true
  const name = qualifyPartId(part, verifies ? id.replace(/^verify\./, '') : id)
  const notes = [data['error'], data['message'], data['observed'], data['skipped_by']]
    .filter((note) => note !== undefined && note !== '')
    .join(' | ')
  return {
    test_case_id: `${kind === 'canary' ? kind : verifies ? 'verify' : 'action'}:${name}`,
    label: `${verifies ? 'Verified' : 'Done'}: ${qualifyPartId(part, step?.step_id ?? id)} (${actionType})`,
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
