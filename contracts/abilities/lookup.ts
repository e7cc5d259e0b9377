import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { RecipeInput } from '../recipes/recipe.ts'
import { AbilityAvailabilityEntry, OpenLane } from './ability.ts'

const TAG = 'abilities'
const UserQuery = z.string().max(500)
const ProjectId = z.string().max(120)

export const AbilityMatch = AbilityAvailabilityEntry.pick({
  ability_id: true,
  title: true,
  install_lane: true,
  usable_now: true,
  reason_unusable: true,
  proven: true,
  reason_unproven: true,
  kind: true,
})
  .extend({
    score: z.number().min(0).max(1),
    skill_id: z
      .string()
      .max(200)
      .optional()
      .describe('A skill of the registry: it is run as a skill, and it is no ability'),
    inputs: z.array(RecipeInput).optional().describe('With include_inputs: what a run requires'),
  })
  .meta({ id: 'AbilityMatch' })
export type AbilityMatch = z.infer<typeof AbilityMatch>

export const lookupAbilities = route({
  method: 'POST',
  url: '/api/abilities/lookup',
  tag: TAG,
  summary: 'Find the ten abilities that match a query best, or the next ten; none for a blank query',
  privilege: 'read',
  body: requestBody({
    user_query: UserQuery,
    project_id: ProjectId.optional(),
    room_id: z.string().max(160).optional(),
    install_lanes_allowed: z.array(OpenLane).max(20).default(['approved_workspace', 'shared_promoted']),
    include_private_owned_by_user: z.boolean().default(true),
    /** Omits abilities that match neither by a trigger phrase nor by their title. */
    require_text_match: z.boolean().default(false),
    include_inputs: z.boolean().default(false).describe('Return the inputs of each ability that can be run'),
    offset: z.int().min(0).max(90).default(0).describe('Skip this many of the best matches'),
    include_skills: z.boolean().default(true).describe('Also find skills of the registry; they have a skill_id'),
  }).required({ schema_version: true }),
  reply: z.object({
    matches: z.array(AbilityMatch).max(10),
    created_at: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const explainMatch = route({
  method: 'POST',
  url: '/api/abilities/explain-match',
  tag: TAG,
  summary: 'Explain why an ability matches a query or not',
  privilege: 'read',
  body: requestBody({
    user_query: UserQuery,
    ability_id: AbilityId,
    project_id: ProjectId.optional(),
  }),
  reply: z.object({
    ability_id: AbilityId,
    matched: z.boolean(),
    score: z.number().min(0).max(1),
    match_reasons: z.array(z.string().max(240)),
    rejection_reasons: z.array(z.string().max(240)),
  }),
  fails: ['ABILITY_NOT_FOUND'],
})
