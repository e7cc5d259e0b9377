import type { RestoredPlaces } from '../../domain/install/compensation.ts'
import type { FileEffect, FileResult } from '../../domain/install/saga-table.ts'
import { Failure } from '../../failure/failure.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import type { SkillFile, SkillFolderPort } from '../ports.ts'
import type { RunnerDeps } from '../runner.ts'
import { FILE_PLACES, listFolderFiles } from './skill-folder-files.ts'

/** Changes the folders of the skill that a saga installs or removes. Every change can be repeated. */
export class SagaFiles {
  readonly #deps: RunnerDeps
  readonly #folders: SkillFolderPort
  readonly #saga: SagaRow

  constructor(deps: RunnerDeps, folders: SkillFolderPort, saga: SagaRow) {
    this.#deps = deps
    this.#folders = folders
    this.#saga = saga
  }

  async apply(effect: FileEffect): Promise<FileResult> {
    if ('write' in effect) return this.#write(effect.write)
    const { skill_slug, previous } = this.#saga
    if (effect.remove === 'skill_folders') await this.#remove(skill_slug)
    else if (previous.skill_slug !== undefined && previous.skill_slug !== skill_slug) {
      await this.#remove(previous.skill_slug)
    }
    return { written: [], overwritten: [] }
  }

  /** Restores the previous files in these places. A place that cannot be restored does not stop the others. */
  async restore(places: readonly FilePlace[]): Promise<RestoredPlaces> {
    const restored = { canonical: false, projected: false }
    for (const place of places) {
      try {
        await this.#restoreIn(place)
        restored[place] = true
      } catch (error) {
        const { saga_id } = this.#saga
        this.#deps.log.error({ err: error, saga_id, place }, 'a skill folder was not restored')
      }
    }
    return restored
  }

  async #write(place: FilePlace): Promise<FileResult> {
    const { saga_id, skill_slug, version } = this.#saga
    await this.#assertOwnFolder(place)
    const overwritten = await this.#findEditedFiles(place)
    const files = this.#listFiles(version, place)
    const paths = await this.#folders.put(place, skill_slug, files, saga_id)
    return { written: paths.map((path) => `${place}:${path}`), overwritten }
  }

  async #remove(slug: string): Promise<void> {
    for (const place of FILE_PLACES) await this.#folders.remove(place, slug, this.#saga.saga_id)
  }

  async #restoreIn(place: FilePlace): Promise<void> {
    const { saga_id, skill_slug, previous, version } = this.#saga
    if (previous.version !== undefined && previous.skill_slug === skill_slug) {
      if (await this.#isWritten(place, previous.version)) return
      const files = this.#listFiles(previous.version, place)
      await this.#folders.put(place, skill_slug, files, saga_id)
    } else if (await this.#isWritten(place, version)) {
      await this.#folders.remove(place, skill_slug, saga_id)
    }
  }

  /** The files of the previous version that were edited by hand. */
  async #findEditedFiles(place: FilePlace): Promise<readonly string[]> {
    const { skill_slug, previous, version } = this.#saga
    if (previous.version === undefined || previous.skill_slug !== skill_slug) return []
    if (await this.#isWritten(place, version)) return []
    const files = this.#listFiles(previous.version, place)
    return (await this.#folders.inspect(place, skill_slug, files)).edited
  }

  /** A folder that the daemon did not write is neither replaced nor removed. */
  async #assertOwnFolder(place: FilePlace): Promise<void> {
    const { skill_slug, previous, version } = this.#saga
    if (previous.skill_slug === skill_slug || !(await this.#folders.has(place, skill_slug))) return
    if (await this.#isWritten(place, version)) return
    throw new Failure(
      'MATERIALIZATION_FAILED',
      `A folder ${skill_slug} that was not installed by this daemon exists already (${place}).`,
    )
  }

  async #isWritten(place: FilePlace, version: number): Promise<boolean> {
    const files = this.#listFiles(version, place)
    const { missing, edited } = await this.#folders.inspect(place, this.#saga.skill_slug, files)
    return missing.length === 0 && edited.length === 0
  }

  #listFiles(version: number, place: FilePlace): SkillFile[] {
    const { ability_id } = this.#saga
    return this.#deps.store.read((reader) => listFolderFiles(reader, { ability_id, version }, place))
  }
}
