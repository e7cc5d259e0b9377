import { reconcileEnvelope } from '@apprentice/contracts/devices/execution.ts'
import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type AbilityRunRow, findRunOfExecution } from '../../store/runs/ability-runs.ts'
import { findAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { judgeResults } from '../../knowledge/recipes/compile/judge-results.ts'
import {
  type OutputValue,
  readOutputs,
  redactResults,
} from '../../knowledge/recipes/compile/outputs.ts'

/** What may be kept of the results of an execution. */
export interface Keeping {
  /** A result as it may be written down, and the outputs that were read by it. */
  step(result: StepResult): {
    readonly result: StepResult
    readonly outputs: Readonly<Record<string, OutputValue>>
  }
  envelope(envelope: ResultEnvelope): ResultEnvelope
}

const everything: Keeping = {
  step: (result) => ({ result, outputs: {} }),
  envelope: (envelope) => envelope,
}

/**
 * The results of a run are judged and redacted as its recipe says before anything of them is written down or
 * told. `key` makes the same value the same hash on this installation only.
 */
export function keepingFor(reader: Reader, executionId: string, key: () => string): Keeping {
  const run = findRunOfExecution(reader, executionId)
  const recipe = run && findAbilityVersion(reader, run.ability_id, run.version)?.recipe
  return run === undefined || recipe === undefined ? everything : byRecipe(recipe, run, key())
}

function byRecipe(recipe: Recipe, { plan }: AbilityRunRow, key: string): Keeping {
  const kept = (results: readonly StepResult[]) =>
    redactResults(recipe, judgeResults(recipe, plan, results), key)
  return {
    step: (result) => ({
      result: kept([result])[0] ?? result,
      outputs: readOutputs(recipe, [result], key),
    }),
    envelope: (envelope) => {
      const stepResults = kept(envelope.stepResults)
      const redacted = { ...envelope, stepResults }
      // What a failed step says may have become another reason.
      return envelope.status === 'failed' ? reconcileEnvelope(redacted) : redacted
    },
  }
}
