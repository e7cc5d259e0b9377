import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import { InstallLane, LearnSessionState, PendingUiState } from '@apprentice/contracts/learn/session.ts'
import { isPending, toPendingUiState } from '../../src/domain/sessions/pending-state.ts'
import type { SessionAction } from '../../src/domain/learn/allowed-actions.ts'
import { insertProposal } from '../../src/store/proposals/proposals.ts'
import { appendQuestion } from '../../src/store/proposals/questions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { sendCommand, addObservation, addTrace } from './demonstrated-session.ts'

type State = (typeof LearnSessionState.options)[number]

const ACTIONS: readonly SessionAction[] = [
  'start',
  'pause',
  'resume',
  'stop',
  'cancel',
  'mark_goal',
  'mark_step',
  'trim',
  'answer_questions',
  'set_test_policy',
  'generate_proposal',
  'delete',
]

/** The allowed actions of a session with captured events and without a proposal. */
const OFFERED_ACTIONS: Record<State, SessionAction[]> = {
  idle: ['start', 'cancel', 'set_test_policy', 'delete'],
  armed: ['start', 'cancel', 'set_test_policy', 'delete'],
  capturing: ['pause', 'stop', 'cancel', 'mark_goal', 'mark_step', 'set_test_policy', 'delete'],
  paused: ['resume', 'stop', 'cancel', 'mark_goal', 'mark_step', 'trim', 'set_test_policy', 'delete'],
  stopped: ['cancel', 'trim', 'set_test_policy', 'generate_proposal', 'delete'],
  reviewing: ['cancel', 'trim', 'set_test_policy', 'generate_proposal', 'delete'],
  awaiting_questions: ['cancel', 'set_test_policy', 'generate_proposal', 'delete'],
  drafting_proposal: ['cancel', 'set_test_policy', 'delete'],
  testing_proposal: ['cancel', 'set_test_policy', 'delete'],
  ready_for_review: ['set_test_policy'],
  installing_private: [],
  installed_private: [],
  approved: [],
  rejected: ['delete'],
  cancelled: ['delete'],
  quarantined: ['cancel', 'delete'],
}

test.each(LearnSessionState.options)('allowed_actions of a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const { id } = await prepare(daemon, state, 'captured')
  expect(await allowed(daemon, id)).toEqual(OFFERED_ACTIONS[state])
})

test.each(LearnSessionState.options)('in state %s exactly the allowed actions succeed', async (state) => {
  const daemon = await startDaemon()
  const cases = (['bare', 'captured', 'proposed'] as const).flatMap((situation) =>
    ACTIONS.map((action) => ({ situation, action })),
  )
  await Promise.all(
    cases.map(async ({ situation, action }) => {
      const prepared = await prepare(daemon, state, situation)
      const listed = (await allowed(daemon, prepared.id)).includes(action)
      const reply = await sendCommand(daemon, prepared.id, { action, ...prepared })
      const succeeded = reply.statusCode < 300
      expect(succeeded, `${situation} ${action}: ${reply.body}`).toBe(listed)
    }),
  )
})

async function allowed(daemon: Daemon, id: string): Promise<string[]> {
  const reply = await daemon.get(`/api/learn/sessions/${id}/detail`)
  return reply.json<{ allowed_actions: string[] }>().allowed_actions
}

async function prepare(daemon: Daemon, state: State, situation: 'bare' | 'captured' | 'proposed') {
  const learn_session_id = randomUUID()
  const question_id = randomUUID()
  const proposal_id = situation === 'proposed' ? randomUUID() : undefined
  const trace = situation === 'bare' ? [] : [await addTrace(daemon, learn_session_id)]
  const id = await daemon.aSessionIn(state, {
    learn_session_id,
    active_trace_ids: trace,
    ...(proposal_id === undefined ? {} : { proposal_id }),
  })
  const event_id = situation === 'bare' ? randomUUID() : await addObservation(daemon, id)
  if (proposal_id !== undefined) await propose(daemon, { id, proposal_id, question_id, state })
  return { id, event_id, question_id }
}

async function propose(
  daemon: Daemon,
  {
    id,
    proposal_id,
    question_id,
    state,
  }: Record<'id' | 'proposal_id' | 'question_id', string> & {
    state: State
  },
): Promise<void> {
  const proposal_state: ProposalState = state === 'awaiting_questions' ? state : 'draft'
  const at = daemon.clock.now.toISOString()
  const common = { created_at: at, schema_version: 1 as const }
  await daemon.system.store.write((tx) => {
    insertProposal(tx, {
      proposal_id,
      owner_user_id: 'local',
      learn_session_id: id,
      source_trace_ids: [randomUUID()],
      title: 'Share a note',
      proposed_skill_slug: 'share-a-note',
      trigger_phrases: [],
      negative_triggers: [],
      draft_skill_path: 'a',
      draft_manifest_path: 'b',
      proposal_state,
      install_lane: 'pending',
      support_pack_refs: [],
      updated_at: at,
      revision: 1,
      ...common,
    })
    appendQuestion(tx, {
      question_id,
      proposal_id,
      field: 'project_scope',
      prompt: 'Where?',
      required: true,
      ...common,
    })
  })
}

const UI_STATES: Partial<Record<State, (typeof PendingUiState.options)[number]>> = {
  capturing: 'capturing',
  paused: 'capturing',
  awaiting_questions: 'awaiting_input',
  drafting_proposal: 'drafting',
  testing_proposal: 'testing',
  ready_for_review: 'ready_for_review',
  installed_private: 'private_active',
}

test.each(LearnSessionState.options.map((state) => ({ state, ui: UI_STATES[state] })))(
  'the pending UI state of $state is $ui in every install lane',
  ({ state, ui }) => {
    for (const lane of [undefined, ...InstallLane.options]) {
      const otherwise = lane === 'experimental_private' ? 'private_active' : 'revision_required'
      expect(toPendingUiState(state, lane)).toBe(ui ?? otherwise)
    }
  },
)

test('sessions that are idle, armed or finished are not pending', async () => {
  const daemon = await startDaemon()
  const absent = ['idle', 'armed', 'approved', 'rejected', 'cancelled']
  for (const state of LearnSessionState.options) {
    const id = await daemon.aSessionIn(state)
    const reply = await daemon.get(`/api/learn/sessions/${id}/detail`)
    const uiState = reply.json<{ pending_ui_state?: string }>().pending_ui_state
    expect(uiState === undefined, state).toBe(absent.includes(state))
    expect(isPending(state), state).toBe(!absent.includes(state))
  }
})
