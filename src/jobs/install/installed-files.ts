import { DAEMON_ACTOR, writeAs } from '../../domain/command/context.ts'
import { type FileCheck, recordFileCheck } from '../../domain/install/file-edits.ts'
import { listCurrentVersions } from '../../store/abilities/ability-versions.ts'
import { findOpenSaga } from '../../store/install/install-sagas.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import type { SkillFile, SkillFolderPort } from '../ports.ts'
import type { RunnerDeps } from '../runner.ts'
import { listFolderFiles } from './skill-folder-files.ts'

/**
 * Compares the files of every ability with what was installed. Missing files are written again. Files edited by hand
 * are kept and reported, and the ability is unusable until the edit is resolved. Abilities with a running saga are
 * skipped.
 */
export async function checkInstalledFiles(deps: RunnerDeps, folders: SkillFolderPort): Promise<void> {
  const { store, log, newId } = deps
  await folders.tidy().catch((error: unknown) => {
    log.warn({ err: error }, 'temporary skill folders could not be removed')
  })
  for (const { ability_id, version, skill_slug } of store.read(listCurrentVersions)) {
    if (store.read((reader) => findOpenSaga(reader, ability_id)?.status) === 'running') continue
    const check = async (place: FilePlace): Promise<FileCheck> => {
      const files = store.read((reader) => listFolderFiles(reader, { ability_id, version }, place))
      return checkFolder(deps, folders, { place, slug: skill_slug, files })
    }
    const found = { canonical: await check('canonical'), projected: await check('projected') }
    const correlation_id = `start:${newId()}`
    await writeAs(deps, { actor: DAEMON_ACTOR, correlation_id }, (ctx) => recordFileCheck(ctx, ability_id, found))
  }
}

interface Folder {
  readonly place: FilePlace
  readonly slug: string
  readonly files: readonly SkillFile[]
}

async function checkFolder(
  { log }: RunnerDeps,
  folders: SkillFolderPort,
  { place, slug, files }: Folder,
): Promise<FileCheck> {
  try {
    const { missing, edited } = await folders.inspect(place, slug, files)
    const missingFiles = files.filter(({ path }) => missing.includes(path))
    if (missingFiles.length === 0) return { edited, missing: [] }
    const isWritten = await folders.mend(place, slug, missingFiles).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error, place, slug }, 'files of a skill could not be written again')
        return false
      },
    )
    return { edited, missing: isWritten ? [] : missing }
  } catch (error) {
    log.warn({ err: error, place, slug }, 'files of a skill could not be read')
    return { edited: [], missing: files.map(({ path }) => path) }
  }
}
