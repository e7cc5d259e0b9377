import { z } from 'zod'
import { AbilityId, requestBody, text } from '../base/fields.ts'
import { route } from '../base/route.ts'

const TAG = 'abilities'
const BASE_URL = '/api/abilities/:abilityId'
const params = z.object({ abilityId: AbilityId })
const LIFECYCLE_FAILURES = [
  'ABILITY_NOT_FOUND',
  'INSTALL_LANE_DENIED',
  'BRIDGE_REBUILD_FAILED',
  'AVAILABILITY_REFRESH_FAILED',
] as const

export const activateAbility = route({
  method: 'POST',
  url: `${BASE_URL}/activate`,
  tag: TAG,
  summary: 'Enable an ability',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, enabled: z.literal(true) }),
  fails: LIFECYCLE_FAILURES,
})

export const deactivateAbility = route({
  method: 'POST',
  url: `${BASE_URL}/deactivate`,
  tag: TAG,
  summary: 'Disable an ability; it stays installed',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, enabled: z.literal(false) }),
  fails: LIFECYCLE_FAILURES,
})

export const quarantineAbility = route({
  method: 'POST',
  url: `${BASE_URL}/quarantine`,
  tag: TAG,
  summary: 'Quarantine an ability until it has been reviewed',
  privilege: 'write',
  params,
  body: requestBody({ reason: text(240) }),
  reply: z.object({
    ability_id: AbilityId,
    quarantined: z.literal(true),
    reason: z.string().max(240),
  }),
  fails: LIFECYCLE_FAILURES,
})

export const unquarantineAbility = route({
  method: 'POST',
  url: `${BASE_URL}/unquarantine`,
  tag: TAG,
  summary: 'Return a quarantined ability to its previous lane',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, quarantined: z.literal(false) }),
  fails: LIFECYCLE_FAILURES,
})

export const promoteShared = route({
  method: 'POST',
  url: `${BASE_URL}/promote-shared`,
  tag: TAG,
  summary: 'Share an ability with all users',
  privilege: 'admin',
  params,
  body: requestBody({}),
  reply: z.object({ ability_id: AbilityId, install_lane: z.literal('shared_promoted') }),
  fails: LIFECYCLE_FAILURES,
})
