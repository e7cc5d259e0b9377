import { listSessionsInStates, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { markBoundary, moveSession } from '../sessions/session-moves.ts'

const SESSION_PATH = ['capturing', 'stopped', 'reviewing', 'drafting_proposal', 'ready_for_review'] as const

/**
 * Moves the owner's open import session, if there is one, to `ready_for_review`. Nothing was captured in it, so the
 * boundaries are marked as inferred by the daemon.
 */
export function moveImportSession(
  given: CommandContext,
  { owner_user_id, import_id }: ImportRow,
  proposal_id: string,
): StoredSession | undefined {
  const ctx = asSystem(given, owner_user_id)
  const open = listSessionsInStates(ctx.tx, owner_user_id, ['idle', 'armed'])
  const session = open.find(({ entry_mode }) => entry_mode === 'import_skill')
  if (session === undefined) return undefined
  const { learn_session_id, state } = session
  const source = 'system_inferred' as const
  const start_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'start', source })
  const stop_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'stop', source })
  const chain = state === 'idle' ? (['armed', ...SESSION_PATH] as const) : SESSION_PATH
  const moved = moveSession(ctx, session, chain, {
    reason: 'import',
    changes: { proposal_id, start_boundary_ref, stop_boundary_ref },
  })
  recordSessionEvent(ctx, learn_session_id, 'learn.proposal.created', {
    ref: `proposal:${proposal_id}`,
    payload: { proposal_id, drafted: true, import_id },
  })
  for (const kind of ['learn.capture.started', 'learn.capture.stopped'] as const) {
    recordReceipt(ctx, kind, {
      learn_session_id,
      summary: 'No capture: the session imported a bundle.',
      details: { synthetic: true, import_id },
    })
  }
  return moved
}
