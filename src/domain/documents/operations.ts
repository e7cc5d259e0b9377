import type { z } from 'zod'
import {
  ACROBAT_SERVER_ID,
  type AcrobatCapability,
  type AcrobatOperation,
  type extractTables,
  type extractText,
  type prepareRedaction,
  type recognizeText,
} from '@apprentice/contracts/documents/adapter.ts'
import type { DataClass } from '@apprentice/contracts/documents/fields.ts'
import type { DispatchStatus } from '@apprentice/contracts/connectors/dispatch.ts'
import { Failure } from '../../failure/failure.ts'
import type { ProgramFacts } from '../../knowledge/documents/adapter-health.ts'
import { type DispatchRow, findDispatch } from '../../store/connectors/dispatches.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  findOperation,
  insertOperation,
  listOwnOperations,
  type OperationRow,
} from '../../store/documents/document-operations.ts'
import { findDocument } from '../../store/documents/documents.ts'
import type { CommandContext } from '../command/context.ts'
import { assertNotDisabled, decidePolicy, hasGrant, openDispatch, withCorrelation } from '../connectors/dispatches.ts'
import { getServer } from '../connectors/registry/server-view.ts'
import type { VaultCipher } from '../connectors/registry/vault.ts'
import { assertSupported, readAdapterHealth } from './adapter.ts'

type Body =
  | z.output<typeof extractText.body>
  | z.output<typeof extractTables.body>
  | z.output<typeof recognizeText.body>
  | z.output<typeof prepareRedaction.body>

/** What an operation is asked to do. It may name people, so it is kept in the vault. */
export type OperationRequest = Body

/** Time for the whole of an operation, with its waiting. */
const LONGEST_OPERATION_MS = 20 * 60_000
const OPEN_CLASSES: readonly DataClass[] = ['public', 'internal']

/**
 * Decides about an operation: it is refused, kept until a person decides, or queued. It is a call of the server
 * `acrobat`, so approvals, grants and receipts are those of connectors.
 */
export function startOperation(
  given: CommandContext,
  { cipher, facts }: { readonly cipher: VaultCipher; readonly facts: ProgramFacts },
  body: OperationRequest,
): { operation_id: string } {
  const ctx = withCorrelation(given)
  const { capability } = body
  const server = getServer(ctx.tx, ACROBAT_SERVER_ID)
  const health = readAdapterHealth(ctx.tx, facts)
  assertSupported(health, capability)
  const { data_class } = getSource(ctx.tx, body, ctx.actor.user_id)
  const { policy, action_class } = assertOperationAllowed(ctx.tx, capability, ctx.now)
  const mustAsk =
    policy.decision.mode === 'ask_first' || capability === 'redaction_prep' || !OPEN_CLASSES.includes(data_class)
  const request = { ...body, server_id: ACROBAT_SERVER_ID, tool_name: capability }
  const { dispatch_id } = openDispatch(ctx, cipher, {
    server,
    policy,
    action_class,
    mustAsk,
    isGranted: mustAsk && hasGrant(ctx, request),
    request: { ...request, arguments: readArguments(body), max_duration_ms: LONGEST_OPERATION_MS },
    data_class,
  })
  insertOperation(ctx.tx, {
    operation_id: dispatch_id,
    owner_user_id: ctx.actor.user_id,
    capability,
    source_ref: body.source_ref,
    data_class,
    is_degraded: health.adapter_state === 'degraded',
    output_refs: [],
    warning_codes: [],
    created_at: ctx.now,
  })
  return { operation_id: dispatch_id }
}

/** The policy for a capability. Throws if it is switched off. */
export function assertOperationAllowed(reader: Reader, capability: AcrobatCapability, now: string) {
  const server = getServer(reader, ACROBAT_SERVER_ID)
  const action_class = capability === 'redaction_prep' ? ('write' as const) : ('read' as const)
  const policy = decidePolicy(reader, server, { tool_name: capability, action_class }, now)
  assertNotDisabled(policy, server)
  return { policy, action_class }
}

/** The document of a reference. Bundles and uploads of skills are archives, so they contain none. */
export function getSource(
  reader: Reader,
  { source_ref_kind, source_ref }: Pick<Body, 'source_ref_kind' | 'source_ref'>,
  owner: string,
) {
  const found = source_ref_kind === 'document_ref' ? findDocument(reader, source_ref) : undefined
  if (found === undefined || found.owner_user_id !== owner) {
    throw new Failure('ACROBAT_SOURCE_NOT_FOUND', 'There is no document with this reference.', {
      details: { source_ref_kind },
    })
  }
  return found
}

function readArguments(body: OperationRequest): Record<string, unknown> {
  const { client_request_id: _c, schema_version: _s, session_ref: _e, turn_ref: _t, why_needed: _w, ...given } = body
  return given
}

const STATUSES: Readonly<Record<DispatchStatus, AcrobatOperation['status']>> = {
  waiting_for_approval: 'blocked',
  queued: 'blocked',
  running: 'blocked',
  succeeded: 'ok',
  failed: 'failed',
  denied: 'blocked',
  expired: 'blocked',
  cancelled: 'blocked',
  interrupted: 'failed',
}

export function readOperation(reader: Reader, operationId: string, owner: string): AcrobatOperation {
  const row = findOperation(reader, operationId)
  const dispatch = findDispatch(reader, operationId)
  if (row === undefined || dispatch === undefined || row.owner_user_id !== owner) {
    throw new Failure('ACROBAT_OPERATION_NOT_FOUND', 'There is no such operation.')
  }
  return toOperation(row, dispatch)
}

export const listOperations = (reader: Reader, owner: string, limit: number): AcrobatOperation[] =>
  listOwnOperations(reader, owner, limit).flatMap((row) => {
    const dispatch = findDispatch(reader, row.operation_id)
    return dispatch === undefined ? [] : [toOperation(row, dispatch)]
  })

function toOperation(row: OperationRow, dispatch: DispatchRow): AcrobatOperation {
  const { status: state, error_code, error_message, correlation_id, completed_at } = dispatch
  const [output_ref, ...further_output_refs] = row.output_refs
  const isOpen = completed_at === undefined
  return {
    operation_id: row.operation_id,
    capability: row.capability,
    status: state === 'succeeded' && row.is_degraded ? 'degraded' : STATUSES[state],
    output_ref,
    warning_codes: isOpen && state !== 'waiting_for_approval' ? ['OPERATION_NOT_FINISHED'] : row.warning_codes,
    receipt_id: row.receipt_id,
    error_code,
    error_message,
    state,
    reason_code: row.reason_code,
    further_output_refs,
    correlation_id,
    source_ref: row.source_ref,
    data_class: row.data_class,
    created_at: row.created_at,
    completed_at,
    schema_version: 1,
  }
}
