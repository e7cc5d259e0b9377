import {
  ACROBAT_SERVER_ID,
  type AcrobatCapability,
  type AdapterHealth,
} from '@apprentice/contracts/documents/adapter.ts'
import { Failure } from '../../failure/failure.ts'
import { describeAdapter, type ProgramFacts, toServerHealth } from '../../knowledge/documents/adapter-health.ts'
import { findHealth, upsertHealth } from '../../store/connectors/servers.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { getServer } from '../connectors/registry/server-view.ts'

export const readAdapterHealth = (reader: Reader, facts: ProgramFacts): AdapterHealth =>
  describeAdapter(getServer(reader, ACROBAT_SERVER_ID), facts)

/** Whether the health among the connector servers is not the one that follows from the programs. */
export function isHealthOutdated(reader: Reader, facts: ProgramFacts): boolean {
  const before = findHealth(reader, ACROBAT_SERVER_ID)
  const after = toServerHealth(readAdapterHealth(reader, facts))
  const describe = ({ health_status, health_reason_code, tool_health }: Partial<typeof after>) =>
    JSON.stringify([health_status, health_reason_code, tool_health])
  return before === undefined || describe(before) !== describe(after)
}

export function recordAdapterHealth(ctx: CommandContext, facts: ProgramFacts): void {
  const isFirst = findHealth(ctx.tx, ACROBAT_SERVER_ID) === undefined
  const record = toServerHealth(readAdapterHealth(ctx.tx, facts))
  upsertHealth(ctx.tx, ACROBAT_SERVER_ID, record)
  if (isFirst) return
  const { health_status } = record
  recordEvent(ctx, `connector/${ACROBAT_SERVER_ID}`, 'mcp.health.changed', {
    server_id: ACROBAT_SERVER_ID,
    health_status,
  })
}

/** Throws if the adapter cannot do this now. */
export function assertSupported(health: AdapterHealth, capability: AcrobatCapability): void {
  const { adapter_state, reason_code, supported_capabilities } = health
  if (supported_capabilities.includes(capability)) return
  const details = { adapter_state, reason_code }
  if (capability === 'ocr' && adapter_state === 'degraded') {
    throw new Failure('ACROBAT_OCR_UNSUPPORTED', 'The adapter cannot read text in pictures here.', { details })
  }
  throw new Failure('ACROBAT_UNAVAILABLE', `The document adapter is ${adapter_state} and cannot do this.`, { details })
}
