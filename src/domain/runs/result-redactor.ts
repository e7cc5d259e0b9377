import { reconcileEnvelope } from '@apprentice/contracts/devices/execution.ts'
import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { findPartByExecution, type RunPartRow } from '../../store/runs/run-parts.ts'
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
 * Results of an ability run are judged and redacted by the recipe of the ability that the execution belongs to, before
 * they are stored or published. `key` makes hashes of the same value equal on this installation only.
 */
export function findResultRedactor(reader: Reader, executionId: string, key: () => string): ResultRedactor {
  const part = findPartByExecution(reader, executionId)
  if (part === undefined) return NO_REDACTION
  const recipe = findAbilityVersion(reader, part.ability_id, part.version)?.recipe
  return recipe === undefined ? DROP_TEXTS : redactByRecipe(recipe, part, key())
}

function redactByRecipe(recipe: Recipe, { plan, outputs }: RunPartRow, key: string): ResultRedactor {
  const published = { ...recipe, outputs: [...(outputs ?? recipe.outputs)] }
  // A caller may ask for a stricter redaction than the called ability.
  const strictest = { ...recipe, outputs: [...recipe.outputs, ...published.outputs] }
  const redact = (results: readonly StepResult[]) => redactResults(strictest, judgeResults(recipe, plan, results), key)
  return {
    step: (result) => ({
      result: redact([result])[0] ?? result,
      outputs: readOutputs(published, [result], key),
    }),
    envelope: (envelope) => {
      const stepResults = redact(envelope.stepResults)
      const redacted = { ...envelope, stepResults }
      // The error of the failed step may have changed.
      return envelope.status === 'failed' ? reconcileEnvelope(redacted) : redacted
    },
  }
}

/** Fields of a result that are not read from the screen. */
const SAFE_FIELDS = ['error', 'message', 'command_sent', 'skip_to', 'skipped_by', 'already']

const dropTexts = (result: StepResult): StepResult => ({
  ...result,
  data: Object.fromEntries(Object.entries(result.data).filter(([field]) => SAFE_FIELDS.includes(field))),
})

/** For an ability that was uninstalled since: without its recipe, nothing that was read may be stored. */
const DROP_TEXTS: ResultRedactor = {
  step: (result) => ({ result: dropTexts(result), outputs: {} }),
  envelope: (envelope) => ({ ...envelope, stepResults: envelope.stepResults.map(dropTexts) }),
}
