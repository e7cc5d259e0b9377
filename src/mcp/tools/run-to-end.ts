import { z } from 'zod'
import { AbilityId, Uuid } from '@apprentice/contracts/base/fields.ts'
import { getAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { RunFailure, RunVerification } from '@apprentice/contracts/abilities/run-parts.ts'
import type { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import {
  type AbilityRun,
  AbilityRunState,
  cancelAbilityRun,
  getAbilityRun,
  runAbility,
  streamRunEvents,
} from '@apprentice/contracts/abilities/runs.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { isFailure, type Question, type ToolContext } from '../tool/tool.ts'
import { followWork } from './follow-work.ts'

export const RunResult = z.object({
  run_id: Uuid,
  ability_id: AbilityId,
  state: AbilityRunState,
  acted: z.boolean().describe('False if the phone was already in the requested state'),
  outputs: z.record(z.string(), z.unknown()),
  verification: z.array(RunVerification).describe('What the phone showed at the end'),
  trouble: RunFailure.pick({ code: true, message: true, step_id: true, in_the_way: true, observed: true }).optional(),
})

export function summarizeRun(run: AbilityRun): z.input<typeof RunResult> {
  const { run_id, ability_id, state, acted, outputs, verification, trouble } = run
  if (trouble === undefined) return { run_id, ability_id, state, acted, outputs, verification }
  const { code, message, step_id, in_the_way, observed } = trouble
  return {
    run_id,
    ability_id,
    state,
    acted,
    outputs,
    verification,
    trouble: { code, message, step_id, in_the_way, observed },
  }
}

interface RunRequest {
  readonly ability_id: string
  readonly inputs: RunInputs
  readonly serial?: string | undefined
  readonly timeout_ms?: number | undefined
}

/** Starts a run, reports its steps, and returns its outcome. */
export async function runToEnd(request: RunRequest, context: ToolContext): Promise<z.input<typeof RunResult>> {
  const { call, report } = context
  const params = { runId: (await startAsking(request, context)).run_id }
  let done = 0
  await followWork(context, {
    stream: streamRunEvents,
    params,
    cancel: () => call(cancelAbilityRun, { params }),
    onEvent: async ({ event_kind, payload }) => {
      if (event_kind !== 'ability.run.step_finished') return
      done += 1
      const { step_id } = payload
      await report({ done, message: typeof step_id === 'string' ? step_id : '' })
    },
  })
  const { run } = await call(getAbilityRun, { params })
  return summarizeRun(run)
}

/** Starts the run. What only a person can give is asked for: a missing input, and consent to a purchase. */
async function startAsking(request: RunRequest, context: ToolContext): Promise<{ readonly run_id: string }> {
  const { ability_id, serial, timeout_ms } = request
  const start = async (inputs: RunInputs, allowed: readonly 'purchase_risk'[]) => {
    const body = { inputs, serial, timeout_ms, allow_capabilities: [...allowed] }
    const { run } = await context.call(runAbility, { params: { abilityId: ability_id }, body })
    return run
  }
  const { inputs } = request
  try {
    return await start(inputs, [])
  } catch (error) {
    if (isFailure(error, 'RECIPE_INPUT_MISSING')) {
      const given = await askForInputs(request, context)
      if (given === undefined) throw error
      return await start({ ...inputs, ...given }, [])
    }
    if (isFailure(error, 'POLICY_DENIED') && error.details['consent_suffices'] === true) {
      const answer = await context.ask(PURCHASE_QUESTION)
      if (answer?.['buy'] === true) return await start(inputs, ['purchase_risk'])
    }
    throw error
  }
}

async function askForInputs({ ability_id, inputs }: RunRequest, context: ToolContext): Promise<RunInputs | undefined> {
  const detail = await context.call(getAvailability, { params: { abilityId: ability_id } })
  const missing = detail.inputs.filter(({ name, required }) => required && inputs[name] === undefined)
  const answer = await context.ask({
    message: `${detail.title} needs more information.`,
    schema: {
      type: 'object',
      properties: Object.fromEntries(missing.map((input) => [input.name, toJsonSchema(input)])),
      required: missing.map(({ name }) => name),
    },
  })
  return answer as RunInputs | undefined
}

/** The JSON Schema of an input, as a client shows it in a form. */
export function toJsonSchema({ type, summary, choices }: RecipeInput): Record<string, unknown> {
  const kind = type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string'
  return {
    type: kind,
    ...(summary === undefined ? {} : { description: summary }),
    // A list may get more entries, so its options are a hint and not a rule.
    ...(choices === undefined || kind !== 'string' ? {} : { examples: choices }),
  }
}

const PURCHASE_QUESTION: Question = {
  message: 'This ability may buy something. Allow it for this run?',
  schema: {
    type: 'object',
    properties: { buy: { type: 'boolean', description: 'Allow the purchase' } },
    required: ['buy'],
  },
}
