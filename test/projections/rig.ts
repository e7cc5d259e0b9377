import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { compareMirrors, type MirrorProblem } from '../../src/projections/engine/compare.ts'
import { mirrorTable } from '../../src/projections/files/projection-table.ts'
import { Projector, type ProjectorParts } from '../../src/projections/engine/projector.ts'
import type { Store } from '../../src/store/db/db.ts'
import { actOf, openStore } from './open-store.ts'

export const mirrors = mirrorTable({ max_phase: 1 })

export interface Rig {
  readonly home: string
  readonly store: Store
  /** Starts a projector; the one before it is stopped first. */
  start(parts?: Partial<ProjectorParts>): Promise<Projector>
  stop(): Promise<void>
  /** One committed command. */
  change<T>(work: (ctx: CommandContext) => T): Promise<T>
  /** Every file under `system` with its content. */
  tree(): Record<string, string>
  problems(): Promise<MirrorProblem[]>
}

/** A store on a real file and the projector beside it, without the rest of the daemon. */
export function openRig(): Rig {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-mirrors-'))
  const store = openStore(home)
  let projector: Projector | undefined
  const stop = async () => {
    await projector?.stop()
    projector = undefined
  }
  onTestFinished(async () => {
    await stop()
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    home,
    store,
    stop,
    start: async (parts = {}) => {
      await stop()
      const log = pino({ level: 'silent' })
      projector = new Projector({ store, home, mirrors, log, ...parts })
      projector.start()
      return projector
    },
    change: (work) => store.write((tx) => work(actOf(tx)) as never),
    tree: () => treeOf(join(home, 'system')),
    problems: () => listProblems(store, home),
  }
}

export async function listProblems(store: Store, home: string): Promise<MirrorProblem[]> {
  const problems: MirrorProblem[] = []
  const reader = store.read((reader) => reader)
  for await (const problem of compareMirrors(reader, home, mirrors)) problems.push(problem)
  return problems
}

export function treeOf(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  )
}

/** Resolves when `condition` holds; fails the test when it does not within some seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('It did not come to pass.')
}
