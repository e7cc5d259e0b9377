import { DEFAULT_EXECUTION_MS, MAX_RUN_MS } from '@apprentice/contracts/abilities/run-parts.ts'
import { computeContentHash } from '../../knowledge/recipes/compile/compile.ts'
import type { CompiledPart } from '../../knowledge/recipes/compile/compile-run.ts'
import { type AbilityRunRow, insertAbilityRun } from '../../store/runs/ability-runs.ts'
import { insertRunItem } from '../../store/runs/run-items.ts'
import { insertRunPart } from '../../store/runs/run-parts.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { withTerms } from '../policies/applied-policy.ts'
import { assertUnchanged, type CompiledRun, type RunRequest, toTerms } from './compile-items.ts'
import { formatRunSubject, queuePart } from './queue-part.ts'
import { EMPTY_OUTCOME } from './run-outcome.ts'

/** Starts a compiled run: queues its first execution and stores the others. */
export function startRun(caller: CommandContext, compiled: CompiledRun, request: RunRequest): AbilityRunRow {
  assertUnchanged(caller.tx, compiled, caller.actor.user_id)
  const ctx = withTerms(caller, toTerms(caller.tx, listAbilityIds(compiled), request))
  const { installed, compat } = compiled
  const { ability_id } = installed
  const run_id = ctx.newId()
  const items = numberParts(run_id, compiled.items)
  const parts = items.flat()
  const [first] = parts
  if (first === undefined) throw new Error(`The recipe of ${ability_id} has no part.`)
  const timeout_ms = request.timeout_ms ?? Math.min(MAX_RUN_MS, DEFAULT_EXECUTION_MS * parts.length)
  const deadline_at = new Date(Date.parse(ctx.now) + timeout_ms).toISOString()
  const queueing = { run_id, deadline_at, serial: request.serial, priority: 0 }
  const queued = queuePart(ctx, { execution: first.execution, position: 0 }, queueing)
  const row: AbilityRunRow = {
    run_id,
    execution_id: queued.execution_id,
    owner_user_id: ctx.actor.user_id,
    ability_id,
    version: installed.version,
    state: 'queued',
    dispatch_id: request.dispatch_id,
    project_id: request.project_id,
    serial: queued.serial,
    input_names: [...new Set([request.inputs, ...(request.items ?? [])].flatMap(Object.keys))].toSorted(),
    outcome: { ...EMPTY_OUTCOME, ...(compat === undefined ? {} : { compat }) },
    created_at: ctx.now,
    timeout_ms,
    deadline_at,
    content_hash: parts.find(({ call }) => call === '')?.content_hash ?? computeContentHash(installed.recipe),
    ...(request.items && { items_total: items.length, on_item_failure: request.on_item_failure }),
  }
  insertAbilityRun(ctx.tx, row)
  insertParts(ctx, row, items)
  const facts = { run_id, ability_id, version: installed.version }
  const actions = parts.reduce((total, { execution }) => total + execution.actions.length, 0)
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.started', { ...facts, actions, items: row.items_total })
  recordEvent(ctx, `execution/${queued.execution_id}`, 'ability.run.started', facts)
  return row
}

const listAbilityIds = ({ installed, items }: CompiledRun): string[] => [
  ...new Set([installed.ability_id, ...items.flat().map(({ ability_id }) => ability_id)]),
]

/** Gives each part its position in the run and each execution its own id. */
function numberParts(runId: string, items: CompiledRun['items']): CompiledPart[][] {
  let first = 0
  return items.map((parts) => {
    const offset = first
    first += parts.length
    return parts.map((part, index) => ({
      ...part,
      execution: { ...part.execution, commandId: formatCommandId(runId, offset + index) },
      ...(part.done_at !== undefined && { done_at: offset + part.done_at }),
    }))
  })
}

const formatCommandId = (runId: string, position: number): string =>
  position === 0 ? `run-${runId}` : `run-${runId}.${position}`

/** Payloads are kept until their turn. The first part is queued already. */
function insertParts(
  ctx: CommandContext,
  { run_id, execution_id, items_total }: AbilityRunRow,
  items: CompiledPart[][],
) {
  let position = 0
  for (const [item, parts] of items.entries()) {
    if (items_total !== undefined) insertRunItem(ctx.tx, { run_id, item, state: 'not_started', outcome: EMPTY_OUTCOME })
    for (const { execution, ...part } of parts) {
      const queued = position === 0 ? { execution_id } : { payload: execution }
      insertRunPart(ctx.tx, { run_id, position, item, ...part, ...queued })
      position += 1
    }
  }
}
