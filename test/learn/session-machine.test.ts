import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { canMove, settledStates, slotStates } from '../../src/domain/sessions/session-machine.ts'
import { moveSession } from '../../src/domain/sessions/session-moves.ts'
import { Failure } from '../../src/failure/failure.ts'
import { startDaemon } from '../kit/daemon.ts'

/** Written out again on purpose: a slip in the machine's own table must not pass here too. */
const legal: Record<string, string> = {
  idle: 'armed cancelled',
  armed: 'capturing cancelled',
  capturing: 'paused stopped cancelled',
  paused: 'capturing stopped cancelled',
  stopped: 'reviewing cancelled',
  reviewing: 'awaiting_questions drafting_proposal cancelled',
  awaiting_questions: 'reviewing drafting_proposal cancelled',
  drafting_proposal: 'testing_proposal ready_for_review cancelled',
  testing_proposal: 'ready_for_review drafting_proposal cancelled quarantined',
  ready_for_review: 'installing_private approved rejected drafting_proposal',
  installing_private: 'installed_private quarantined',
  installed_private: 'approved quarantined',
  approved: 'quarantined',
  rejected: '',
  cancelled: '',
  quarantined: 'drafting_proposal cancelled',
}
const states = LearnSessionState.options
const cells = states.flatMap((from) => states.map((to) => [from, to] as const))

test('the table has sixteen states and 256 cells', () => {
  expect(Object.keys(legal)).toEqual(states)
  expect(cells).toHaveLength(256)
})

test.each(cells)('%s to %s is legal exactly if the table says so', async (from, to) => {
  expect(canMove(from, to)).toBe(legal[from]?.split(' ').includes(to) ?? false)
})

test('every one of the 256 moves is made or refused on the stored session as the table says', async () => {
  const daemon = await startDaemon()
  for (const [from, to] of cells) {
    const id = await daemon.aSessionIn(from)
    const before = daemon.events().length
    const outcome = await daemon.system.store
      .write((tx) => {
        const session = daemon.session(id)
        if (session === undefined) throw new Error('no session')
        return moveSession(
          {
            tx,
            now: daemon.clock.now.toISOString(),
            actor: { kind: 'user', user_id: 'local' },
            correlation_id: 'test',
            newId: daemon.system.newId,
          },
          session,
          [to],
        ).state
      })
      .catch((error: unknown) => error)

    if (canMove(from, to)) {
      expect(outcome).toBe(to)
      expect(daemon.session(id)?.state).toBe(to)
      expect(daemon.events()).toHaveLength(before + 1)
    } else {
      expect(outcome).toBeInstanceOf(Failure)
      expect((outcome as Failure).code).toBe('INVALID_LEARN_STATE_TRANSITION')
      expect(daemon.session(id)).toMatchObject({ state: from, revision: 1 })
      expect(daemon.events()).toHaveLength(before)
    }
  }
})

test('a chain with one illegal hop makes no hop at all', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped')
  const move = daemon.system.store.write((tx) => {
    const session = daemon.session(id)
    if (session === undefined) throw new Error('no session')
    const ctx = {
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'user', user_id: 'local' },
      correlation_id: 'test',
      newId: daemon.system.newId,
    } as const
    return moveSession(ctx, session, ['reviewing', 'testing_proposal']).state
  })
  await expect(move).rejects.toMatchObject({ code: 'INVALID_LEARN_STATE_TRANSITION' })
  expect(daemon.session(id)?.state).toBe('stopped')
  expect(daemon.events()).toEqual([])
})

test('a session holds the slot outside the settled states, or literally outside the two ends', () => {
  expect(slotStates('settled')).toEqual(states.filter((state) => !settledStates.includes(state)))
  expect(slotStates('settled')).toHaveLength(11)
  expect(slotStates('literal')).toEqual(states.filter((s) => s !== 'rejected' && s !== 'cancelled'))
})
