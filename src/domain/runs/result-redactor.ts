import { reconcileEnvelope } from '@apprentice/contracts/devices/execution.ts'
import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type AbilityRunRow, findRunByExecution } from '../../store/runs/ability-runs.ts'
import { findAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { judgeResults } from '../../knowledge/recipes/compile/judge-results.ts'
import { type OutputValue, readOutputs, redactResults } from '../../knowledge/recipes/compile/outputs.ts'

/** Redacts the results of an execution before they are stored. */
export interface ResultRedactor {
  /** The redacted result and the outputs that the step read. */
  step(result: StepResult): {
    readonly result: StepResult
    readonly outputs: Readonly<Record<string, OutputValue>>
  }
  envelope(envelope: ResultEnvelope): ResultEnvelope
}

const NO_REDACTION: ResultRedactor = {
  step: (result) => ({ result, outputs: {} }),
  envelope: (envelope) => envelope,
}

/**
 * Results of an ability run are judged and redacted by its recipe before they are stored or published. `key` makes
 * hashes of the same value equal on this installation only.
 */
export function findResultRedactor(reader: Reader, executionId: string, key: () => string): ResultRedactor {
  const run = findRunByExecution(reader, executionId)
  const recipe = run && findAbilityVersion(reader, run.ability_id, run.version)?.recipe
  return run === undefined || recipe === undefined ? NO_REDACTION : redactByRecipe(recipe, run, key())
}

function redactByRecipe(recipe: Recipe, { plan }: AbilityRunRow, key: string): ResultRedactor {
  const redact = (results: readonly StepResult[]) => redactResults(recipe, judgeResults(recipe, plan, results), key)
  return {
    step: (result) => ({
      result: redact([result])[0] ?? result,
      outputs: readOutputs(recipe, [result], key),
    }),
    envelope: (envelope) => {
      const stepResults = redact(envelope.stepResults)
      const redacted = { ...envelope, stepResults }
      // The error of the failed step may have changed.
      return envelope.status === 'failed' ? reconcileEnvelope(redacted) : redacted
    },
  }
}
