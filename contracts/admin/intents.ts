import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'

export const IntentTarget = z.enum(['skill_config', 'user_preference', 'support_pack_binding', 'connector_policy'])
export type IntentTarget = z.infer<typeof IntentTarget>

export const ConfigurationIntent = requestBody({
  intent_id: Uuid,
  target: IntentTarget,
  capability_id: AbilityId.optional(),
  payload: z
    .record(z.string(), z.unknown())
    .describe('The keys to change; null removes a key. A key that the target does not have is refused'),
  requested_by: z.enum(['wrapper', 'ui', 'repair', 'promotion', 'skill_mining']),
  correlation_id: text(200),
  created_at: z.iso.datetime(),
})
export type ConfigurationIntent = z.infer<typeof ConfigurationIntent>

/** The preferences of one user. Absent: the setting of the operator applies. */
export const UserPreferences = z
  .strictObject({
    ask_when_ambiguous: z
      .boolean()
      .optional()
      .describe('Whether the drafts of agents wait for answers if the demonstration is ambiguous'),
    build_policy: z
      .enum(['ask_before_build', 'build_then_review'])
      .optional()
      .describe('The build policy of new sessions that name none'),
  })
  .meta({ id: 'UserPreferences' })
export type UserPreferences = z.infer<typeof UserPreferences>

export const SupportPackBinding = z
  .strictObject({ support_pack_refs: z.array(z.string().min(1).max(120)).max(50).optional() })
  .meta({ id: 'SupportPackBinding' })

/** From the least to the most restrictive. */
export const ConnectorMode = z.enum(['enabled', 'ask_first', 'disabled'])
export type ConnectorMode = z.infer<typeof ConnectorMode>

/** The mode of each connector, by its server id. */
export const ConnectorPolicy = z.record(
  z.string().regex(/^[A-Za-z0-9._-]{1,120}$/),
  z.strictObject({ mode: ConnectorMode }),
)

export const IntentRecord = z
  .object({
    intent_id: Uuid,
    target: IntentTarget,
    capability_id: AbilityId.optional(),
    payload: z
      .record(z.string(), z.unknown())
      .describe('Without the values of a rejected intent that look like secrets'),
    requested_by: ConfigurationIntent.shape.requested_by,
    correlation_id: z.string().max(200),
    status: z.enum(['applied', 'rejected']),
    written_ref: z.string().max(240).optional(),
    receipt_id: Uuid,
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'IntentRecord' })
export type IntentRecord = z.infer<typeof IntentRecord>

export const ConfigurationDocument = z
  .object({
    target: IntentTarget,
    capability_id: AbilityId.optional(),
    body: z.record(z.string(), z.unknown()),
    updated_at: DateTime,
  })
  .meta({ id: 'ConfigurationDocument' })
export type ConfigurationDocument = z.infer<typeof ConfigurationDocument>

const TAG = 'configuration'

export const submitIntent = route({
  method: 'POST',
  url: '/api/config/intents',
  tag: TAG,
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
  fails: [
    'INTENT_REJECTED',
    'CONFIG_INTENT_INVALID',
    'CONFIG_INTENT_DENIED',
    'CAPABILITY_NOT_FOUND',
    'INSTALL_LANE_DENIED',
  ],
})

export const listIntents = route({
  method: 'GET',
  url: '/api/config/intents',
  tag: TAG,
  summary: 'List your own configuration intents, newest first',
  privilege: 'read',
  query: PageQuery,
  reply: z.object({ intents: z.array(IntentRecord), ...pageFields, schema_version: SchemaVersion }),
})

export const getIntent = route({
  method: 'GET',
  url: '/api/config/intents/:intentId',
  tag: TAG,
  summary: 'Get one of your own configuration intents',
  privilege: 'read',
  params: z.object({ intentId: Uuid }),
  reply: z.object({ intent: IntentRecord, schema_version: SchemaVersion }),
  fails: ['NOT_FOUND'],
})

export const listConfiguration = route({
  method: 'GET',
  url: '/api/config/documents',
  tag: TAG,
  summary: 'List the configuration that intents have written: of the abilities you see, and your own preferences',
  privilege: 'read',
  query: z.object({ target: IntentTarget.optional(), capability_id: AbilityId.optional() }),
  reply: z.object({ documents: z.array(ConfigurationDocument), schema_version: SchemaVersion }),
})
