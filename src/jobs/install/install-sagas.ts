import { type CommandContext, systemActor, writePatientlyAs } from '../../domain/command/context.ts'
import {
  abortSaga,
  compensateSaga,
  completeStep,
  failStep,
  getStepPlan,
  listRestoredPlaces,
} from '../../domain/install/advance-saga.ts'
import type { FileResult, SagaStepPlan } from '../../domain/install/saga-table.ts'
import { Failure } from '../../failure/failure.ts'
import { toStorageFailure } from '../../failure/storage-failure.ts'
import type { Job } from '../../store/command/jobs.ts'
import { findSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import type { JobHandler } from '../handler.ts'
import type { SkillFolderPort } from '../ports.ts'
import type { RunnerDeps } from '../runner.ts'
import { SagaFiles } from './saga-files.ts'

/** Carries out install sagas as `src/domain/install/saga-table.ts` describes them. */
export function installSagas(deps: RunnerDeps, folders: SkillFolderPort): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      for (;;) {
        signal.throwIfAborted()
        const saga = deps.store.read((reader) => findSaga(reader, readSagaId(job)) ?? null)
        if (saga?.status !== 'running') return { status: saga?.status ?? 'gone' }
        const execution = new SagaExecution(deps, new SagaFiles(deps, folders, saga), { saga, job })
        await (saga.error_code === undefined ? execution.runStep() : execution.compensate())
      }
    },
    onSettled: (ctx, job) => {
      if (job.state === 'failed') abortSaga(ctx, readSagaId(job))
    },
  }
}

const readSagaId = ({ payload }: Job): string => (payload as { saga_id: string }).saga_id

const NO_FILES: FileResult = { written: [], overwritten: [] }

/** Executes the current step of a saga, or compensates all of them: files first, then records. */
class SagaExecution {
  readonly #deps: RunnerDeps
  readonly #files: SagaFiles
  readonly #saga: SagaRow
  readonly #job: Job

  constructor(deps: RunnerDeps, files: SagaFiles, { saga, job }: { saga: SagaRow; job: Job }) {
    this.#deps = deps
    this.#files = files
    this.#saga = saga
    this.#job = job
  }

  async runStep(): Promise<void> {
    const { saga_id } = this.#saga
    const plan = getStepPlan(this.#saga)
    const files = await this.#tryFiles(plan)
    const failure = files instanceof Failure ? files : await this.#tryRecords(plan, files)
    if (failure !== undefined) await this.#write((ctx) => failStep(ctx, saga_id, failure))
  }

  async compensate(): Promise<void> {
    const restored = await this.#files.restore(listRestoredPlaces(this.#saga))
    await this.#write((ctx) => compensateSaga(ctx, this.#saga.saga_id, restored))
  }

  /** Returns errors of the files as failures, unless they are to fail the job. */
  async #tryFiles({ files, onFailure }: SagaStepPlan): Promise<FileResult | Failure> {
    const { saga_id, step } = this.#saga
    if (files === undefined) return NO_FILES
    try {
      return await this.#files.apply(files)
    } catch (error) {
      if (onFailure === 'fail_job') throw error
      this.#deps.log.warn({ err: error, saga_id, step }, 'files of a skill could not be changed')
      return toFileFailure(error)
    }
  }

  async #tryRecords({ onFailure }: SagaStepPlan, files: FileResult): Promise<Failure | undefined> {
    try {
      await this.#write((ctx) => completeStep(ctx, this.#saga.saga_id, files))
      return undefined
    } catch (error) {
      if (onFailure === 'fail_job' || !(error instanceof Failure)) throw error
      return error
    }
  }

  #write(work: (ctx: CommandContext) => void): Promise<void> {
    const actor = systemActor(this.#saga.owner_user_id)
    return writePatientlyAs(this.#deps, { actor, correlation_id: this.#job.correlation_id }, work)
  }
}

const toFileFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : (toStorageFailure(error) ??
      new Failure(
        'MATERIALIZATION_FAILED',
        `The skill folder could not be changed: ${(error as NodeJS.ErrnoException).code}.`,
      ))
