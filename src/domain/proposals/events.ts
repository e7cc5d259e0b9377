import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'

/** Records an event of the proposal's session, or of the proposal itself if it has no session. */
export function recordProposalEvent(
  ctx: CommandContext,
  { proposal_id, learn_session_id }: Pick<StoredProposal, 'proposal_id' | 'learn_session_id'>,
  kind: EventKind,
  facts: Readonly<Record<string, unknown>>,
): void {
  const payload = { proposal_id, ...facts }
  if (learn_session_id === undefined) {
    recordEvent(ctx, `proposal/${proposal_id}`, kind, payload)
  } else {
    recordSessionEvent(ctx, learn_session_id, kind, { ref: `proposal:${proposal_id}`, payload })
  }
}
