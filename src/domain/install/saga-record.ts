import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { SagaStep } from '@apprentice/contracts/abilities/installs.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { getBridgeMarks } from '../../store/capabilities/bridge.ts'
import {
  findSaga,
  insertSaga,
  type SagaRow,
  updateSaga,
} from '../../store/install/install-sagas.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { laneBehind } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'

export const installKind = 'install.saga'

type NewSaga = Pick<
  SagaRow,
  'kind' | 'owner_user_id' | 'ability_id' | 'skill_slug' | 'version' | 'install_lane'
> &
  Partial<Pick<SagaRow, 'proposal_id' | 'learn_session_id'>>

/** Writes down that something is to be installed or removed, and what was there before. */
export function openSaga(ctx: CommandContext, parts: NewSaga): SagaRow {
  const saga: SagaRow = {
    ...parts,
    saga_id: ctx.newId(),
    status: 'running',
    step: 'materialize',
    attempts: 1,
    files_written: [],
    previous: previousOf(ctx, parts.ability_id),
    started_at: ctx.now,
    updated_at: ctx.now,
  }
  insertSaga(ctx.tx, saga)
  tellProgress(ctx, saga)
  queue(ctx, saga, jobOf(saga))
  return saga
}

function previousOf(ctx: CommandContext, abilityId: string): SagaRow['previous'] {
  const ability = findAbility(ctx.tx, abilityId)
  return {
    bridge_hash: getBridgeMarks(ctx.tx).content_hash,
    ...(ability && {
      version: ability.current_version,
      skill_slug: ability.skill_slug,
      install_lane: laneBehind(ability),
    }),
  }
}

/** What could not be finished is tried again from where it stopped. */
export function resumeSaga(
  ctx: CommandContext,
  { error_code: _c, error_reason: _r, ...saga }: SagaRow,
) {
  const attempts = saga.attempts + 1
  const resumed = saveSaga(ctx, { ...saga, status: 'running', attempts })
  queue(ctx, resumed, jobOf(resumed))
  return resumed
}

/** For a saga that is to be taken back when the job that worked on it is over. */
export function queueUndoing(ctx: CommandContext, saga: SagaRow): void {
  queue(ctx, saga, `${jobOf(saga)}:back`)
}

export function saveSaga(ctx: CommandContext, saga: SagaRow): SagaRow {
  const saved = { ...saga, updated_at: ctx.now }
  updateSaga(ctx.tx, saved)
  tellProgress(ctx, saved)
  return saved
}

export const goOn = (
  ctx: CommandContext,
  saga: SagaRow,
  step: SagaStep,
  changes: Partial<SagaRow> = {},
) => saveSaga(ctx, { ...saga, ...changes, step })

export function getSaga(ctx: CommandContext, sagaId: string): SagaRow {
  const saga = findSaga(ctx.tx, sagaId)
  if (saga === undefined) throw new Error(`No row for installation ${sagaId}.`)
  return saga
}

export const jobOf = ({ saga_id, attempts }: Pick<SagaRow, 'saga_id' | 'attempts'>): string =>
  `${saga_id}:${attempts}`

/** One at a time: they all write the same bridge. */
function queue(ctx: CommandContext, { saga_id }: SagaRow, job_id: string): void {
  enqueueJob(ctx, { job_id, kind: installKind, lane: installKind, payload: { saga_id } })
}

function tellProgress(ctx: CommandContext, { saga_id, ability_id, status, step }: SagaRow): void {
  recordEvent(ctx, `install/${saga_id}`, 'learn.install.progressed', {
    saga_id,
    ability_id,
    status,
    step,
  })
}

/** Told in the session the skill comes from, as long as there is one; else on its own. */
export function tellInstall(
  ctx: CommandContext,
  { learn_session_id, saga_id, ability_id, proposal_id }: SagaRow,
  kind: Extract<EventKind, `learn.install.${string}` | 'ability.route.enabled'>,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const named = proposal_id === undefined ? {} : { proposal_id }
  const payload = { saga_id, ability_id, ...named, ...facts }
  if (learn_session_id !== undefined && findLearnSession(ctx.tx, learn_session_id) !== undefined) {
    recordSessionEvent(ctx, learn_session_id, kind, { ref: `install:${saga_id}`, payload })
  } else {
    recordEvent(ctx, `ability/${ability_id}`, kind, payload)
  }
}

/** How a saga tells what stopped it. */
export const errorOf = ({ code, message }: Failure) => ({ error_code: code, error_reason: message })

/** What the receipts of an installation name. */
export const marksOf = ({ saga_id, ability_id, proposal_id, learn_session_id }: SagaRow) => ({
  saga_id,
  ability_id,
  ...(proposal_id === undefined ? {} : { proposal_id }),
  ...(learn_session_id === undefined ? {} : { learn_session_id }),
})

export const inProgress = ({ saga_id, ability_id, status }: SagaRow): Failure =>
  new Failure('INSTALL_IN_PROGRESS', `${ability_id} is being installed or removed.`, {
    details: { ability_id, saga_id, status },
  })
