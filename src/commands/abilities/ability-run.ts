import {
  type AbilityRun,
  cancelAbilityRun,
  runAbility,
} from '@apprentice/contracts/abilities/runs.ts'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import type { Capability } from '@apprentice/contracts/recipes/recipe.ts'
import type { AbilityFacts } from './ability-facts.ts'
import type { ConnectionOptions } from '../terminal/connection.ts'
import { type GivenInputs, missingIn, missingLine } from './run-inputs.ts'
import { watchRun } from './run-progress.ts'
import { outcomeWords, withValues } from './run-words.ts'
import { UsageProblem } from '../terminal/usage-problem.ts'

export interface RunOrder {
  readonly ability_id: string
  readonly inputs: GivenInputs
  readonly serial?: string | undefined
  readonly allow?: readonly Capability[] | undefined
  readonly waitMs?: number | undefined
  readonly strictCompat?: boolean | undefined
}

export interface Runner {
  readonly call: Call
  readonly options: ConnectionOptions
  readonly say: (line: string) => void
  readonly facts: AbilityFacts
  /** Takes the run back. */
  readonly signal: AbortSignal
  /** Asks somebody for inputs that are missing. */
  readonly ask?: ((missing: readonly string[]) => Promise<GivenInputs>) | undefined
}

export interface EndedRun {
  readonly run: AbilityRun
  /** What it came to, for a person. */
  readonly words: string
}

/** Starts an ability, tells its steps, and returns how it ended. */
export async function runToEnd(runner: Runner, order: RunOrder): Promise<EndedRun> {
  const { call, options, say, facts } = runner
  const { started, inputs } = await startRun(runner, order)
  const steps = withValues(facts.steps, inputs)
  const takeBack = () => takeRunBack(runner, started)
  runner.signal.addEventListener('abort', takeBack, { once: true })
  const { waitMs } = order
  try {
    const run = await watchRun({ call, options, say, steps, waitMs }, started)
    return { run, words: outcomeWords(run, steps) }
  } finally {
    runner.signal.removeEventListener('abort', takeBack)
  }
}

/** What is missing is asked for once if somebody is there, else named. */
async function startRun(
  runner: Runner,
  order: RunOrder,
): Promise<{ started: AbilityRun; inputs: GivenInputs }> {
  const { ask, facts } = runner
  try {
    return { started: await send(runner, order), inputs: order.inputs }
  } catch (error) {
    const missing = error instanceof ApiFailure ? missingIn(error) : []
    if (missing.length === 0) throw error
    if (ask === undefined) throw new UsageProblem(missingLine(missing, facts.inputs))
    const inputs = { ...order.inputs, ...(await ask(missing)) }
    return { started: await send(runner, { ...order, inputs }), inputs }
  }
}

async function send({ call }: Runner, order: RunOrder): Promise<AbilityRun> {
  const { ability_id: abilityId, inputs, serial, allow = [], strictCompat = false } = order
  const body = {
    inputs,
    allow_capabilities: [...allow],
    strict_compat: strictCompat,
    ...(serial === undefined ? {} : { serial }),
  }
  return (await call(runAbility, { params: { abilityId }, body })).run
}

/** How it then ended is told as ever. */
function takeRunBack({ call, say }: Runner, { run_id: runId }: AbilityRun): void {
  // On a terminal a line of progress is in the way.
  say(`${process.stderr.isTTY ? '\n' : ''}Taking it back.`)
  // It may be over by now, which is then seen.
  call(cancelAbilityRun, { params: { runId } }).catch(() => undefined)
}
