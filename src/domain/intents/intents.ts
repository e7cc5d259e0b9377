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
import { findSecretPaths, redactSecrets } from '../../knowledge/redaction/secret-keys.ts'
import { checkConfiguration, findLoosened } from './target-schemas.ts'
import { CONNECTOR_POLICY, PACKS_FOLDER, PREFERENCES_FOLDER } from './document-names.ts'

/** The maximum size of a logged intent, and of a document. */
const MAX_BYTES = 64 * 1024

/**
 * Applies or rejects an intent. A repeated intent gets the first reply. A rejection is returned instead of thrown so
 * that its receipt is committed.
 */
export function submitIntent(
  ctx: CommandContext,
  intent: ConfigurationIntent,
  isAdmin: boolean,
): StoredIntent | Failure {
  const record = toIntentRecord(ctx, intent)
  const first = findIntent(ctx.tx, intent.intent_id)
  if (first !== undefined) return replyToRepeat(first, record)
  const name = getDocumentName(intent, ctx.actor.user_id)
  assertSize(record, 'intent')
  // Events and receipts carry the correlation id of the intent, not of this request.
  const chained = { ...ctx, correlation_id: intent.correlation_id }
  const secrets = findSecretPaths(intent.payload, 'payload')
  if (secrets.length > 0) return reject(chained, record, secrets.slice(0, 10))
  const before = findConfigDocument(ctx.tx, name)?.body ?? {}
  const body = mergePayload(before, record.payload)
  checkConfiguration(ctx, { intent, body, isAdmin })
  const loosened = isAdmin && intent.requested_by === 'ui' ? [] : findLoosened(intent.target, before, body)
  return loosened.length > 0 ? deny(chained, record, loosened) : apply(chained, record, { name, body })
}

/** The stored fields of an intent that do not depend on its outcome. */
type IntentRecord = Omit<StoredIntent, 'status' | 'written_ref' | 'receipt_id'>

function toIntentRecord(ctx: CommandContext, intent: ConfigurationIntent): IntentRecord {
  const { intent_id, target, capability_id, requested_by, correlation_id, created_at } = intent
  return {
    intent_id,
    owner_user_id: ctx.actor.user_id,
    target,
    ...(capability_id === undefined ? {} : { capability_id }),
    // Changes only intents that will be rejected.
    payload: redactSecrets(intent.payload) as IntentRecord['payload'],
    requested_by,
    correlation_id,
    created_at,
  }
}

function replyToRepeat(first: StoredIntent, record: IntentRecord): StoredIntent | Failure {
  const { status: _status, written_ref: _ref, receipt_id: _receipt, ...before } = first
  if (!isDeepStrictEqual(before, record)) {
    throw new Failure('IDEMPOTENCY_CONFLICT', 'intent_id was already used for a different intent.')
  }
  return first.status === 'applied' ? first : intentRejected(first, findSecretPaths(first.payload, 'payload'))
}

/** The name of the document an intent writes to. */
function getDocumentName({ target, capability_id }: ConfigurationIntent, user: string): string {
  switch (target) {
    case 'user_preference':
      return `${PREFERENCES_FOLDER}${user}`
    case 'connector_policy':
      return CONNECTOR_POLICY
    case 'skill_config':
      return requireCapability(capability_id)
    case 'support_pack_binding':
      return `${PACKS_FOLDER}${requireCapability(capability_id)}`
  }
}

function requireCapability(capability: string | undefined): string {
  if (capability === undefined) throw invalidCapability('is required for this target')
  // Document names with a leading underscore are reserved.
  if (capability.startsWith('_')) throw invalidCapability('must not start with an underscore')
  return capability
}

const invalidCapability = (problem: string): Failure =>
  new Failure('INVALID_REQUEST', `capability_id ${problem}.`, {
    details: { field: 'capability_id' },
  })

function assertSize(value: unknown, what: 'intent' | 'document'): void {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) {
    throw new Failure('PAYLOAD_TOO_LARGE', `The ${what} would be larger than 64 KB.`, {
      details: { field: 'payload', limit_bytes: MAX_BYTES },
    })
  }
}

function apply(
  ctx: CommandContext,
  record: IntentRecord,
  { name, body }: { readonly name: string; readonly body: Readonly<Record<string, unknown>> },
): StoredIntent {
  assertSize(body, 'document')
  const written_ref = `skills/config/${name}.json`
  const receipt_id = recordReceipt(ctx, 'config.intent.applied', {
    summary: `Configuration ${name} changed by ${record.requested_by}.`,
    details: {
      ...toReceiptDetails(record),
      written_ref,
      keys: Object.keys(record.payload).slice(0, 50),
    },
  })
  const applied = { ...record, status: 'applied', written_ref, receipt_id } as const
  upsertConfigDocument(ctx.tx, { name, body, updated_at: ctx.now })
  appendIntent(ctx.tx, applied)
  recordEvent(ctx, `config/${name}`, 'config.intent.applied', { intent_id: record.intent_id })
  return applied
}

/** Merges the top-level keys. A null value removes the key. */
function mergePayload(
  before: Readonly<Record<string, unknown>>,
  payload: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries({ ...before, ...payload })
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

/** The intent is not stored, so that it may be sent again by somebody who may loosen the policy. */
function deny(ctx: CommandContext, record: IntentRecord, keys: readonly string[]): Failure {
  const receipt_id = recordReceipt(ctx, 'config.intent.rejected', {
    status: 'blocked',
    summary: `Configuration for ${record.target} refused.`,
    reason: 'loosens_policy',
    details: { ...toReceiptDetails(record), fields: keys.slice(0, 10) },
  })
  recordEvent(ctx, `intent/${record.intent_id}`, 'config.intent.rejected', { intent_id: record.intent_id })
  return new Failure('CONFIG_INTENT_DENIED', `The intent may only restrict ${keys.slice(0, 3).join(', ')} further.`, {
    details: { field: `payload.${keys[0] ?? ''}`, intent_id: record.intent_id, receipt_id },
  })
}

function reject(ctx: CommandContext, record: IntentRecord, secrets: readonly string[]): Failure {
  const receipt_id = recordReceipt(ctx, 'config.intent.rejected', {
    status: 'blocked',
    summary: `Configuration for ${record.target} refused.`,
    reason: 'secret_in_payload',
    details: { ...toReceiptDetails(record), fields: secrets },
  })
  const rejected = { ...record, status: 'rejected', receipt_id } as const
  appendIntent(ctx.tx, rejected)
  recordEvent(ctx, `intent/${record.intent_id}`, 'config.intent.rejected', {
    intent_id: record.intent_id,
  })
  return intentRejected(rejected, secrets)
}

const intentRejected = ({ intent_id, receipt_id }: StoredIntent, secrets: readonly string[]): Failure =>
  new Failure('INTENT_REJECTED', `Configuration must not contain secrets; remove ${secrets.slice(0, 3).join(', ')}.`, {
    details: { field: secrets[0], fields: secrets.slice(0, 10), intent_id, receipt_id },
  })

const toReceiptDetails = ({ intent_id, target, capability_id }: IntentRecord) => ({
  intent_id,
  target,
  ...(capability_id === undefined ? {} : { capability_id }),
})
