import { listAbilityVersions } from '../store/abilities/ability-versions.ts'
import type { Reader } from '../store/db/db.ts'
import {
  type FilePlace,
  type InstalledFileRow,
  listInstalledFiles,
} from '../store/install/installed-files.ts'

export interface SkillFile {
  readonly path: string
  readonly content: string
  /** Where the content is when it is not here: a file of an unpacked bundle. */
  readonly staged?:
    | { readonly ref: string; readonly path: string; readonly sha256: string }
    | undefined
}

/** The hands that keep skill folders, here and in the agent's workspace. */
export interface SkillFolderPort {
  put(place: FilePlace, slug: string, files: readonly SkillFile[], mark: string): Promise<string[]>
  remove(place: FilePlace, slug: string, mark: string): Promise<void>
  has(place: FilePlace, slug: string): Promise<boolean>
  inspect(
    place: FilePlace,
    slug: string,
    files: readonly SkillFile[],
  ): Promise<{ readonly missing: readonly string[]; readonly edited: readonly string[] }>
  mend(place: FilePlace, slug: string, files: readonly SkillFile[]): Promise<void>
  tidy(): Promise<void>
}

export const places = ['canonical', 'projected'] as const satisfies readonly FilePlace[]

/** What a skill's folder holds: the version, and in the daemon's own copy those before it. */
export function folderOf(
  reader: Reader,
  { ability_id, version }: { readonly ability_id: string; readonly version: number },
  place: FilePlace,
): SkillFile[] {
  const current = listInstalledFiles(reader, { ability_id, version, place }).map(plain)
  if (place === 'projected') return current
  const earlier = listAbilityVersions(reader, ability_id)
    .filter((row) => row.version < version)
    .flatMap((row) =>
      listInstalledFiles(reader, { ability_id, version: row.version, place })
        .map(plain)
        .map((file) => ({ ...file, path: `.versions/${row.version}/${file.path}` })),
    )
  return [...current, ...earlier]
}

const plain = ({ path, content, sha256, staged_ref: ref }: InstalledFileRow): SkillFile => ({
  path,
  content,
  ...(typeof ref === 'string' ? { staged: { ref, path, sha256 } } : {}),
})
