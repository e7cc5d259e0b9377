import { type AbilityRun, cancelAbilityRun, runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { OnItemFailure } from '@apprentice/contracts/abilities/run-parts.ts'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import type { Capability } from '@apprentice/contracts/recipes/recipe.ts'
import type { AbilityFacts } from './ability-facts.ts'
import type { ConnectionOptions } from '../terminal/connection.ts'
import { type GivenInputs, readMissingInputs, formatMissingInputs } from './run-inputs.ts'
import type { RunItems } from './run-items.ts'
import { watchRun } from './run-progress.ts'
import { formatOutcome, fillInValues } from './run-text.ts'
import { UsageError } from '../terminal/usage-error.ts'

export interface RunRequest {
  readonly ability_id: string
  readonly inputs: GivenInputs
  readonly serial?: string | undefined
  readonly allow?: readonly Capability[] | undefined
  readonly waitMs?: number | undefined
  readonly strictCompat?: boolean | undefined
  /** The inputs of each item of a run over a list. */
  readonly items?: RunItems | undefined
  readonly onItemFailure?: OnItemFailure | undefined
  /** The time limit of the whole run. */
  readonly timeoutMs?: number | undefined
}

export interface RunContext {
  readonly call: Call
  readonly options: ConnectionOptions
  readonly say: (line: string) => void
  readonly facts: AbilityFacts
  /** Cancels the run when aborted. */
  readonly signal: AbortSignal
  /** Asks a person for missing inputs. Absent when nobody can be asked. */
  readonly ask?: ((missing: readonly string[]) => Promise<GivenInputs>) | undefined
}

export interface RunResult {
  readonly run: AbilityRun
  /** The outcome as text for a person. */
  readonly summary: string
}

/** Starts an ability, prints its steps as they finish, and returns the settled run. */
export async function runToEnd(context: RunContext, request: RunRequest): Promise<RunResult> {
  const { call, options, say, facts } = context
  const { started, inputs } = await startRun(context, request)
  const steps = fillInValues(facts.steps, inputs)
  const cancel = () => cancelRun(context, started)
  context.signal.addEventListener('abort', cancel, { once: true })
  const { waitMs } = request
  try {
    const run = await watchRun({ call, options, say, steps, waitMs }, started)
    return { run, summary: formatOutcome(run, steps) }
  } finally {
    context.signal.removeEventListener('abort', cancel)
  }
}

/** Asks once for missing inputs if a person can be asked; otherwise the error names them. */
async function startRun(
  context: RunContext,
  request: RunRequest,
): Promise<{ started: AbilityRun; inputs: GivenInputs }> {
  const { ask, facts } = context
  try {
    return { started: await send(context, request), inputs: request.inputs }
  } catch (error) {
    const missing = error instanceof ApiFailure ? readMissingInputs(error) : []
    if (missing.length === 0) throw error
    if (ask === undefined) throw new UsageError(formatMissingInputs(missing, facts.inputs))
    const inputs = { ...request.inputs, ...(await ask(missing)) }
    return { started: await send(context, { ...request, inputs }), inputs }
  }
}

async function send({ call }: RunContext, request: RunRequest): Promise<AbilityRun> {
  const { ability_id: abilityId, inputs, serial, allow = [], strictCompat = false } = request
  const { items, onItemFailure, timeoutMs } = request
  const body = {
    inputs,
    allow_capabilities: [...allow],
    strict_compat: strictCompat,
    ...(serial === undefined ? {} : { serial }),
    ...(items === undefined ? {} : { items: [...items], on_item_failure: onItemFailure }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  }
  return (await call(runAbility, { params: { abilityId }, body })).run
}

/** The outcome is then reported as for any other run. */
function cancelRun({ call, say }: RunContext, { run_id: runId }: AbilityRun): void {
  // On a terminal the cursor is at the end of the progress line.
  say(`${process.stderr.isTTY ? '\n' : ''}Cancelling the run.`)
  // Fails if the run has settled by now; the outcome then says so.
  call(cancelAbilityRun, { params: { runId } }).catch(() => undefined)
}
