import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { StoredExecutionStep } from '../../store/devices/execution-steps.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import { findFailedStep, hasActed } from '../../knowledge/verification/run-outcome.ts'
import { formatGoalKey, extractGoalWords } from './goal-key.ts'
import { collapseRepeats } from './variation.ts'

interface PastExecution {
  readonly execution: ExecutionRow
  /** Empty when no steps were recorded, for example of a cancelled execution. */
  readonly steps: readonly StoredExecutionStep[]
  readonly run?: AbilityRunRow | undefined
  /** The title of the ability that ran. */
  readonly ability_title?: string | undefined
}

/** The facts of one execution that mining counts. */
export function collectTraceFacts({ execution, steps, run, ability_title }: PastExecution): TraceFacts {
  const step_results = execution.envelope?.stepResults ?? execution.step_results
  const failed = findFailedStep({ state: execution.state, step_results })
  const code = failed?.data['error'] ?? execution.envelope?.errorCode ?? ''
  const goal = execution.goal ?? ability_title ?? describeTask(execution.task_id)
  const typed = steps.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const project_id = execution.project_id ?? run?.project_id
  return {
    goal: goal.trim().slice(0, 240),
    goal_words: extractGoalWords(goal, typed),
    goal_key: formatGoalKey(extractGoalWords(goal, typed)),
    app_family: findMainApp(execution, steps),
    ...(project_id === undefined ? {} : { project_id }),
    ...(run === undefined ? {} : { ability_id: run.ability_id }),
    succeeded: run === undefined ? execution.state === 'succeeded' : run.state === 'success',
    overridden: execution.state === 'cancelled',
    step_labels: collapseRepeats(steps.map(formatStepLabel)),
    verified: isVerified(execution.payload.actions, step_results, run),
    critical: CRITICAL_CODES.has(code),
    verification_failed: code === 'VERIFY_FAILED' || code === 'CONTROL_CONVERGENCE_FAILED',
    in_the_way: failed?.data['in_the_way'] !== undefined,
  }
}

/** A policy refused an action. */
const CRITICAL_CODES: ReadonlySet<string> = new Set(['POLICY_DENIED', 'TEST_POLICY_VIOLATION'])

/** A task id made of readable words, as a phrase; otherwise the empty string. */
const describeTask = (taskId: string): string =>
  /^[\p{L}][\p{L}\p{N} _.:-]*$/u.test(taskId) && /[\p{L}]{3,}.*[\p{L}]{3,}/u.test(taskId)
    ? taskId.replaceAll(/[_.:-]+/gu, ' ')
    : ''

/** The app with the most steps. */
function findMainApp({ payload }: ExecutionRow, steps: readonly StoredExecutionStep[]): string {
  const opened = payload.actions.flatMap((action) => (action.type === 'open_app' ? [action.params.applicationId] : []))
  const apps = steps.filter(({ kind }) => kind !== 'close_app').map(({ app }) => app)
  const seen = apps.length > 0 ? apps : opened
  const counts = new Map<string, number>()
  for (const app of seen) if (app !== '') counts.set(app, (counts.get(app) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return (first?.[0] ?? 'unknown').slice(0, 80)
}

/** Numbers are masked, so that different items of a list give the same label. */
function formatStepLabel({ kind, target, key, direction, action_label, app }: StoredExecutionStep): string {
  if (kind === 'open_app' || kind === 'close_app') return `${kind} ${app}`
  const object = target ?? key ?? direction ?? action_label.replaceAll(/\p{N}+/gu, '#').toLowerCase()
  return `${kind} ${object}`.slice(0, 160)
}

/** True when a successful check on the device follows every action that changes something. */
function isVerified(
  actions: readonly Action[],
  results: readonly StepResult[],
  run: AbilityRunRow | undefined,
): boolean {
  if (run !== undefined) {
    const { verification } = run.outcome
    return verification.length > 0 && verification.every(({ held }) => held === true)
  }
  const checks = new Set(actions.filter(isVerifyingAction).map(({ id }) => id))
  const lastCheck = results.findLastIndex(
    ({ id, success, data }) => success && checks.has(id) && data['skipped_by'] === undefined,
  )
  return results.every(
    (result, at) => !hasActed(result) || SELF_VERIFYING_ACTIONS.has(result.actionType) || at < lastCheck,
  )
}

/** These actions read back the value they set. */
const SELF_VERIFYING_ACTIONS: ReadonlySet<string> = new Set(['set_checked', 'adjust_until', 'pick_date'])

/** An `expect` with a jump target selects a branch; it verifies nothing. */
const isVerifyingAction = (action: Action): boolean =>
  action.type === 'wait_for_node' ||
  (action.type === 'expect' && action.params.skipTo === undefined && action.params.elseSkipTo === undefined)
