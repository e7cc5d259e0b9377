import { listAbilityVersions } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { type FilePlace, type InstalledFileRow, listInstalledFiles } from '../../store/install/installed-files.ts'
import type { SkillFile } from '../ports.ts'

export const FILE_PLACES = ['canonical', 'projected'] as const satisfies readonly FilePlace[]

/** The files of a skill folder: the given version and, in the canonical folder, all earlier versions. */
export function listFolderFiles(
  reader: Reader,
  { ability_id, version }: { readonly ability_id: string; readonly version: number },
  place: FilePlace,
): SkillFile[] {
  const current = listInstalledFiles(reader, { ability_id, version, place }).map(toSkillFile)
  if (place === 'projected') return current
  const earlier = listAbilityVersions(reader, ability_id)
    .filter((row) => row.version < version)
    .flatMap((row) =>
      listInstalledFiles(reader, { ability_id, version: row.version, place })
        .map(toSkillFile)
        .map((file) => ({ ...file, path: `.versions/${row.version}/${file.path}` })),
    )
  return [...current, ...earlier]
}

const toSkillFile = ({ path, content, sha256, staged_ref: ref, executable }: InstalledFileRow): SkillFile => ({
  path,
  content,
  ...(typeof ref === 'string' ? { stored_sha256: sha256 } : {}),
  ...(executable === true ? { executable } : {}),
})
