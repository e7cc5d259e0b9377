import type { CommandContext } from '../../src/domain/command/context.ts'
import { recordEvent, recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { requestRefresh } from '../../src/domain/abilities/availability.ts'
import { changeLane, removeAbility } from '../../src/domain/abilities/registry.ts'
import { deleteBoundaries } from '../../src/store/capture/boundaries.ts'
import { sql } from '../../src/store/db/db.ts'
import { deleteDraftFiles, upsertDraftFile } from '../../src/store/proposals/draft-files.ts'
import { deleteSessionEvents } from '../../src/store/command/events.ts'
import { deleteLearnSession, listSessionIds } from '../../src/store/sessions/learn-sessions.ts'
import { deleteObservations } from '../../src/store/capture/observations.ts'
import { addInstallation, removeInstallation } from './installed-rows.ts'
import {
  addAbility,
  addProposal,
  addReceipt,
  addSession,
  assignCategory,
  changeSession,
  configureDocument,
  fillAll,
  markBoundary,
  addObservation,
  rollReceipts,
} from './rows.ts'

/** Makes one random change that affects projections. `pick` returns a number below its argument. */
export function randomChange(ctx: CommandContext, pick: (below: number) => number): void {
  const sessions = listSessionIds(ctx.tx)
  const session = sessions[pick(Math.max(1, sessions.length))]
  if (session === undefined || (sessions.length < 5 && pick(4) === 0)) {
    addSession(ctx)
    return
  }
  const change = CHANGES[pick(CHANGES.length)]
  change?.(ctx, session, pick)
}

type Change = (ctx: CommandContext, session: string, pick: (below: number) => number) => void

const CHANGES: readonly Change[] = [
  (ctx, session, pick) => {
    for (let n = pick(5); n >= 0; n -= 1) addObservation(ctx, session, 'x'.repeat(pick(200) + 1))
  },
  (ctx, session) => {
    sql(
      ctx.tx,
      `DELETE FROM observations WHERE position IN (SELECT min(position) FROM observations
        WHERE learn_session_id = ?)`,
    ).run(session)
    recordSessionEvent(ctx, session, 'learn.observation.changed')
  },
  (ctx, session, pick) => changeSession(ctx, session, { captured_event_count: pick(100) }),
  (ctx, session) => changeSession(ctx, session, { archived_at: ctx.now }),
  (ctx, session) => changeSession(ctx, session, { archived_at: undefined }),
  (ctx, session) => markBoundary(ctx, session),
  (ctx, session) => changeSession(ctx, session, { observations_purged_at: ctx.now }),
  (ctx, session) => deleteSession(ctx, session),
  (ctx, session) => {
    addProposal(ctx, session)
  },
  (ctx, session) => reviseDraft(ctx, session),
  (ctx, session, pick) => {
    for (let n = pick(4); n >= 0; n -= 1) addReceipt(ctx, session)
  },
  (ctx, _session, pick) => rollReceipts(ctx, `2025-1${pick(3)}`, pick(4)),
  (ctx, _session, pick) => assignCategory(ctx, pick(2) === 0 ? 'add' : 'remove', `item-${pick(3)}`),
  (ctx) => {
    sql(ctx.tx, "DELETE FROM category_assignment_log WHERE op = 'remove'").run()
    recordEvent(ctx, 'categories', 'category.assignments.compacted')
  },
  (ctx, _session, pick) => configureDocument(ctx, `capability.${pick(3)}`),
  (ctx, _session, pick) => addAbility(ctx, `learned.n-${pick(4)}`),
  (ctx, _session, pick) => {
    const id = `learned.n-${pick(4)}`
    addAbility(ctx, id)
    changeLane(ctx, id, 'quarantined')
  },
  (ctx, _session, pick) => {
    removeAbility(ctx, `learned.n-${pick(4)}`)
  },
  (ctx) => requestRefresh(ctx, 'test'),
  (ctx, _session, pick) => addInstallation(ctx, `skill-${pick(3)}`),
  (ctx, _session, pick) => removeInstallation(ctx, `skill-${pick(3)}`),
  (ctx, _session, pick) => {
    if (pick(4) === 0) fillAll(ctx)
  },
]

function deleteSession(ctx: CommandContext, session: string): void {
  deleteObservations(ctx.tx, session)
  deleteBoundaries(ctx.tx, session)
  deleteSessionEvents(ctx.tx, session)
  deleteLearnSession(ctx.tx, session)
  recordEvent(ctx, `learn/${session}`, 'learn.session.deleted')
}

function reviseDraft(ctx: CommandContext, session: string): void {
  const row = sql(ctx.tx, 'SELECT proposal_id AS id FROM proposals WHERE learn_session_id = ?').get(session) as
    | { id: string }
    | undefined
  if (row === undefined) return
  deleteDraftFiles(ctx.tx, row.id)
  upsertDraftFile(ctx.tx, row.id, { name: 'graph.json', content: ctx.newId() })
  recordSessionEvent(ctx, session, 'learn.proposal.changed')
}
