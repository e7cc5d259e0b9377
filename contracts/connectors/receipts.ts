import { z } from 'zod'
import { DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { AuthProfileId, ServerId } from './values.ts'

export const ConnectorReceiptKind = z.enum([
  'auth_start',
  'auth_callback',
  'auth_refresh',
  'auth_revoke',
  'smoke_test',
  'policy_update',
  'ask_first_decision',
  'migration_backfill',
  'server_create',
  'server_patch',
  'server_delete',
  'auth_profile_delete',
  'ask_first',
  'auth_profile_create',
  'auth_profile_patch',
  'auth_challenge',
])
export type ConnectorReceiptKind = z.infer<typeof ConnectorReceiptKind>

export const ConnectorReceipt = z
  .object({
    receipt_id: Uuid,
    server_id: ServerId.optional(),
    receipt_kind: ConnectorReceiptKind,
    status: z.enum(['ok', 'degraded', 'blocked', 'failed']),
    created_at: DateTime,
    summary: z.string().max(500),
    correlation_id: z.string().max(200).optional(),
    auth_profile_id: AuthProfileId.optional(),
    identity_asserted_kind: z.enum(['local_user', 'oauth_user', 'service_principal', 'unknown']).optional(),
    identity_asserted_ref: z.string().max(240).optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ConnectorReceipt' })
export type ConnectorReceipt = z.infer<typeof ConnectorReceipt>

export const listConnectorReceipts = route({
  method: 'GET',
  url: '/api/mcp/receipts',
  tag: 'connectors',
  summary: 'List the receipts of connectors, newest first: those of servers, and those of your own calls',
  privilege: 'read',
  query: z.object({
    cursor: z.coerce.number().int().min(1).optional().describe('`next_cursor` of the page before'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    server_id: ServerId.optional(),
    receipt_kind: ConnectorReceiptKind.optional(),
    correlation_id: Uuid.optional(),
  }),
  reply: z.object({
    receipts: z.array(ConnectorReceipt),
    next_cursor: z.string().max(240).optional(),
    schema_version: SchemaVersion,
  }),
})
