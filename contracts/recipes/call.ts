import { z } from 'zod'
import { AbilityId } from '../base/fields.ts'
import { MAX_INPUT_LENGTH } from '../devices/param-rules.ts'

const Name = z.string().regex(/^[A-Za-z0-9_]{1,64}$/)

/** How deep abilities may call each other. */
export const MAX_CALL_DEPTH = 5

/** The parameters of a step of type `call_ability`. */
export const AbilityCall = z
  .strictObject({
    ability_id: AbilityId.optional(),
    slug: z.string().min(1).max(120).optional().describe('The skill slug of an ability, instead of its id'),
    inputs: z
      .record(Name, z.union([z.string().max(MAX_INPUT_LENGTH), z.number(), z.boolean()]))
      .default({})
      .describe('The inputs of the called ability; `${inputs.<name>}` passes an input of this recipe on'),
    outputs: z
      .record(Name, Name)
      .default({})
      .describe('By the name of an output of this recipe: the output of the called ability that it gets'),
  })
  .refine(({ ability_id, slug }) => (ability_id === undefined) !== (slug === undefined), {
    error: 'call_ability requires exactly one of params.ability_id and params.slug',
    path: ['ability_id'],
  })
  .meta({ id: 'AbilityCall' })
export type AbilityCall = z.output<typeof AbilityCall>
