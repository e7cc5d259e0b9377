import type { Logger } from 'pino'
import type { Store } from '../../store/db/db.ts'
import { lastEventSeq } from '../../store/command/events.ts'
import {
  deleteMirrorCursor,
  deleteMirrorLog,
  listMirrorCursors,
  listMirrorLogPaths,
  upsertMirrorCursor,
} from '../../store/projections/projection-cursors.ts'
import type { ProjectionState } from './projection-state.ts'
import type { MirrorFiles } from './projection-files.ts'
import { claimedFiles, listLitter } from './projection-tree.ts'

interface Place {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly files: MirrorFiles
  readonly log: Pick<Logger, 'warn'>
}

/**
 * What a start does first: takes up the progress on record, removes what belongs to nobody, and puts every file on
 * the list of those to look at. A mirror without progress on record starts over, and its logs are not trusted.
 * Returns the last event that every mirror has seen.
 */
export async function prepareLanes(
  lanes: readonly ProjectionState[],
  place: Place,
): Promise<number> {
  const reader = place.store.read((reader) => reader)
  const head = lastEventSeq(reader)
  const cursors = listMirrorCursors(reader)
  const known = lanes.filter(({ name }) => cursors.has(name)).map(({ mirror }) => mirror)
  const trusted = new Set(claimedFiles(known, reader))
  const untrusted = listMirrorLogPaths(reader).filter((path) => !trusted.has(path))
  const names = new Set(lanes.map(({ name }) => name))
  await place.store.write((tx) => {
    for (const path of untrusted) deleteMirrorLog(tx, path)
    for (const name of cursors.keys()) if (!names.has(name)) deleteMirrorCursor(tx, name)
    for (const name of names) if (!cursors.has(name)) upsertMirrorCursor(tx, name, head)
  })
  await sweep(lanes, place)
  for (const lane of lanes) {
    lane.cursor = cursors.get(lane.name) ?? head
    lane.unchecked = [...lane.mirror.keys(reader)]
  }
  return Math.min(...lanes.map(({ cursor }) => cursor))
}

async function sweep(
  lanes: readonly ProjectionState[],
  { store, files, log }: Place,
): Promise<void> {
  const mirrors = lanes.map(({ mirror }) => mirror)
  const reader = store.read((reader) => reader)
  for (const { file, keep } of await listLitter(files.root, mirrors, reader)) {
    try {
      await files.remove(file, keep)
    } catch (error) {
      log.warn({ code: codeOf(error) }, 'a file that belongs to no row could not be removed')
    }
  }
}

/** An error's code and never its message, which may name what people wrote. */
export const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown')
