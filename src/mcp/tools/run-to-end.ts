import { z } from 'zod'
import { AbilityId, Uuid } from '@apprentice/contracts/base/fields.ts'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { type AbilityDetail, getAvailability } from '@apprentice/contracts/abilities/availability.ts'
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
import type { Question, ToolContext } from '../tool/tool.ts'
import { followWork } from './follow-work.ts'
import { cutLists, type ListPlace, MoreEntries } from './run-outputs.ts'

export const RunResult = z.object({
  run_id: Uuid,
  ability_id: AbilityId,
  state: AbilityRunState,
  acted: z.boolean().describe('False if the phone was already in the requested state'),
  outputs: z.record(z.string(), z.unknown()).describe('Long lists are cut'),
  more: z.array(MoreEntries).optional().describe('The lists that were cut'),
  verification: z.array(RunVerification).describe('What the phone showed at the end'),
  trouble: RunFailure.pick({ code: true, message: true, step_id: true, in_the_way: true, observed: true }).optional(),
})

export function summarizeRun(run: AbilityRun, place: ListPlace = {}): z.input<typeof RunResult> {
  const { run_id, ability_id, state, acted, verification, trouble } = run
  const summary = { run_id, ability_id, state, acted, ...cutLists(run.outputs, place), verification }
  if (trouble === undefined) return summary
  const { code, message, step_id, in_the_way, observed } = trouble
  return { ...summary, trouble: { code, message, step_id, in_the_way, observed } }
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

/** What a run is started with. */
interface Given {
  readonly inputs: RunInputs
  readonly allowed: readonly 'purchase_risk'[]
}

/** Starts the run. What only a person can give is asked for once: missing or unclear inputs, and consent to a purchase. */
async function startAsking(request: RunRequest, context: ToolContext): Promise<{ readonly run_id: string }> {
  const { ability_id, serial, timeout_ms } = request
  const asked = new Set<string>()
  for (let given: Given = { inputs: request.inputs, allowed: [] }; ;) {
    const { inputs, allowed } = given
    try {
      const body = { inputs, serial, timeout_ms, allow_capabilities: [...allowed] }
      return (await context.call(runAbility, { params: { abilityId: ability_id }, body })).run
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      const question = `${error.code} ${error.code === UNCLEAR ? findInput(error) : ''}`
      if (asked.has(question)) throw error
      asked.add(question)
      const more = await askPerson(error, { ...request, inputs }, context)
      if (more === undefined) throw error
      given = { ...given, ...more }
    }
  }
}

/** What the person adds after a refusal. Undefined if nobody can be asked, or the person did not agree. */
async function askPerson(
  refusal: ApiFailure,
  request: RunRequest,
  context: ToolContext,
): Promise<Partial<Given> | undefined> {
  if (refusal.code === 'RECIPE_INPUT_MISSING' || refusal.code === UNCLEAR) {
    const answer = await askForInputs(refusal, request, context)
    return answer === undefined ? undefined : { inputs: { ...request.inputs, ...answer } }
  }
  if (refusal.code !== 'POLICY_DENIED' || refusal.details['consent_suffices'] !== true) return undefined
  const answer = await context.ask(PURCHASE_QUESTION)
  return answer?.['buy'] === true ? { allowed: ['purchase_risk'] } : undefined
}

/** The text for a parameter of a scene names nothing, or several things. */
const UNCLEAR = 'SCENE_NOT_PLANNED'

const findInput = ({ details }: ApiFailure): string => (typeof details['input'] === 'string' ? details['input'] : '')

async function askForInputs(
  refusal: ApiFailure,
  { ability_id, inputs }: RunRequest,
  context: ToolContext,
): Promise<RunInputs | undefined> {
  const detail = await context.call(getAvailability, { params: { abilityId: ability_id } })
  const unclear = refusal.code === UNCLEAR ? findInput(refusal) : undefined
  const missing = detail.inputs.filter(({ name, required }) =>
    unclear === undefined ? required && inputs[name] === undefined : name === unclear,
  )
  if (missing.length === 0) return undefined
  const answer = await context.ask({
    // A scene has words of its own for what it lacks.
    message: detail.scene_id === undefined ? `${detail.title} needs more information.` : refusal.message,
    schema: {
      type: 'object',
      properties: Object.fromEntries(missing.map((input) => [input.name, toJsonSchema(input, detail)])),
      required: missing.map(({ name }) => name),
    },
  })
  return answer as RunInputs | undefined
}

const INTEGER_RANGE = /^integer\[(-?\d+),(-?\d+)\]$/

/** The JSON Schema of an input, as agents read it and clients show it in a form. */
export function toJsonSchema(
  { type, summary, choices, default: given }: RecipeInput,
  { scene_id }: Pick<AbilityDetail, 'scene_id'>,
): Record<string, unknown> {
  const [, min, max] = INTEGER_RANGE.exec(type) ?? []
  return {
    type: min === undefined ? type : 'integer',
    ...(summary === undefined ? {} : { description: summary }),
    ...(min === undefined ? {} : { minimum: Number(min), maximum: Number(max) }),
    // A scene understands more words than it lists, and its summary names some of them.
    ...(choices === undefined || scene_id !== undefined ? {} : { enum: choices }),
    ...(given === undefined ? {} : { default: given }),
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
