import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { canMove, SETTLED_STATES, listSlotStates } from '../../src/domain/sessions/session-machine.ts'
import { writeAs } from '../../src/domain/command/context.ts'
import { moveSession } from '../../src/domain/sessions/session-moves.ts'
import { Failure } from '../../src/failure/failure.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

/** An independent copy of the table, so that a mistake in the implementation is detected. */
const LEGAL_MOVES: Record<string, string> = {
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

function move(daemon: Daemon, id: string, chain: readonly LearnSessionState[]) {
  const origin = { actor: { kind: 'user', user_id: 'local' }, correlation_id: 'test' } as const
  return writeAs(daemon.system, origin, (ctx) => {
    const session = daemon.session(id)
    if (session === undefined) throw new Error('no session')
    return moveSession(ctx, session, chain).state
  })
}

test('the table has sixteen states and 256 cells', () => {
  expect(Object.keys(LEGAL_MOVES)).toEqual(states)
  expect(cells).toHaveLength(256)
})

test.each(cells)('whether %s to %s is legal matches the table', async (from, to) => {
  expect(canMove(from, to)).toBe(LEGAL_MOVES[from]?.split(' ').includes(to) ?? false)
})

test('moveSession makes or rejects each of the 256 transitions as in the table', async () => {
  const daemon = await startDaemon()
  for (const [from, to] of cells) {
    const id = await daemon.aSessionIn(from)
    const before = daemon.events().length
    const outcome = await move(daemon, id, [to]).catch((error: unknown) => error)

    if (LEGAL_MOVES[from]?.split(' ').includes(to)) {
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

test('a chain with one illegal transition changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped')
  await expect(move(daemon, id, ['reviewing', 'testing_proposal'])).rejects.toMatchObject({
    code: 'INVALID_LEARN_STATE_TRANSITION',
  })
  expect(daemon.session(id)).toMatchObject({ state: 'stopped', revision: 1 })
  expect(daemon.events()).toEqual([])
})

test('slot states exclude the settled states, or with the literal rule only the terminal states', () => {
  expect(listSlotStates('settled')).toEqual(states.filter((state) => !SETTLED_STATES.includes(state)))
  expect(listSlotStates('settled')).toHaveLength(11)
  expect(listSlotStates('literal')).toEqual(states.filter((s) => s !== 'rejected' && s !== 'cancelled'))
})
