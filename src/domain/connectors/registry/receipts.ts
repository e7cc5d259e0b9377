import type { ConnectorReceipt, ConnectorReceiptKind } from '@apprentice/contracts/connectors/receipts.ts'
import { appendReceipt, listReceiptsBefore, type ReceiptFilter } from '../../../store/connectors/receipts.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'

type ReceiptParts = Pick<ConnectorReceipt, 'summary'> &
  Partial<Pick<ConnectorReceipt, 'server_id' | 'auth_profile_id' | 'status'>> & {
    /** Who the server was told to act for. Absent: whoever asked. */
    readonly identity?: AssertedIdentity | undefined
  }

export interface AssertedIdentity {
  readonly kind: NonNullable<ConnectorReceipt['identity_asserted_kind']>
  readonly ref?: string | undefined
}

/** Records a receipt of a connector, with an identity. Returns its id. */
export function recordConnectorReceipt(
  ctx: CommandContext,
  kind: ConnectorReceiptKind,
  { identity = findOwnIdentity(ctx), ...parts }: ReceiptParts,
): string {
  const receipt_id = ctx.newId()
  const receipt: ConnectorReceipt = {
    receipt_id,
    receipt_kind: kind,
    status: 'ok',
    ...parts,
    correlation_id: ctx.correlation_id,
    identity_asserted_kind: identity.kind,
    identity_asserted_ref: identity.ref,
    created_at: ctx.now,
    schema_version: 1,
  }
  appendReceipt(ctx.tx, receipt)
  const { server_id, status } = receipt
  recordEvent(ctx, `connector/${server_id ?? 'all'}`, 'mcp.receipt.created', {
    receipt_id,
    receipt_kind: kind,
    status,
    server_id,
  })
  return receipt_id
}

const findOwnIdentity = ({ actor }: CommandContext): AssertedIdentity => ({
  kind: 'local_user',
  ref: actor.operator ?? actor.user_id,
})

/** A page of receipts, newest first. `cursor` is `next_cursor` of the page before. */
export function listReceipts(
  reader: Reader,
  { cursor, limit, ...filter }: ReceiptFilter & { readonly cursor?: number | undefined; readonly limit: number },
): { receipts: ConnectorReceipt[]; next_cursor?: string } {
  const before = cursor ?? Number.MAX_SAFE_INTEGER
  const found = listReceiptsBefore(reader, filter, { before, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    receipts: page.map(({ entry }) => entry),
    ...(found.length > limit && last !== undefined ? { next_cursor: String(last.position) } : {}),
  }
}
