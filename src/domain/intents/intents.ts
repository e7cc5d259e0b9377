import { isDeepStrictEqual } from 'node:util'
import type { ConfigurationIntent } from '@apprentice/contracts/admin/intents.ts'
import { Failure } from '../../failure/failure.ts'
import {
  appendIntent,
  findConfigDocument,
  findIntent,
  type StoredIntent,
  upsertConfigDocument,
} from '../../store/config/config-documents.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { secretPaths, withoutSecrets } from '../../knowledge/redaction/secret-keys.ts'

/** Of one intent as it is logged, and of one document. */
const limitBytes = 64 * 1024

/**
 * Decides an intent once: the same intent again gets the first answer. A refusal is returned and not thrown,
 * because its receipt stays.
 */
export function submitIntent(
  ctx: CommandContext,
  intent: ConfigurationIntent,
): StoredIntent | Failure {
  const asked = askedOf(ctx, intent)
  const first = findIntent(ctx.tx, intent.intent_id)
  if (first !== undefined) return repeated(first, asked)
  const name = documentName(intent)
  assertSize(asked, 'intent')
  // The chain of what led to the change is the intent's, not this request's.
  const chained = { ...ctx, correlation_id: intent.correlation_id }
  const secrets = secretPaths(intent.payload, 'payload')
  return secrets.length > 0
    ? reject(chained, asked, secrets.slice(0, 10))
    : apply(chained, asked, name)
}

/** What is kept of an intent, whatever becomes of it. */
type AskedIntent = Omit<StoredIntent, 'status' | 'written_ref' | 'receipt_id'>

function askedOf(ctx: CommandContext, intent: ConfigurationIntent): AskedIntent {
  const { intent_id, target, capability_id, requested_by, correlation_id, created_at } = intent
  return {
    intent_id,
    owner_user_id: ctx.actor.user_id,
    target,
    ...(capability_id === undefined ? {} : { capability_id }),
    // A no-op for an intent that may be applied.
    payload: withoutSecrets(intent.payload) as AskedIntent['payload'],
    requested_by,
    correlation_id,
    created_at,
  }
}

function repeated(first: StoredIntent, asked: AskedIntent): StoredIntent | Failure {
  const { status: _status, written_ref: _ref, receipt_id: _receipt, ...before } = first
  if (!isDeepStrictEqual(before, asked)) {
    throw new Failure('IDEMPOTENCY_CONFLICT', 'This intent id was used for a different intent.')
  }
  return first.status === 'applied' ? first : refusal(first, secretPaths(first.payload, 'payload'))
}

/** The name of the document an intent writes to. */
function documentName({ target, capability_id }: ConfigurationIntent): string {
  switch (target) {
    case 'user_preference':
      return '_user_preferences'
    case 'connector_policy':
      return '_connector_policy'
    case 'skill_config':
      return ownCapability(capability_id)
    case 'support_pack_binding':
      return `_support_packs/${ownCapability(capability_id)}`
  }
}

function ownCapability(capability: string | undefined): string {
  if (capability === undefined) throw refuseCapability('is required for this target')
  // Names that begin so belong to the documents of no capability.
  if (capability.startsWith('_')) throw refuseCapability('must not begin with an underscore')
  return capability
}

const refuseCapability = (why: string): Failure =>
  new Failure('INVALID_REQUEST', `capability_id ${why}.`, { details: { field: 'capability_id' } })

function assertSize(value: unknown, what: 'intent' | 'document'): void {
  if (Buffer.byteLength(JSON.stringify(value)) > limitBytes) {
    throw new Failure('PAYLOAD_TOO_LARGE', `The ${what} would be larger than 64 KB.`, {
      details: { field: 'payload', limit_bytes: limitBytes },
    })
  }
}

function apply(ctx: CommandContext, asked: AskedIntent, name: string): StoredIntent {
  const body = merge(findConfigDocument(ctx.tx, name)?.body ?? {}, asked.payload)
  assertSize(body, 'document')
  const written_ref = `skills/config/${name}.json`
  const receipt_id = recordReceipt(ctx, 'config.intent.applied', {
    summary: `Configuration ${name} changed by ${asked.requested_by}.`,
    details: { ...marksOf(asked), written_ref, keys: Object.keys(asked.payload).slice(0, 50) },
  })
  const applied = { ...asked, status: 'applied', written_ref, receipt_id } as const
  upsertConfigDocument(ctx.tx, { name, body, updated_at: ctx.now })
  appendIntent(ctx.tx, applied)
  recordEvent(ctx, `config/${name}`, 'config.intent.applied', { intent_id: asked.intent_id })
  return applied
}

/** Key by key, one level deep; null takes a key away. */
function merge(
  before: Readonly<Record<string, unknown>>,
  payload: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries({ ...before, ...payload })
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

function reject(ctx: CommandContext, asked: AskedIntent, secrets: readonly string[]): Failure {
  const receipt_id = recordReceipt(ctx, 'config.intent.rejected', {
    status: 'blocked',
    summary: `Configuration for ${asked.target} refused.`,
    reason: 'secret_in_payload',
    details: { ...marksOf(asked), fields: secrets },
  })
  const rejected = { ...asked, status: 'rejected', receipt_id } as const
  appendIntent(ctx.tx, rejected)
  recordEvent(ctx, `intent/${asked.intent_id}`, 'config.intent.rejected', {
    intent_id: asked.intent_id,
  })
  return refusal(rejected, secrets)
}

const refusal = ({ intent_id, receipt_id }: StoredIntent, secrets: readonly string[]): Failure =>
  new Failure(
    'INTENT_REJECTED',
    `Secrets are not kept in configuration: ${secrets.slice(0, 3).join(', ')}.`,
    { details: { field: secrets[0], fields: secrets.slice(0, 10), intent_id, receipt_id } },
  )

const marksOf = ({ intent_id, target, capability_id }: AskedIntent) => ({
  intent_id,
  target,
  ...(capability_id === undefined ? {} : { capability_id }),
})
