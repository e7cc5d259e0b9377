import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion } from '../base/fields.ts'
import { SceneId } from '../scenes/manifest.ts'
import { RecipeInput } from '../recipes/recipe.ts'
import { route } from '../base/route.ts'
import { AbilityAvailabilityEntry, SkillCatalogEntry } from './ability.ts'

const TAG = 'abilities'

/** An ability in a list. */
export const AbilitySummary = AbilityAvailabilityEntry.pick({
  ability_id: true,
  title: true,
  family: true,
  install_lane: true,
  enabled: true,
  usable_now: true,
  reason_unusable: true,
  proven: true,
  reason_unproven: true,
  checkpoint_health: true,
  source: true,
  kind: true,
}).meta({ id: 'AbilitySummary' })

/** One ability with the inputs that a run requires. */
export const AbilityDetail = AbilityAvailabilityEntry.extend({
  current_version: z.int().min(1),
  inputs: z.array(RecipeInput),
  scene_id: SceneId.optional().describe('A scene: it runs in a browser and needs no device'),
}).meta({ id: 'AbilityDetail' })
export type AbilityDetail = z.infer<typeof AbilityDetail>

export const listAvailability = route({
  method: 'GET',
  url: '/api/abilities/availability',
  tag: TAG,
  summary: 'List the abilities visible to the caller with their availability',
  privilege: 'read',
  reply: z.object({
    abilities: z.array(AbilitySummary),
    snapshot_as_of: DateTime,
    /** A change is not included yet; a refresh is running. */
    stale: z.boolean(),
    latest_trigger_at: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const getAvailability = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/availability',
  tag: TAG,
  summary: 'Get one ability with its inputs',
  privilege: 'read',
  params: z.object({ abilityId: AbilityId }),
  reply: AbilityDetail,
  fails: ['ABILITY_NOT_FOUND'],
})

export const getSkillText = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/skill',
  tag: TAG,
  summary: 'Get SKILL.md of the current version',
  privilege: 'read',
  params: z.object({ abilityId: AbilityId }),
  reply: z.string(),
  media: 'text/markdown; charset=utf-8',
  fails: ['ABILITY_NOT_FOUND', 'ABILITY_NOT_PORTABLE'],
})

export const getCatalog = route({
  method: 'GET',
  url: '/api/abilities/catalog',
  tag: TAG,
  summary: "List the abilities visible to the caller with the caller's categories",
  privilege: 'read',
  reply: z.object({
    items: z.array(SkillCatalogEntry),
    refreshed_at: DateTime,
    schema_version: SchemaVersion,
  }),
})
