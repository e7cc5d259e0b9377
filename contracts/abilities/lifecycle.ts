import { z } from 'zod'
import { AbilityId, requestBody, text } from '../base/fields.ts'
import { route } from '../base/route.ts'

const tag = 'abilities'
const url = '/api/abilities/:abilityId'
const params = z.object({ abilityId: AbilityId })
const fails = [
  'ABILITY_NOT_FOUND',
  'INSTALL_LANE_DENIED',
  'BRIDGE_REBUILD_FAILED',
  'AVAILABILITY_REFRESH_FAILED',
] as const

export const activateAbility = route({
  method: 'POST',
  url: `${url}/activate`,
  tag,
  summary: 'Switch an ability on',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, enabled: z.literal(true) }),
  fails,
})

export const deactivateAbility = route({
  method: 'POST',
  url: `${url}/deactivate`,
  tag,
  summary: 'Switch an ability off; it stays installed',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, enabled: z.literal(false) }),
  fails,
})

export const quarantineAbility = route({
  method: 'POST',
  url: `${url}/quarantine`,
  tag,
  summary: 'Take an ability out of use until somebody has looked at it',
  privilege: 'write',
  params,
  body: requestBody({ reason: text(240) }),
  reply: z.object({
    ability_id: AbilityId,
    quarantined: z.literal(true),
    reason: z.string().max(240),
  }),
  fails,
})

export const unquarantineAbility = route({
  method: 'POST',
  url: `${url}/unquarantine`,
  tag,
  summary: 'Put a quarantined ability back where it was',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, quarantined: z.literal(false) }),
  fails,
})

export const promoteShared = route({
  method: 'POST',
  url: `${url}/promote-shared`,
  tag,
  summary: 'Share an ability with everybody',
  privilege: 'admin',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, install_lane: z.literal('shared_promoted') }),
  fails,
})
