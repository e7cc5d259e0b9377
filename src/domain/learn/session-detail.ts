import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import { listLatestCheckpointReceipts } from '../../store/abilities/checkpoint-receipts.ts'
import type { Reader } from '../../store/db/db.ts'
import { listTimeline } from '../../store/command/events.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import { toPublicSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { toPublicProposal } from '../../store/proposals/proposals.ts'
import { findTestPolicy } from '../../store/proposals/test-policies.ts'
import { listAllowedActions } from './allowed-actions.ts'
import { listQuestionsWithAnswers } from '../proposals/draft/clarification.ts'
import { buildObservationScope } from '../capture/observation-scope.ts'
import { isPending, toPendingUiState } from '../sessions/pending-state.ts'
import { findSessionProposal } from '../proposals/moves.ts'
import { findInstallLane } from './runtime-snapshot.ts'
import { readOwnSession } from '../sessions/session-access.ts'

const MAX_TIMELINE_ENTRIES = 200
const MAX_CHECKPOINT_RECEIPTS = 100

/** Everything a page about one session displays. Archived sessions are included. */
export function buildSessionDetail(reader: Reader, sessionId: string, owner: string): LearnSessionDetail {
  const session = readOwnSession(reader, sessionId, owner)
  return {
    session: toPublicSession(session),
    ...(isPending(session.state)
      ? { pending_ui_state: toPendingUiState(session.state, findInstallLane(reader, session)) }
      : {}),
    timeline: listTimeline(reader, sessionId, MAX_TIMELINE_ENTRIES),
    boundaries: listBoundaries(reader, sessionId),
    ...readProposalParts(reader, session),
    ...readTestPolicy(reader, session),
    observation_scope: buildObservationScope(reader, session),
    checkpoint_receipts: listLatestCheckpointReceipts(reader, sessionId, MAX_CHECKPOINT_RECEIPTS),
    allowed_actions: listAllowedActions(reader, session),
    schema_version: 1,
  }
}

function readProposalParts(
  reader: Reader,
  session: StoredSession,
): Pick<LearnSessionDetail, 'proposal' | 'interpretation' | 'questions'> {
  const proposal = findSessionProposal(reader, session)
  const { interpretation_id } = session
  const interpretation = interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  return {
    questions: proposal === undefined ? [] : listQuestionsWithAnswers(reader, proposal.proposal_id),
    ...(proposal === undefined ? {} : { proposal: toPublicProposal(proposal) }),
    ...(interpretation === undefined ? {} : { interpretation }),
  }
}

function readTestPolicy(reader: Reader, { test_policy_ref }: StoredSession): Pick<LearnSessionDetail, 'test_policy'> {
  const id = test_policy_ref?.replace(/^test_policy:/u, '')
  const found = id === undefined ? undefined : findTestPolicy(reader, id)
  return found === undefined ? {} : { test_policy: found.policy }
}
