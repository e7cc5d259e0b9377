import { type FoundFiles, noteFiles } from '../domain/install/file-drift.ts'
import { listVersionsInForce } from '../store/abilities/ability-versions.ts'
import { findOpenSaga } from '../store/install/install-sagas.ts'
import type { FilePlace } from '../store/install/installed-files.ts'
import type { RunnerDeps } from './runner.ts'
import { folderOf, type SkillFile, type SkillFolderPort } from './skill-folder-port.ts'

/**
 * Looks whether the files of every ability are as they were installed. What is missing is written again; what was
 * edited by hand is left as it is and told, and the ability is not used until somebody has decided. Abilities that
 * are being installed are left to that.
 */
export async function checkInstalledFiles(
  edges: RunnerDeps,
  hands: SkillFolderPort,
): Promise<void> {
  const { store, log, clock, newId } = edges
  await hands.tidy().catch((error: unknown) => {
    log.warn({ err: error }, 'what a crash left of a skill folder could not be removed')
  })
  for (const { ability_id, version, skill_slug } of store.read(listVersionsInForce)) {
    if (store.read((reader) => findOpenSaga(reader, ability_id)?.status) === 'running') continue
    const look = async (place: FilePlace): Promise<FoundFiles> => {
      const files = store.read((reader) => folderOf(reader, { ability_id, version }, place))
      return lookAt(edges, hands, { place, slug: skill_slug, files })
    }
    const found = { canonical: await look('canonical'), projected: await look('projected') }
    await store.write((tx) =>
      noteFiles(
        {
          tx,
          now: clock().toISOString(),
          actor: { kind: 'system', user_id: 'system' },
          correlation_id: `start:${newId()}`,
          newId,
        },
        ability_id,
        found,
      ),
    )
  }
}

interface Folder {
  readonly place: FilePlace
  readonly slug: string
  readonly files: readonly SkillFile[]
}

async function lookAt(
  { log }: RunnerDeps,
  hands: SkillFolderPort,
  { place, slug, files }: Folder,
): Promise<FoundFiles> {
  try {
    const { missing, edited } = await hands.inspect(place, slug, files)
    const wanted = files.filter(({ path }) => missing.includes(path))
    if (wanted.length === 0) return { edited, lacking: [] }
    const mended = await hands.mend(place, slug, wanted).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error, place, slug }, 'files of a skill could not be written again')
        return false
      },
    )
    return { edited, lacking: mended ? [] : missing }
  } catch (error) {
    log.warn({ err: error, place, slug }, 'files of a skill could not be read')
    return { edited: [], lacking: files.map(({ path }) => path) }
  }
}
