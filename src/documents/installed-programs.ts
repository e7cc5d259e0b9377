import { constants, realpathSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { PROGRAM_NAMES, type ProgramFacts, type ProgramName } from '../knowledge/documents/adapter-health.ts'

export type InstalledPrograms = Readonly<Partial<Record<ProgramName, string>>>

/** Finds the programs in a search path. Links are followed, because a contained program does not see every folder. */
export async function findPrograms(searchPath: string): Promise<InstalledPrograms> {
  const folders = searchPath.split(delimiter).filter((folder) => folder.startsWith('/'))
  const found = await Promise.all(
    PROGRAM_NAMES.map(async (name) => {
      const path = await findProgram(name, folders)
      return path === undefined ? [] : [[name, path] as const]
    }),
  )
  return Object.fromEntries(found.flat())
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return realpathSync(path)
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/** tesseract without a language cannot read. */
export function toFacts(
  programs: InstalledPrograms,
  ocr_languages: readonly string[] | undefined,
  checked_at: string,
): ProgramFacts {
  const missing = PROGRAM_NAMES.filter(
    (name) => programs[name] === undefined || (name === 'tesseract' && ocr_languages?.length === 0),
  )
  return { missing, ocr_languages: ocr_languages ?? [], checked_at }
}
