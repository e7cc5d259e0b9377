import { type DispatchRow, updateDispatch } from '../../store/connectors/dispatches.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

export function setDispatch(ctx: CommandContext, row: DispatchRow): DispatchRow {
  updateDispatch(ctx.tx, row)
  recordDispatchEvent(ctx, row)
  return row
}

export const recordDispatchEvent = (ctx: CommandContext, { server_id, dispatch_id, status }: DispatchRow): void =>
  recordEvent(ctx, `connector/${server_id}`, 'mcp.dispatch.changed', { dispatch_id, status })
