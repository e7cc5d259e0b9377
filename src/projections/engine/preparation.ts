import type { Logger } from 'pino'
import type { Store } from '../../store/db/db.ts'
import { getLastEventSeq } from '../../store/command/events.ts'
import {
  deleteProjectionCursor,
  deleteProjectionLog,
  listProjectionCursors,
  listProjectionLogPaths,
  upsertProjectionCursor,
} from '../../store/projections/projection-cursors.ts'
import type { ProjectionState } from './projection-state.ts'
import type { ProjectionFiles } from './projection-files.ts'
import { listClaimedFiles, listOrphans } from './projection-tree.ts'

interface PreparationDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly files: ProjectionFiles
  readonly log: Pick<Logger, 'warn'>
}

/**
 * The first step of a start: reads the stored progress, removes orphaned files, marks the only file of a projection as
 * changed and all other files as unchecked. A projection without stored progress starts from the beginning, and its log
 * files are written again.
 * Returns the sequence number of the last event that every projection has processed.
 */
export async function prepareProjections(states: readonly ProjectionState[], deps: PreparationDeps): Promise<number> {
  const reader = deps.store.read((reader) => reader)
  const head = getLastEventSeq(reader)
  const cursors = listProjectionCursors(reader)
  const known = states.filter(({ name }) => cursors.has(name)).map(({ projection }) => projection)
  const trusted = new Set(listClaimedFiles(known, reader))
  const untrusted = listProjectionLogPaths(reader).filter((path) => !trusted.has(path))
  const names = new Set(states.map(({ name }) => name))
  await deps.store.write((tx) => {
    for (const path of untrusted) deleteProjectionLog(tx, path)
    for (const name of cursors.keys()) if (!names.has(name)) deleteProjectionCursor(tx, name)
    for (const name of names) if (!cursors.has(name)) upsertProjectionCursor(tx, name, head)
  })
  await removeOrphans(states, deps)
  for (const state of states) {
    state.cursor = cursors.get(state.name) ?? head
    state.storedCursor = state.cursor
    const keys = [...state.projection.keys(reader)]
    const [only] = keys
    // A stop writes what is marked, and leaves unchecked files to the next start. A single file may exist without any
    // event, so no event would mark it.
    if (only !== undefined && keys.length === 1) state.dirty.set(only, true)
    else state.unchecked = keys
  }
  return Math.min(...states.map(({ cursor }) => cursor))
}

async function removeOrphans(
  states: readonly ProjectionState[],
  { store, files, log }: PreparationDeps,
): Promise<void> {
  const projections = states.map(({ projection }) => projection)
  const reader = store.read((reader) => reader)
  for (const { file, keep } of await listOrphans(files.root, projections, reader)) {
    try {
      await files.remove(file, keep)
    } catch (error) {
      log.warn({ code: readErrorCode(error) }, 'an orphaned file could not be removed')
    }
  }
}

/** Reads the code of an error. Messages are not logged because they may contain texts of users. */
export const readErrorCode = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown')
