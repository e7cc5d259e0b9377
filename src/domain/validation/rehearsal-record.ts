import { hash } from 'node:crypto'
import { findExecutionPolicy, insertExecutionPolicy, listPolicyChecks } from '../../store/devices/execution-policies.ts'
import { findExecution, updateExecution } from '../../store/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import { updateRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { findOpenRun } from './finish-run.ts'
import { findBreach } from './policy-audit.ts'
import { type Rehearsal, maskValues } from './rehearsal.ts'

/** Queues a rehearsal on its device under its policy. Returns undefined if the run has ended. */
export function queueRehearsal(
  caller: CommandContext,
  runId: string,
  { execution, policy }: Rehearsal,
): string | undefined {
  const open = findOpenRun(caller, runId)
  if (open === undefined) return undefined
  const { ctx, run } = open
  const { execution_id } = queueExecution(ctx, {
    execution,
    payload_sha256: hash('sha256', JSON.stringify(execution), 'hex'),
    serial: run.serial,
    priority: 0,
  })
  insertExecutionPolicy(ctx.tx, execution_id, policy)
  const result_refs = [...run.result_refs, `execution:${execution_id}`]
  updateRun(ctx.tx, { ...run, execution_id, result_refs })
  return execution_id
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
