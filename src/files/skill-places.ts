import { join } from 'node:path'
import { stagedFolder } from './bundle-storage.ts'
import { type FolderFile, type FolderState, SkillFolders } from './skill-folders.ts'

export type SkillPlace = 'canonical' | 'projected'

/** Where skills are kept: the daemon's own copy, and the one agents read and nobody else writes. */
export class SkillPlaces {
  readonly #places: Readonly<Record<SkillPlace, SkillFolders>>

  constructor({ home, workspace }: { readonly home: string; readonly workspace: string }) {
    const staged = stagedFolder(home)
    this.#places = {
      canonical: new SkillFolders(join(home, 'system', 'learning', 'installed'), {
        file: 0o600,
        folder: 0o700,
        staged,
      }),
      projected: new SkillFolders(join(workspace, 'skills'), {
        file: 0o444,
        folder: 0o755,
        staged,
      }),
    }
  }

  put(
    place: SkillPlace,
    slug: string,
    files: readonly FolderFile[],
    mark: string,
  ): Promise<string[]> {
    return this.#places[place].put(slug, files, mark)
  }

  remove(place: SkillPlace, slug: string, mark: string): Promise<void> {
    return this.#places[place].remove(slug, mark)
  }

  has(place: SkillPlace, slug: string): Promise<boolean> {
    return this.#places[place].has(slug)
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
