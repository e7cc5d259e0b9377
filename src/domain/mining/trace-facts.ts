import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { KeptStep } from '../../store/devices/execution-steps.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import { failedStep, hasActed } from '../../knowledge/verification/run-outcome.ts'
import { goalKey, goalWords } from './goal-key.ts'
import { collapsed } from './variation.ts'

interface PastRun {
  readonly execution: ExecutionRow
  /** None where nothing could be kept, as of a run that was taken back. */
  readonly steps: readonly KeptStep[]
  readonly run?: AbilityRunRow | undefined
  /** What the ability that ran is called. */
  readonly ability_title?: string | undefined
}

/** What mining counts of one past run. */
export function traceFacts({ execution, steps, run, ability_title }: PastRun): TraceFacts {
  const step_results = execution.envelope?.stepResults ?? execution.step_results
  const failed = failedStep({ state: execution.state, step_results })
  const code = failed?.data['error'] ?? execution.envelope?.errorCode ?? ''
  const goal = execution.goal ?? ability_title ?? wordsOfTask(execution.task_id)
  const typed = steps.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const project_id = execution.project_id ?? run?.project_id
  return {
    goal: goal.trim().slice(0, 240),
    goal_words: goalWords(goal, typed),
    goal_key: goalKey(goalWords(goal, typed)),
    app_family: appOf(execution, steps),
    ...(project_id === undefined ? {} : { project_id }),
    ...(run === undefined ? {} : { ability_id: run.ability_id }),
    succeeded: run === undefined ? execution.state === 'succeeded' : run.state === 'success',
    overridden: execution.state === 'cancelled',
    step_labels: collapsed(steps.map(labelOf)),
    verified: isVerified(execution.payload.actions, step_results, run),
    critical: criticalCodes.has(code),
    verification_failed: code === 'VERIFY_FAILED' || code === 'CONTROL_CONVERGENCE_FAILED',
    in_the_way: failed?.data['in_the_way'] !== undefined,
  }
}

/** Something was about to be done that must not be. */
const criticalCodes: ReadonlySet<string> = new Set(['POLICY_DENIED', 'TEST_POLICY_VIOLATION'])

/** A task is often named by words a person can read; what is no word says nothing. */
const wordsOfTask = (taskId: string): string =>
  /^[\p{L}][\p{L}\p{N} _.:-]*$/u.test(taskId) && /[\p{L}]{3,}.*[\p{L}]{3,}/u.test(taskId)
    ? taskId.replaceAll(/[_.:-]+/gu, ' ')
    : ''

/** The app most of it happened in. */
function appOf({ payload }: ExecutionRow, steps: readonly KeptStep[]): string {
  const opened = payload.actions.flatMap((action) =>
    action.type === 'open_app' ? [action.params.applicationId] : [],
  )
  const apps = steps.filter(({ kind }) => kind !== 'close_app').map(({ app }) => app)
  const seen = apps.length > 0 ? apps : opened
  const counts = new Map<string, number>()
  for (const app of seen) if (app !== '') counts.set(app, (counts.get(app) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return (first?.[0] ?? 'unknown').slice(0, 80)
}

/** What was done to what, by what the app calls it: another item of a list is the same step. */
function labelOf({ kind, target, key, direction, action_label, app }: KeptStep): string {
  if (kind === 'open_app' || kind === 'close_app') return `${kind} ${app}`
  const onto = target ?? key ?? direction ?? action_label.replaceAll(/\p{N}+/gu, '#').toLowerCase()
  return `${kind} ${onto}`.slice(0, 160)
}

/** Did the device itself show, after everything that was changed, that it had worked? */
function isVerified(
  actions: readonly Action[],
  results: readonly StepResult[],
  run: AbilityRunRow | undefined,
): boolean {
  if (run !== undefined) {
    const { verification } = run.outcome
    return verification.length > 0 && verification.every(({ held }) => held === true)
  }
  const proofs = new Set(actions.filter(isProof).map(({ id }) => id))
  const lastProof = results.findLastIndex(
    ({ id, success, data }) => success && proofs.has(id) && data['skipped_by'] === undefined,
  )
  return results.every(
    (result, at) => !hasActed(result) || selfProving.has(result.actionType) || at < lastProof,
  )
}

/** They read back what they set. */
const selfProving: ReadonlySet<string> = new Set(['set_checked', 'adjust_until'])

/** Fails unless the screen shows what it should. A look that only decides where to go on proves nothing. */
const isProof = (action: Action): boolean =>
  action.type === 'wait_for_node' ||
  (action.type === 'expect' &&
    action.params.skipTo === undefined &&
    action.params.elseSkipTo === undefined)
