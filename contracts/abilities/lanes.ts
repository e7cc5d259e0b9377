import { z } from 'zod'
import { AbilityId, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { OpenLane } from './ability.ts'

export const LaneSettings = z
  .object({
    install_lane: OpenLane,
    accept_unrehearsed: z
      .boolean()
      .describe('Whether a person may use an ability of this lane that was not rehearsed, by accept-risk'),
  })
  .meta({ id: 'LaneSettings' })
export type LaneSettings = z.infer<typeof LaneSettings>

export const listLanes = route({
  method: 'GET',
  url: '/api/install-lanes',
  tag: 'abilities',
  summary: 'List the install lanes with their settings',
  privilege: 'read',
  reply: z.object({ lanes: z.array(LaneSettings), schema_version: SchemaVersion }),
})

export const changeLane = route({
  method: 'PUT',
  url: '/api/install-lanes/:installLane',
  tag: 'abilities',
  summary: 'Change the settings of an install lane',
  privilege: 'admin',
  params: z.object({ installLane: OpenLane }),
  body: requestBody({ accept_unrehearsed: z.boolean() }),
  reply: LaneSettings,
})

export const acceptRisk = route({
  method: 'POST',
  url: '/api/abilities/:abilityId/accept-risk',
  tag: 'abilities',
  summary: 'Use the current content of an ability although it was not rehearsed; recorded with its reason',
  privilege: 'write',
  params: z.object({ abilityId: AbilityId }),
  body: requestBody({
    draft_hash: z.string().max(64).describe('The hash of the content that was reviewed'),
    reason: text(500),
  }),
  reply: z.object({
    ability_id: AbilityId,
    usable_now: z.boolean(),
    reason_unusable: z.string().max(240).optional(),
    receipt_id: Uuid,
  }),
  fails: ['ABILITY_NOT_FOUND', 'INSTALL_LANE_DENIED', 'DRAFT_CHANGED', 'AVAILABILITY_REFRESH_FAILED'],
})
