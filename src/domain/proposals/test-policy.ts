import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { Failure } from '../../failure/failure.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findTestPolicy, upsertTestPolicy } from '../../store/proposals/test-policies.ts'
import { ALLOWED_TARGET_KINDS } from '../../knowledge/action-policy/target-kinds.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, saveSession } from '../sessions/session-moves.ts'

/** The states before an installation. */
export const TEST_POLICY_STATES: readonly LearnSessionState[] = [
  'idle',
  'armed',
  'capturing',
  'paused',
  'stopped',
  'reviewing',
  'awaiting_questions',
  'drafting_proposal',
  'testing_proposal',
  'ready_for_review',
]

export function setTestPolicy(ctx: CommandContext, sessionId: string, sent: TestPolicy): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, TEST_POLICY_STATES)
  const policy = withRequestedTarget(sent, session.requested_safe_target_ref)
  assertConsistent(policy)
  const { policy_id } = policy
  const known = findTestPolicy(ctx.tx, policy_id)
  if (known !== undefined && known.learn_session_id !== sessionId) {
    throw new Failure('INVALID_REQUEST', 'test_policy.policy_id belongs to another session; send a new id.', {
      details: { field: 'test_policy.policy_id' },
    })
  }
  upsertTestPolicy(ctx.tx, { learn_session_id: sessionId, policy }, ctx.now)
  const saved = saveSession(ctx, { ...session, test_policy_ref: `test_policy:${policy_id}` })
  recordSessionEvent(ctx, sessionId, 'learn.session.changed', {
    ref: `test_policy:${policy_id}`,
    payload: { policy_id, mode: policy.mode },
  })
  return saved
}

function assertConsistent({ mode, safe_targets }: TestPolicy): void {
  const fitting = ALLOWED_TARGET_KINDS[mode]
  if (fitting === undefined) return
  if (safe_targets.some(({ target_kind }) => fitting.includes(target_kind))) return
  throw new Failure(
    'TEST_POLICY_VIOLATION',
    `test_policy.mode ${mode} requires a safe target of kind ${fitting.join(' or ')}.`,
    { details: { mode, needed: fitting } },
  )
}

/** Adds the safe target requested at session creation if the policy has none. */
function withRequestedTarget(policy: TestPolicy, ref: string | undefined): TestPolicy {
  const [target_kind] = ALLOWED_TARGET_KINDS[policy.mode] ?? []
  if (ref === undefined || target_kind === undefined || policy.safe_targets.length > 0) return policy
  if (target_kind === 'safe_email_recipient' && !ref.includes('@')) return policy
  return { ...policy, safe_targets: [{ target_kind, ref }] }
}
