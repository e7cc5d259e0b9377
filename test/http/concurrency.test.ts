import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { canMove } from '../../src/domain/sessions/session-machine.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { countRuns } from '../kit/count-runs.ts'

const commands = ['start', 'pause', 'resume', 'stop', 'cancel', 'delete', 'mark-goal'] as const
type Command = (typeof commands)[number]

interface Answer {
  readonly command: Command
  readonly correlation_id: string
  readonly status: number
  readonly code: string | undefined
  readonly state: LearnSessionState | undefined
}

interface Round {
  readonly daemon: Daemon
  readonly user: string
  readonly id: string
  readonly answers: readonly Answer[]
}

/** Sends commands on one session concurrently. */
async function race(daemon: Daemon, round: number, requests: readonly Command[]): Promise<Round> {
  const user = `user-${round}`
  const token = await daemon.tokenFor(user)
  const made = await daemon.post(
    '/api/learn/sessions',
    { entry_mode: 'demonstrating_skill', observation_mode: 'inside_agent' },
    token,
  )
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const url = `/api/learn/sessions/${id}`
  const answers = await Promise.all(
    requests.map(async (command, place): Promise<Answer> => {
      const correlation_id = `${round}:${place}:${command}`
      const reply = await daemon.request({
        ...(command === 'delete'
          ? { method: 'DELETE' as const, url }
          : { method: 'POST' as const, url: `${url}/${command}`, payload: buildBody(command) }),
        token,
        headers: { 'x-correlation-id': correlation_id },
      })
      const body = reply.json<{
        session?: { state: LearnSessionState }
        error?: { code: string }
      }>()
      const { statusCode: status } = reply
      const [code, state] = [body.error?.code, body.session?.state]
      return { command, correlation_id, status, code, state }
    }),
  )
  return { daemon, user, id, answers }
}

const buildBody = (command: Command) => (command === 'mark-goal' ? { goal_description: 'Share a note' } : {})

const readReceipts = ({ daemon, user, id }: Round): LearningReceipt[] =>
  daemon.system.store
    .read((reader) => listReceipts(reader, user, { page: 1, page_size: 100, learn_session_id: id }))
    .receipts.toReversed()

/** The transitions of the session in order, from its receipts, which outlive it. */
const readMoves = (round: Round) =>
  readReceipts(round).filter(
    ({ to_state, receipt_kind }) => to_state !== undefined && receipt_kind !== 'learn.session.started',
  )

function assertOneHistory(round: Round): void {
  let state: LearnSessionState = 'armed'
  for (const { from_state, to_state } of readMoves(round)) {
    if (to_state === undefined) throw new Error('A transition has a target state.')
    expect(from_state).toBe(state)
    expect(canMove(state, to_state)).toBe(true)
    state = to_state
  }
  const session = round.daemon.session(round.id)
  const deleted = round.answers.filter(({ command, status }) => command === 'delete' && status < 300)
  expect(deleted).toHaveLength(session === undefined ? 1 : 0)
  if (session !== undefined) expect(session.state).toBe(state)
}

/** Each successful reply belongs to one transition, and each refusal to none. */
function assertAnswersFit(round: Round): void {
  const moves = readMoves(round)
  for (const { command, correlation_id, status, code, state } of round.answers) {
    const own = moves.filter((move) => move.correlation_id === correlation_id)
    if (status < 300) {
      // Deleting an active session cancels it first. Marking a goal is no transition.
      const atMost = command === 'delete' ? own.length <= 1 : own.length === 1
      expect(command === 'mark-goal' ? own.length === 0 : atMost, correlation_id).toBe(true)
      if (state !== undefined && own[0] !== undefined) expect(own[0].to_state).toBe(state)
    } else {
      expect(own, correlation_id).toEqual([])
      expect(refusals).toContain(code)
    }
  }
}

const refusals = ['INVALID_LEARN_STATE_TRANSITION', 'CAPTURE_ALREADY_STOPPED', 'LEARN_SESSION_NOT_FOUND']

/** The events of an existing session are one chain of states, numbered without gaps, one per revision. */
function assertEventsFit({ daemon, id, answers }: Round): void {
  const session = daemon.session(id)
  const events = daemon.events().filter((event) => event.learn_session_id === id)
  if (session === undefined) {
    expect(events).toEqual([])
    return
  }
  let at = 'idle'
  for (const { kind, payload } of events) {
    if (kind !== 'learn.session.state_changed') continue
    expect(payload['from']).toBe(at)
    at = String(payload['to'])
  }
  expect(at).toBe(session.state)
  const numbers = events.flatMap(({ stream_seq }) => (stream_seq === undefined ? [] : [stream_seq]))
  expect(numbers).toEqual(numbers.map((_, place) => place + 1))
  // Creation is the first change: it arms the session.
  const changes = 1 + answers.filter(({ status }) => status < 300).length
  expect(session.revision).toBe(changes + 1)
}

test('concurrent commands on one session result in one legal history', async () => {
  const daemon = await startDaemon()
  const rounds = countRuns(150)
  let round = 0
  const requestLists = fc.array(fc.constantFrom(...commands), { minLength: 2, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(requestLists, async (requests) => {
      round += 1
      const outcome = await race(daemon, round, requests)
      assertOneHistory(outcome)
      assertAnswersFit(outcome)
      assertEventsFit(outcome)
    }),
    { numRuns: rounds },
  )
  expect(round).toBeGreaterThanOrEqual(rounds)
})

test.each(['start', 'cancel', 'delete'] as const)(
  'of twenty concurrent requests to %s a session exactly one succeeds',
  async (command) => {
    const daemon = await startDaemon()
    const outcome = await race(daemon, 0, Array<Command>(20).fill(command))
    expect(outcome.answers.filter(({ status }) => status < 300)).toHaveLength(1)
    assertOneHistory(outcome)
    assertAnswersFit(outcome)
  },
)

test('concurrent commands over real connections result in one legal history', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  for (let round = 0; round < 25; round += 1) {
    const token = await daemon.tokenFor(`socket-${round}`)
    const headers = { authorization: `Bearer ${token}` }
    const id = await daemon.aSessionIn('armed', { owner_user_id: `socket-${round}` })
    const path = `${url}/api/learn/sessions/${id}`
    const statuses = await Promise.all([
      fetch(`${path}/start`, { method: 'POST', headers }).then(({ status }) => status),
      fetch(`${path}/pause`, { method: 'POST', headers }).then(({ status }) => status),
      fetch(`${path}/cancel`, { method: 'POST', headers }).then(({ status }) => status),
      fetch(path, { method: 'DELETE', headers }).then(({ status }) => status),
    ])
    // An armed session can always be deleted, whatever came before.
    expect(statuses[3]).toBe(200)
    for (const status of statuses) expect([200, 400, 404]).toContain(status)
    expect(daemon.session(id)).toBeUndefined()
  }
})
