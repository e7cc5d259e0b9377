import { join } from 'node:path'
import { chooseModes, PRIVATE } from '../home/private-files.ts'
import { openSkillFiles } from './content-files.ts'
import { type FolderFile, type FolderState, type ListedFolder, SkillFolders } from './skill-folders.ts'

export type SkillPlace = 'canonical' | 'projected'

const READ_ONLY = 0o444

/** The two copies of installed skills: the daemon's own, and the read-only copy for agents. */
export class SkillPlaces {
  readonly #places: Readonly<Record<SkillPlace, SkillFolders>>

  constructor({ home, workspace }: { readonly home: string; readonly workspace: string }) {
    const stored = openSkillFiles(home)
    const modes = chooseModes(home, workspace)
    this.#places = {
      canonical: new SkillFolders(join(home, 'system', 'learning', 'installed'), {
        ...PRIVATE,
        stored,
      }),
      projected: new SkillFolders(join(workspace, 'skills'), {
        ...modes,
        file: modes.file & READ_ONLY,
        stored,
      }),
    }
  }

  put(place: SkillPlace, slug: string, files: readonly FolderFile[], workId: string): Promise<string[]> {
    return this.#places[place].put(slug, files, workId)
  }

  remove(place: SkillPlace, slug: string, workId: string): Promise<void> {
    return this.#places[place].remove(slug, workId)
  }

  has(place: SkillPlace, slug: string): Promise<boolean> {
    return this.#places[place].has(slug)
  }

  list(place: SkillPlace): Promise<ListedFolder[]> {
    return this.#places[place].list()
  }

  inspect(place: SkillPlace, slug: string, files: readonly FolderFile[]): Promise<FolderState> {
    return this.#places[place].inspect(slug, files)
  }

  mend(place: SkillPlace, slug: string, files: readonly FolderFile[]): Promise<void> {
    return this.#places[place].mend(slug, files)
  }

  async tidy(): Promise<void> {
    await this.#places.canonical.tidy()
    await this.#places.projected.tidy()
  }
}
