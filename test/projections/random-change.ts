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
import { installRows, removeRows } from './installed-rows.ts'
import {
  addAbility,
  addProposal,
  addReceipt,
  addSession,
  assign,
  changeSession,
  configure,
  fillAll,
  mark,
  observe,
  rollReceipts,
} from './rows.ts'

/** One change of any kind the mirrors follow; `pick` chooses a number below its argument. */
export function randomChange(act: CommandContext, pick: (below: number) => number): void {
  const sessions = listSessionIds(act.tx)
  const session = sessions[pick(Math.max(1, sessions.length))]
  if (session === undefined || (sessions.length < 5 && pick(4) === 0)) {
    addSession(act)
    return
  }
  const change = changes[pick(changes.length)]
  change?.(act, session, pick)
}

type Change = (act: CommandContext, session: string, pick: (below: number) => number) => void

const changes: readonly Change[] = [
  (act, session, pick) => {
    for (let n = pick(5); n >= 0; n -= 1) observe(act, session, 'x'.repeat(pick(200) + 1))
  },
  (act, session) => {
    sql(
      act.tx,
      `DELETE FROM observations WHERE position IN (SELECT min(position) FROM observations
        WHERE learn_session_id = ?)`,
    ).run(session)
    recordSessionEvent(act, session, 'learn.observation.changed')
  },
  (act, session, pick) => changeSession(act, session, { captured_event_count: pick(100) }),
  (act, session) => changeSession(act, session, { archived_at: act.now }),
  (act, session) => changeSession(act, session, { archived_at: undefined }),
  (act, session) => mark(act, session),
  (act, session) => changeSession(act, session, { observations_purged_at: act.now }),
  (act, session) => forget(act, session),
  (act, session) => {
    addProposal(act, session)
  },
  (act, session) => reviseDraft(act, session),
  (act, session, pick) => {
    for (let n = pick(4); n >= 0; n -= 1) addReceipt(act, session)
  },
  (act, _session, pick) => rollReceipts(act, `2025-1${pick(3)}`, pick(4)),
  (act, _session, pick) => assign(act, pick(2) === 0 ? 'add' : 'remove', `item-${pick(3)}`),
  (act) => {
    sql(act.tx, "DELETE FROM category_assignment_log WHERE op = 'remove'").run()
    recordEvent(act, 'categories', 'category.assignments.compacted')
  },
  (act, _session, pick) => configure(act, `capability.${pick(3)}`),
  (act, _session, pick) => addAbility(act, `learned.n-${pick(4)}`),
  (act, _session, pick) => {
    const id = `learned.n-${pick(4)}`
    addAbility(act, id)
    changeLane(act, id, 'quarantined')
  },
  (act, _session, pick) => {
    removeAbility(act, `learned.n-${pick(4)}`)
  },
  (act) => requestRefresh(act, 'test'),
  (act, _session, pick) => installRows(act, `skill-${pick(3)}`),
  (act, _session, pick) => removeRows(act, `skill-${pick(3)}`),
  (act, _session, pick) => {
    if (pick(4) === 0) fillAll(act)
  },
]

function forget(act: CommandContext, session: string): void {
  deleteObservations(act.tx, session)
  deleteBoundaries(act.tx, session)
  deleteSessionEvents(act.tx, session)
  deleteLearnSession(act.tx, session)
  recordEvent(act, `learn/${session}`, 'learn.session.deleted')
}

function reviseDraft(act: CommandContext, session: string): void {
  const row = sql(act.tx, 'SELECT proposal_id AS id FROM proposals WHERE learn_session_id = ?').get(
    session,
  ) as { id: string } | undefined
  if (row === undefined) return
  deleteDraftFiles(act.tx, row.id)
  upsertDraftFile(act.tx, row.id, { name: 'graph.json', content: act.newId() })
  recordSessionEvent(act, session, 'learn.proposal.changed')
}
