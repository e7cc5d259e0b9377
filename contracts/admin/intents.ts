import { z } from 'zod'
import { AbilityId, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

export const IntentTarget = z.enum(['skill_config', 'user_preference', 'support_pack_binding', 'connector_policy'])
export type IntentTarget = z.infer<typeof IntentTarget>

export const ConfigurationIntent = requestBody({
  intent_id: Uuid,
  target: IntentTarget,
  capability_id: AbilityId.optional(),
  payload: z.record(z.string(), z.unknown()),
  requested_by: z.enum(['wrapper', 'ui', 'repair', 'promotion', 'skill_mining']),
  correlation_id: text(200),
  created_at: z.iso.datetime(),
})
export type ConfigurationIntent = z.infer<typeof ConfigurationIntent>

export const submitIntent = route({
  method: 'POST',
  url: '/api/config/intents',
  tag: 'configuration',
  summary: 'Request a configuration change; only the daemon writes configuration',
  privilege: 'write',
  body: ConfigurationIntent,
  reply: z.object({
    intent_id: Uuid,
    status: z.enum(['applied', 'rejected']),
    written_ref: z.string().max(240).optional(),
    receipt_id: Uuid,
    schema_version: SchemaVersion,
  }),
  status: 202,
  fails: ['INTENT_REJECTED'],
})
