import { hash } from 'node:crypto'
import { DEFAULT_EXECUTION_MS, MAX_RUN_MS } from '@apprentice/contracts/abilities/run-parts.ts'
import { Failure } from '../../failure/failure.ts'
import { continuePolicyState, type PolicyState } from '../../knowledge/action-policy/policy-gate.ts'
import { isAlreadyDone } from '../../knowledge/recipes/parts/lower-parts.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findLease } from '../../store/devices/devices.ts'
import { findExecutionPolicy, insertExecutionPolicy, listPolicyChecks } from '../../store/devices/execution-policies.ts'
import { type ExecutionRow, findExecution, updateExecution } from '../../store/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import { findRun, type StoredRun, updateRun } from '../../store/validation/validation-runs.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { CONTINUATION_PRIORITY, queueExecution } from '../devices/executions.ts'
import { PERSONAL_CONSENT, withTerms } from '../policies/applied-policy.ts'
import { holdDevice, releaseHold } from '../devices/leases.ts'
import { beginCleanup } from '../proposals/rehearsal-cleanups.ts'
import { listRunExecutions } from '../proposals/validation-run-record.ts'
import { findOpenRun } from './finish-run.ts'
import { needsCleanup } from './cleanup.ts'
import { findBreach } from './policy-audit.ts'
import { type Rehearsal, type RehearsalPart, maskValues } from './rehearsal.ts'

/**
 * Queues an execution of a rehearsal on its device under its policy. Several executions have one policy state and one
 * lease of the device. Returns undefined if the run has ended.
 */
export function queueRehearsal(
  caller: CommandContext,
  runId: string,
  { rehearsal, position }: { readonly rehearsal: Rehearsal; readonly position: number },
): string | undefined {
  const open = findOpenRun(caller, runId)
  const part = rehearsal.parts[position]
  if (open === undefined || part === undefined) return undefined
  const { ctx, run, proposal } = open
  assertCallable(ctx, part)
  const { execution } = part
  const isFirst = run.execution_id === undefined || position === 0
  const start = isFirst ? undefined : readPolicyState(ctx.tx, run.execution_id)
  // The test policy, which a person set, decides on purchases.
  const { execution_id, serial } = queueExecution(withTerms(ctx, PERSONAL_CONSENT), {
    execution,
    payload_sha256: hash('sha256', JSON.stringify(execution), 'hex'),
    serial: run.serial,
    priority: isFirst && rehearsal.kind !== 'cleanup' ? 0 : CONTINUATION_PRIORITY,
  })
  insertExecutionPolicy(ctx.tx, execution_id, { ...rehearsal.policy, ...(start !== undefined && { start }) })
  const isRehearsal = isFirst && rehearsal.kind === 'rehearsal'
  const cleanup = isRehearsal && needsCleanup(rehearsal, run) ? beginCleanup(ctx, proposal, run) : undefined
  const result_refs = [
    ...run.result_refs,
    `execution:${execution_id}`,
    ...(cleanup === undefined ? [] : [`cleanup:${cleanup.cleanup_id}`]),
  ]
  updateRun(ctx.tx, { ...run, execution_id, result_refs })
  if (isRehearsal && rehearsal.parts.length > 1) {
    const budgetMs = Math.min(MAX_RUN_MS, DEFAULT_EXECUTION_MS * rehearsal.parts.length)
    const until = new Date(Date.parse(ctx.now) + budgetMs).toISOString()
    holdDevice(ctx, serial, { purpose: formatPurpose(runId), until })
  }
  return execution_id
}

const formatPurpose = (runId: string): string => `rehearsal ${runId}`

/** A called ability may be removed or disabled during a rehearsal. */
function assertCallable({ tx }: CommandContext, { call, ability_id }: RehearsalPart): void {
  if (call === '' || findAbility(tx, ability_id)?.usable_now === true) return
  throw new Failure('ABILITY_UNUSABLE', `The called ability ${ability_id} can no longer be used.`, {
    details: { called_ability_id: ability_id },
  })
}

/** The state of the policy at the end of an execution. */
function readPolicyState(reader: Reader, executionId = ''): PolicyState | undefined {
  const policy = findExecutionPolicy(reader, executionId)
  const row = findExecution(reader, executionId)
  if (policy === undefined || row === undefined) return undefined
  const actions = new Map(row.payload.actions.map((action) => [action.id, action]))
  const admitted = listPolicyChecks(reader, executionId)
    .filter((check) => check.admitted)
    .flatMap(({ action_id, target }) => {
      const action = actions.get(action_id)
      return action === undefined ? [] : [{ action, target }]
    })
  return continuePolicyState(policy, admitted, policy.start)
}

/** The part that follows an execution. Undefined if the rehearsal ends with it. */
export function findNextPart(
  { parts }: Rehearsal,
  position: number,
  execution: ExecutionRow | undefined,
): number | undefined {
  if (execution?.state !== 'succeeded') return undefined
  const results = execution.envelope?.stepResults ?? execution.step_results
  const shortcut = parts[position]?.done_at
  const next = shortcut !== undefined && results.some(isAlreadyDone) ? shortcut : position + 1
  return next < parts.length ? next : undefined
}

/** Ends the lease that a rehearsal with several executions took, and masks the values in its executions. */
export function closeRehearsal(ctx: CommandContext, runId: string, rehearsal: Pick<Rehearsal, 'texts'>): void {
  const run = findRun(ctx.tx, runId)
  if (run === undefined) return
  releaseRehearsal(ctx, run)
  for (const id of listRunExecutions(run)) maskRehearsal(ctx, id, rehearsal)
}

export function releaseRehearsal(caller: CommandContext, run: StoredRun): void {
  const { serial, validation_run_id } = run
  const held = serial === undefined ? undefined : findLease(caller.tx, serial, caller.now)
  if (serial === undefined || held?.purpose !== formatPurpose(validation_run_id)) return
  releaseHold(asSystem(caller, run.owner_user_id), serial, held.lease_id)
}

/** Describes how the recorded results violate the policy. Undefined if they do not. */
export function findRehearsalBreach(reader: Reader, executionId: string): string | undefined {
  const row = findExecution(reader, executionId)
  const policy = findExecutionPolicy(reader, executionId)
  if (row === undefined || policy === undefined) return undefined
  return findBreach({
    policy,
    results: row.step_results,
    checks: listPolicyChecks(reader, executionId),
  })
}

/** Replaces the demonstrated values in the stored execution of a rehearsal. */
export function maskRehearsal(ctx: CommandContext, executionId: string, { texts }: Pick<Rehearsal, 'texts'>): void {
  const row = findExecution(ctx.tx, executionId)
  if (row !== undefined && texts.size > 0) updateExecution(ctx.tx, maskRecord(row, texts))
}

function maskRecord<T>(record: T, texts: Rehearsal['texts']): T {
  if (typeof record === 'string') return maskValues(record, texts) as T
  if (Array.isArray(record)) return record.map((entry: unknown) => maskRecord(entry, texts)) as T
  if (typeof record !== 'object' || record === null) return record
  const entries = Object.entries(record).map(([key, value]) => [key, maskRecord(value, texts)])
  return Object.fromEntries(entries) as T
}
