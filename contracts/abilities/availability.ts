import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion } from '../base/fields.ts'
import { RecipeInput } from '../recipes/recipe.ts'
import { route } from '../base/route.ts'
import { AbilityAvailabilityEntry, SkillCatalogEntry } from './ability.ts'

const tag = 'abilities'

/** What a list of abilities tells of each. */
export const AbilitySummary = AbilityAvailabilityEntry.pick({
  ability_id: true,
  title: true,
  family: true,
  install_lane: true,
  enabled: true,
  usable_now: true,
  reason_unusable: true,
  checkpoint_health: true,
  source: true,
}).meta({ id: 'AbilitySummary' })

/** One ability with what whoever wants to run it has to say. */
export const AbilityDetail = AbilityAvailabilityEntry.extend({
  current_version: z.int().min(1),
  inputs: z.array(RecipeInput),
}).meta({ id: 'AbilityDetail' })
export type AbilityDetail = z.infer<typeof AbilityDetail>

export const listAvailability = route({
  method: 'GET',
  url: '/api/abilities/availability',
  tag,
  summary: 'The abilities the caller may know of, and whether they can be used now',
  privilege: 'read',
  reply: z.object({
    abilities: z.array(AbilitySummary),
    snapshot_as_of: DateTime,
    /** Something changed since, and it is being worked out anew. */
    stale: z.boolean(),
    latest_trigger_at: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const getAvailability = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/availability',
  tag,
  summary: 'All there is to know of one ability',
  privilege: 'read',
  params: z.object({ abilityId: AbilityId }),
  reply: AbilityDetail,
  fails: ['ABILITY_NOT_FOUND'],
})

export const getCatalog = route({
  method: 'GET',
  url: '/api/abilities/catalog',
  tag,
  summary: "The abilities the caller may know of, with the caller's categories",
  privilege: 'read',
  reply: z.object({
    items: z.array(SkillCatalogEntry),
    refreshed_at: DateTime,
    schema_version: SchemaVersion,
  }),
})
