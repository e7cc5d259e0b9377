import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../home/private-files.ts'
import { endProcessFamily } from '../processes/process-family.ts'

/** In the environment of every program that reads a document. */
export const WORK_VARIABLE = 'APPRENTICE_DOCUMENT_WORK'
const FOLDER = 'document-work'
const GRACE_MS = 500

/** The private folder of one operation. */
export interface WorkFolder {
  readonly path: string
  readonly mark: string
  remove(): Promise<void>
}

/** Daemons with other homes have folders of the same names, and end only their own programs. */
const formatMark = (path: string): string => `${WORK_VARIABLE}=${hash('sha256', path, 'hex').slice(0, 32)}`

export async function openWorkFolder(home: string, operationId: string): Promise<WorkFolder> {
  const path = join(home, FOLDER, operationId)
  await rm(path, { recursive: true, force: true })
  await makeFolder(path)
  return { path, mark: formatMark(path), remove: () => rm(path, { recursive: true, force: true }) }
}

/** Ends the programs that a killed daemon left, and removes their folders. */
export async function removeWorkFolders(home: string): Promise<void> {
  for (const operationId of await readdir(join(home, FOLDER)).catch(() => [])) {
    const path = join(home, FOLDER, operationId)
    await endProcessFamily({ mark: formatMark(path) }, GRACE_MS)
    await rm(path, { recursive: true, force: true })
  }
}
