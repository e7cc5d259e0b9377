import { hash } from 'node:crypto'
import {
  findExecutionPolicy,
  insertExecutionPolicy,
  listPolicyChecks,
} from '../../store/devices/execution-policies.ts'
import { findExecution, updateExecution } from '../../store/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import { updateRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { findOpenRun } from './finish-run.ts'
import { findBreach } from './policy-audit.ts'
import { type Rehearsal, withoutValues } from './rehearsal.ts'

/** Puts a rehearsal into its phone's lane, bound to its policy. Undefined once the run is over. */
export function beginRehearsal(
  given: CommandContext,
  runId: string,
  { execution, policy }: Rehearsal,
): string | undefined {
  const open = findOpenRun(given, runId)
  if (open === undefined) return undefined
  const { act: ctx, run } = open
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

/** Whether something was done in a rehearsal that its policy did not allow, as far as its own notes tell. */
export function breachIn(reader: Reader, executionId: string): string | undefined {
  const row = findExecution(reader, executionId)
  const policy = findExecutionPolicy(reader, executionId)
  if (row === undefined || policy === undefined) return undefined
  return findBreach({
    policy,
    results: row.step_results,
    checks: listPolicyChecks(reader, executionId),
  })
}

/** A rehearsal is done with what somebody demonstrated; its record does not keep that. */
export function forgetRehearsed(
  ctx: CommandContext,
  executionId: string,
  { texts }: Pick<Rehearsal, 'texts'>,
): void {
  const row = findExecution(ctx.tx, executionId)
  if (row !== undefined && texts.size > 0) updateExecution(ctx.tx, named(row, texts))
}

function named<T>(record: T, texts: Rehearsal['texts']): T {
  if (typeof record === 'string') return withoutValues(record, texts) as T
  if (Array.isArray(record)) return record.map((entry: unknown) => named(entry, texts)) as T
  if (typeof record !== 'object' || record === null) return record
  const entries = Object.entries(record).map(([key, value]) => [key, named(value, texts)])
  return Object.fromEntries(entries) as T
}
