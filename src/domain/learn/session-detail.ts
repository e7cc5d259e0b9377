import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import { listLatestCheckpointReceipts } from '../../store/abilities/checkpoint-receipts.ts'
import type { Reader } from '../../store/db/db.ts'
import { listTimeline } from '../../store/command/events.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import {
  findLearnSession,
  publicSession,
  type StoredSession,
} from '../../store/sessions/learn-sessions.ts'
import { publicProposal } from '../../store/proposals/proposals.ts'
import { findTestPolicy } from '../../store/proposals/test-policies.ts'
import { allowedActions } from './allowed-actions.ts'
import { listAskedQuestions } from '../proposals/clarification.ts'
import { observationScope } from '../capture/observation-scope.ts'
import { isPending, pendingUiState } from '../sessions/pending-state.ts'
import { findSessionProposal } from '../proposals/moves.ts'
import { installLane } from './runtime-snapshot.ts'
import { isTheirs } from '../sessions/session-access.ts'
import { sessionNotFound } from '../sessions/session-moves.ts'

const timelineLimit = 200
const checkpointLimit = 100

/** Everything a page about one session shows, archived or not. */
export function sessionDetail(
  reader: Reader,
  sessionId: string,
  owner: string,
): LearnSessionDetail {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !isTheirs(session, owner)) throw sessionNotFound(sessionId)
  return {
    session: publicSession(session),
    ...(isPending(session.state)
      ? { pending_ui_state: pendingUiState(session.state, installLane(reader, session)) }
      : {}),
    timeline: listTimeline(reader, sessionId, timelineLimit),
    boundaries: listBoundaries(reader, sessionId),
    ...proposalParts(reader, session),
    ...testPolicyPart(reader, session),
    observation_scope: observationScope(reader, session),
    checkpoint_receipts: listLatestCheckpointReceipts(reader, sessionId, checkpointLimit),
    allowed_actions: allowedActions(reader, session),
    schema_version: 1,
  }
}

function proposalParts(
  reader: Reader,
  session: StoredSession,
): Pick<LearnSessionDetail, 'proposal' | 'interpretation' | 'questions'> {
  const proposal = findSessionProposal(reader, session)
  const { interpretation_id } = session
  const interpretation =
    interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  return {
    questions: proposal === undefined ? [] : listAskedQuestions(reader, proposal.proposal_id),
    ...(proposal === undefined ? {} : { proposal: publicProposal(proposal) }),
    ...(interpretation === undefined ? {} : { interpretation }),
  }
}

function testPolicyPart(
  reader: Reader,
  { test_policy_ref }: StoredSession,
): Pick<LearnSessionDetail, 'test_policy'> {
  const id = test_policy_ref?.replace(/^test_policy:/u, '')
  const found = id === undefined ? undefined : findTestPolicy(reader, id)
  return found === undefined ? {} : { test_policy: found.policy }
}
