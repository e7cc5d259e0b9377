import { SagaStep } from '@apprentice/contracts/abilities/installs.ts'
import { Failure } from '../../failure/failure.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import type { CommandContext } from '../command/context.ts'
import { recordImportDegraded } from '../skill-import/record/install-outcomes.ts'
import { deleteFailedVersion, recordRestoredFiles, type RestoredPlaces } from './compensation.ts'
import { getSaga, queueCompensation, saveSaga, toSagaError } from './saga-record.ts'
import { type FileResult, SAGAS, type SagaStepPlan } from './saga-table.ts'

export function getStepPlan({ kind, step }: Pick<SagaRow, 'kind' | 'step'>): SagaStepPlan {
  const plan = SAGAS[kind].steps[step]
  if (plan === undefined) throw new Error(`A saga of kind ${kind} has no step ${step}.`)
  return plan
}

/** Writes the records of the current step and moves the saga to the next one. */
export function completeStep(ctx: CommandContext, sagaId: string, files: FileResult): void {
  const saga = getSaga(ctx, sagaId)
  const { records, next } = getStepPlan(saga)
  const failure = records(ctx, saga, files)
  if (failure !== undefined) {
    failStep(ctx, sagaId, failure)
    return
  }
  const files_written = [...new Set([...saga.files_written, ...files.written])]
  const status = next === 'done' ? 'completed' : 'running'
  const saved = saveSaga(ctx, { ...saga, files_written, step: next, status })
  if (next === 'done') SAGAS[saga.kind].onDone(ctx, saved)
}

/** Writes the failure of the current step. A saga that stays `running` with an error is to be compensated. */
export function failStep(ctx: CommandContext, sagaId: string, failure: Failure): void {
  const saga = getSaga(ctx, sagaId)
  const { onFailure } = getStepPlan(saga)
  if (onFailure === 'fail_job') throw failure
  onFailure.records?.(ctx, saga)
  recordFailure(ctx, saga, failure, onFailure.compensateAfter)
}

function recordFailure(ctx: CommandContext, saga: SagaRow, failure: Failure, compensateAfter: number): SagaRow {
  const status = saga.attempts >= compensateAfter ? 'running' : 'degraded'
  const saved = saveSaga(ctx, { ...saga, ...toSagaError(failure), status })
  if (status === 'degraded') recordImportDegraded(ctx, saved)
  return saved
}

/** The places whose files a compensation restores. */
export function listRestoredPlaces({ kind }: Pick<SagaRow, 'kind'>): FilePlace[] {
  return Object.values(SAGAS[kind].steps).flatMap(({ compensation }) =>
    'restore' in compensation ? [compensation.restore] : [],
  )
}

/** Undoes the records of the steps that were reached. The files are restored before. */
export function compensateSaga(ctx: CommandContext, sagaId: string, restored: RestoredPlaces): void {
  const saga = getSaga(ctx, sagaId)
  recordRestoredFiles(ctx, saga, restored)
  for (const { compensation } of listReachedSteps(saga)) {
    if ('records' in compensation) compensation.records(ctx, saga)
  }
  deleteFailedVersion(ctx, saga)
  const compensated = saveSaga(ctx, { ...saga, status: 'compensated' })
  SAGAS[saga.kind].onCompensated?.(ctx, compensated, restored)
}

function listReachedSteps({ kind, step }: SagaRow): SagaStepPlan[] {
  const reached = SagaStep.options.slice(0, SagaStep.options.indexOf(step) + 1)
  return reached.flatMap((name) => SAGAS[kind].steps[name] ?? [])
}

/** For a job that failed with an error no step handles. Does nothing if the saga has already ended. */
export function abortSaga(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  if (saga.status !== 'running') return
  const failure = new Failure('INTERNAL_ERROR', 'An internal error stopped the installation.')
  if (saga.error_code !== undefined) {
    // The compensation itself failed. The same request resumes the saga at its step.
    saveSaga(ctx, { ...saga, ...toSagaError(failure), status: 'degraded' })
    return
  }
  const { compensateAfter } = SAGAS[saga.kind].onJobFailed
  const { status } = recordFailure(ctx, saga, failure, compensateAfter)
  if (status === 'running') queueCompensation(ctx, saga)
}
