import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { getBridgeStatus } from '../../store/capabilities/bridge.ts'
import { findSaga, insertSaga, type SagaRow, updateSaga } from '../../store/install/install-sagas.ts'
import { findProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'

/** The job kind that carries out all steps of a saga. */
export const INSTALL_JOB_KIND = 'install.saga'

type NewSaga = Pick<SagaRow, 'kind' | 'owner_user_id' | 'ability_id' | 'skill_slug' | 'version' | 'install_lane'> &
  Partial<Pick<SagaRow, 'proposal_id' | 'learn_session_id'>>

/** Inserts a saga at its first step, with the state to return to, and queues its job. */
export function openSaga(ctx: CommandContext, parts: NewSaga): SagaRow {
  const saga: SagaRow = {
    ...parts,
    saga_id: ctx.newId(),
    status: 'running',
    step: 'materialize',
    attempts: 1,
    files_written: [],
    previous: readPrevious(ctx, parts.ability_id),
    started_at: ctx.now,
    updated_at: ctx.now,
  }
  insertSaga(ctx.tx, saga)
  recordProgress(ctx, saga)
  enqueueSaga(ctx, saga, buildSagaJobId(saga))
  return saga
}

function readPrevious(ctx: CommandContext, abilityId: string): SagaRow['previous'] {
  const ability = findAbility(ctx.tx, abilityId)
  return {
    bridge_hash: getBridgeStatus(ctx.tx).content_hash,
    ...(ability && {
      version: ability.current_version,
      skill_slug: ability.skill_slug,
      install_lane: effectiveLane(ability),
    }),
  }
}

/** Runs a degraded saga again from its current step. */
export function resumeSaga(ctx: CommandContext, { error_code: _c, error_reason: _r, ...saga }: SagaRow) {
  const attempts = saga.attempts + 1
  const resumed = saveSaga(ctx, { ...saga, status: 'running', attempts })
  enqueueSaga(ctx, resumed, buildSagaJobId(resumed))
  return resumed
}

/** Queues a further job for a saga whose own job has failed. */
export function queueCompensation(ctx: CommandContext, saga: SagaRow): void {
  enqueueSaga(ctx, saga, `${buildSagaJobId(saga)}:back`)
}

export function saveSaga(ctx: CommandContext, saga: SagaRow): SagaRow {
  const saved = { ...saga, updated_at: ctx.now }
  updateSaga(ctx.tx, saved)
  recordProgress(ctx, saved)
  return saved
}

export function getSaga(ctx: CommandContext, sagaId: string): SagaRow {
  const saga = findSaga(ctx.tx, sagaId)
  if (saga === undefined) throw new Error(`No install saga ${sagaId}.`)
  return saga
}

/** The proposal a saga installs. Rollbacks and removals change no proposal. */
export function findSagaProposal(
  { tx }: CommandContext,
  { kind, proposal_id }: Pick<SagaRow, 'kind' | 'proposal_id'>,
): StoredProposal | undefined {
  if (kind === 'rollback' || kind === 'uninstall' || proposal_id === undefined) return undefined
  return findProposal(tx, proposal_id)
}

export const buildSagaJobId = ({ saga_id, attempts }: Pick<SagaRow, 'saga_id' | 'attempts'>): string =>
  `${saga_id}:${attempts}`

/** Sagas run one at a time because all of them rebuild the bridge. */
function enqueueSaga(ctx: CommandContext, { saga_id }: SagaRow, job_id: string): void {
  enqueueJob(ctx, { job_id, kind: INSTALL_JOB_KIND, lane: INSTALL_JOB_KIND, payload: { saga_id } })
}

function recordProgress(ctx: CommandContext, { saga_id, ability_id, status, step }: SagaRow): void {
  recordEvent(ctx, `install/${saga_id}`, 'learn.install.progressed', {
    saga_id,
    ability_id,
    status,
    step,
  })
}

/** Records the event in the learn session of the skill if it still exists, else on the ability. */
export function recordInstallEvent(
  ctx: CommandContext,
  { learn_session_id, saga_id, ability_id, proposal_id }: SagaRow,
  kind: Extract<EventKind, `learn.install.${string}` | 'ability.route.enabled'>,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const proposal = proposal_id === undefined ? {} : { proposal_id }
  const payload = { saga_id, ability_id, ...proposal, ...facts }
  if (learn_session_id !== undefined && findLearnSession(ctx.tx, learn_session_id) !== undefined) {
    recordSessionEvent(ctx, learn_session_id, kind, { ref: `install:${saga_id}`, payload })
  } else {
    recordEvent(ctx, `ability/${ability_id}`, kind, payload)
  }
}

export const toSagaError = ({ code, message }: Failure) => ({
  error_code: code,
  error_reason: message,
})

/** The ids that every receipt of a saga carries. */
export const toReceiptRefs = ({ saga_id, ability_id, proposal_id, learn_session_id }: SagaRow) => ({
  saga_id,
  ability_id,
  ...(proposal_id === undefined ? {} : { proposal_id }),
  ...(learn_session_id === undefined ? {} : { learn_session_id }),
})

export const installInProgress = ({ saga_id, ability_id, status }: SagaRow): Failure =>
  new Failure('INSTALL_IN_PROGRESS', `${ability_id} is being installed or removed.`, {
    details: { ability_id, saga_id, status },
  })
