import { z } from 'zod'
import { type AbilityDetail, getAvailability, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import type { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { ACTS_ON_PHONE, type Tool } from './tool/tool.ts'
import { runToEnd, RunResult, toJsonSchema } from './tools/run-to-end.ts'

/** More tools than this would fill the context of an agent. */
export const MAX_ABILITY_TOOLS = 64
export const ABILITY_PREFIX = 'ability_'

export interface AbilityTool extends Omit<Tool, 'input'> {
  readonly input_schema: Readonly<Record<string, unknown>>
}

/**
 * One tool for each ability that can be run now, the first by id if there are too many. `canAsk` says whether a missing
 * value can be asked of the person behind the client.
 */
export async function listAbilityTools(call: Call, canAsk: boolean): Promise<readonly AbilityTool[]> {
  const { abilities } = await call(listAvailability)
  const usable = abilities
    .filter(({ enabled, usable_now, kind }) => enabled && usable_now && kind === 'runnable')
    .map(({ ability_id }) => ability_id)
    .toSorted()
    .slice(0, MAX_ABILITY_TOOLS)
  const details = await Promise.all(usable.map((abilityId) => call(getAvailability, { params: { abilityId } })))
  const names = new Set<string>()
  return details.map((detail) => toTool(detail, { name: chooseName(detail, names), canAsk }))
}

const TAUGHT = 'Taught on a phone; the outcome is read from the phone.'
const SCENE = 'Collects a report in a browser.'

function toTool(detail: AbilityDetail, { name, canAsk }: { name: string; canAsk: boolean }): AbilityTool {
  const { ability_id, title, inputs, trigger_phrases, proven, scene_id } = detail
  const properties = Object.fromEntries(inputs.map((input) => [input.name, toJsonSchema(input, detail)]))
  const unproven = proven === false ? ' Nothing on the screen shows the outcome.' : ''
  const examples = trigger_phrases.length === 0 ? '' : ` For: ${trigger_phrases.slice(0, 3).join('; ')}.`
  return {
    name,
    title,
    description: `${title}. ${scene_id === undefined ? TAUGHT : SCENE}${examples}${unproven}`,
    input_schema: {
      type: 'object',
      properties,
      required: canAsk ? [] : inputs.filter(({ required }) => required).map((input) => input.name),
      additionalProperties: false,
    },
    output: RunResult,
    annotations: ACTS_ON_PHONE,
    run: async (args, context) => ({
      structured: await runToEnd({ ability_id, inputs: z.looseObject({}).parse(args) as RunInputs }, context),
    }),
  }
}

/** A name of letters, digits and underscores that no other tool has. */
function chooseName({ ability_id, skill_slug }: AbilityDetail, names: Set<string>): string {
  const slug = (skill_slug ?? ability_id).replaceAll(/[^A-Za-z0-9]+/g, '_').slice(0, 48)
  let name = `${ABILITY_PREFIX}${slug}`
  for (let count = 2; names.has(name); count += 1) name = `${ABILITY_PREFIX}${slug}_${count}`
  names.add(name)
  return name
}
