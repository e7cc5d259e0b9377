import type { CommandContext } from '../domain/command/context.ts'
import {
  abort,
  buildBridge,
  filesWritten,
  finishInstall,
  markFailed,
  leaveUnavailable,
  makeAvailable,
  type WrittenFiles,
} from '../domain/install/advance-install.ts'
import { compensate } from '../domain/install/compensate.ts'
import { finishUninstall, leaveFiles } from '../domain/install/uninstall.ts'
import { Failure } from '../failure/failure.ts'
import { findSaga, type SagaRow } from '../store/install/install-sagas.ts'
import type { FilePlace } from '../store/install/installed-files.ts'
import type { Job } from '../store/command/jobs.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'
import { folderOf, places, type SkillFolderPort } from './skill-folder-port.ts'

/** Installations go on from the step they were at: every step can be done twice. */
export function installSagas(edges: RunnerDeps, hands: SkillFolderPort): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      for (;;) {
        signal.throwIfAborted()
        const saga = edges.store.read((reader) => findSaga(reader, sagaIdOf(job)) ?? null)
        if (saga?.status !== 'running') return { status: saga?.status ?? 'gone' }
        await new SagaWork(edges, hands, { saga, job }).step()
      }
    },
    settled: (ctx, job) => {
      if (job.state === 'failed') abort(ctx, sagaIdOf(job))
    },
  }
}

const sagaIdOf = ({ payload }: Job): string => (payload as { saga_id: string }).saga_id

/** One step of an installation, or the way back from all of them. */
class SagaWork {
  readonly #edges: RunnerDeps
  readonly #hands: SkillFolderPort
  readonly #saga: SagaRow
  readonly #job: Job

  constructor(
    edges: RunnerDeps,
    hands: SkillFolderPort,
    { saga, job }: { saga: SagaRow; job: Job },
  ) {
    this.#edges = edges
    this.#hands = hands
    this.#saga = saga
    this.#job = job
  }

  step(): Promise<void> {
    const { kind, error_code, step, saga_id } = this.#saga
    if (kind === 'uninstall') return this.#removeFiles()
    if (error_code !== undefined) return this.#takeBack()
    switch (step) {
      case 'materialize':
      case 'project':
        return this.#putFiles(step)
      case 'bridge':
        return this.#write((ctx) => buildBridge(ctx, saga_id))
      case 'availability':
        return this.#makeAvailable()
      case 'finish':
      case 'done':
        return this.#finish()
    }
  }

  async #putFiles(step: 'materialize' | 'project'): Promise<void> {
    const { saga_id } = this.#saga
    const done = await this.#tryToPut(step === 'materialize' ? 'canonical' : 'projected')
    await this.#write((ctx) => {
      if (done instanceof Failure) markFailed(ctx, saga_id, done)
      else filesWritten(ctx, saga_id, { step, ...done })
    })
  }

  async #tryToPut(
    place: FilePlace,
  ): Promise<Pick<WrittenFiles, 'paths' | 'overwritten'> | Failure> {
    const { saga_id, skill_slug, version } = this.#saga
    try {
      await this.#assertOurs(place)
      const overwritten = await this.#editedIn(place)
      const files = this.#filesOf(version, place)
      const paths = await this.#hands.put(place, skill_slug, files, saga_id)
      return { paths: paths.map((path) => `${place}:${path}`), overwritten }
    } catch (error) {
      this.#edges.log.warn({ err: error, saga_id, place }, 'an installation is taken back')
      return unwritten(error)
    }
  }

  /** What somebody has edited in the folder that is about to be replaced. */
  async #editedIn(place: FilePlace): Promise<readonly string[]> {
    const { skill_slug, previous, version } = this.#saga
    if (previous.version === undefined || previous.skill_slug !== skill_slug) return []
    if (await this.#isWritten(place, version)) return []
    const before = this.#filesOf(previous.version, place)
    return (await this.#hands.inspect(place, skill_slug, before)).edited
  }

  /** A folder that somebody else put there is neither replaced nor removed. */
  async #assertOurs(place: FilePlace): Promise<void> {
    const { skill_slug, previous, version } = this.#saga
    if (previous.skill_slug === skill_slug || !(await this.#hands.has(place, skill_slug))) return
    if (await this.#isWritten(place, version)) return
    throw new Failure(
      'MATERIALIZATION_FAILED',
      `There is a folder ${skill_slug} already, and it is not ours (${place}).`,
    )
  }

  async #isWritten(place: FilePlace, version: number): Promise<boolean> {
    const files = this.#filesOf(version, place)
    const { missing, edited } = await this.#hands.inspect(place, this.#saga.skill_slug, files)
    return missing.length === 0 && edited.length === 0
  }

  /** Puts back what was in force, or leaves nothing where nothing was. */
  async #takeBack(): Promise<void> {
    const { saga_id } = this.#saga
    const restored = { canonical: false, projected: false }
    for (const place of places) {
      try {
        await this.#restore(place)
        restored[place] = true
      } catch (error) {
        this.#edges.log.error({ err: error, saga_id, place }, 'a skill folder is not as it was')
      }
    }
    await this.#write((ctx) => compensate(ctx, saga_id, restored))
  }

  async #restore(place: FilePlace): Promise<void> {
    const { saga_id, skill_slug, previous, version } = this.#saga
    if (previous.version !== undefined && previous.skill_slug === skill_slug) {
      if (await this.#isWritten(place, previous.version)) return
      const files = this.#filesOf(previous.version, place)
      await this.#hands.put(place, skill_slug, files, saga_id)
    } else if (await this.#isWritten(place, version)) {
      await this.#hands.remove(place, skill_slug, saga_id)
    }
  }

  async #makeAvailable(): Promise<void> {
    const { saga_id } = this.#saga
    try {
      await this.#write((ctx) => makeAvailable(ctx, saga_id))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await this.#write((ctx) => leaveUnavailable(ctx, saga_id, error))
    }
  }

  /** A skill that got another name leaves the folder of the old one. */
  async #finish(): Promise<void> {
    const { saga_id, skill_slug, previous } = this.#saga
    const before = previous.skill_slug ?? skill_slug
    if (before !== skill_slug) {
      for (const place of places) await this.#hands.remove(place, before, saga_id)
    }
    await this.#write((ctx) => finishInstall(ctx, saga_id))
  }

  async #removeFiles(): Promise<void> {
    const { saga_id, skill_slug } = this.#saga
    try {
      for (const place of places) await this.#hands.remove(place, skill_slug, saga_id)
    } catch (error) {
      this.#edges.log.error({ err: error, saga_id }, 'a skill folder could not be removed')
      await this.#write((ctx) => leaveFiles(ctx, saga_id, unwritten(error)))
      return
    }
    await this.#write((ctx) => finishUninstall(ctx, saga_id))
  }

  #filesOf(version: number, place: FilePlace) {
    const { ability_id } = this.#saga
    return this.#edges.store.read((reader) => folderOf(reader, { ability_id, version }, place))
  }

  async #write(work: (ctx: CommandContext) => void): Promise<void> {
    const { store, clock, newId } = this.#edges
    await store.write((tx) =>
      work({
        tx,
        now: clock().toISOString(),
        actor: { kind: 'system', user_id: this.#saga.owner_user_id },
        correlation_id: this.#job.correlation_id,
        newId,
      }),
    )
  }
}

const unwritten = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        'MATERIALIZATION_FAILED',
        `The folder of the skill could not be changed: ${(error as NodeJS.ErrnoException).code}.`,
      )
