import type { IncomingActionEvent } from '@apprentice/contracts/learn/observation.ts'
import { type DispatchRow, findDispatch } from '../../store/connectors/dispatches.ts'
import { findServer } from '../../store/connectors/servers.ts'
import type { Reader } from '../../store/db/db.ts'
import { listSessionsInStates } from '../../store/sessions/learn-sessions.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { ingestEvents } from './ingest.ts'

const nameServer = (reader: Reader, serverId: string): string => findServer(reader, serverId)?.display_name ?? serverId

/** A call in words, without what was sent. */
export const describeCall = (
  reader: Reader,
  { tool_name, server_id }: Pick<DispatchRow, 'tool_name' | 'server_id'>,
): string => `${tool_name} of ${nameServer(reader, server_id)}`.slice(0, 240)

/**
 * Adds a call that a connector made to the captures of the user who called. What was sent and answered stays in the
 * vault: the event names the tool, the server, and whether the tool may have changed something.
 */
export function observeConnectorCall(ctx: CommandContext, dispatchId: string): void {
  const dispatch = findDispatch(ctx.tx, dispatchId)
  if (dispatch?.status !== 'succeeded') return
  const { user_id, server_id, tool_name, action_class } = dispatch
  const display_name = nameServer(ctx.tx, server_id)
  for (const session of listSessionsInStates(ctx.tx, user_id, ['capturing'])) {
    if (!session.adapters_armed.includes('mcp_receipt')) continue
    const event: IncomingActionEvent = {
      event_id: dispatchId,
      learn_session_id: session.learn_session_id,
      adapter_kind: 'mcp_receipt',
      app_family: server_id.slice(0, 80),
      window_title: display_name.slice(0, 200),
      action_label: describeCall(ctx.tx, dispatch),
      control_surface: 'mcp_connector',
      target_ref: `mcp:${server_id}/${tool_name}`.slice(0, 240),
      caused_state_change: action_class !== 'read',
      redaction_mode: 'mask_text',
      created_at: ctx.now,
      schema_version: 1,
    }
    // A full capture is paused; the call was made anyway.
    ingestEvents(asSystem(ctx, user_id), session, { batch_request_id: dispatchId, events: [event] })
  }
}
