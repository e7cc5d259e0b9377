import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { compareProjections, type ProjectionProblem } from '../../src/projections/engine/compare.ts'
import { listProjections } from '../../src/projections/files/projection-table.ts'
import { Projector, type ProjectorDeps } from '../../src/projections/engine/projector.ts'
import type { Store } from '../../src/store/db/db.ts'
import { commandContext, openStore } from './open-store.ts'

export const projections = listProjections({ max_phase: 1 })

export interface Rig {
  readonly home: string
  readonly store: Store
  /** Starts a projector and stops the one before it. */
  start(parts?: Partial<ProjectorDeps>): Promise<Projector>
  stop(): Promise<void>
  /** Commits one command. */
  change<T>(work: (ctx: CommandContext) => T): Promise<T>
  /** Reads every file under `system`. */
  tree(): Record<string, string>
  problems(): Promise<ProjectionProblem[]>
}

/** Opens a store on a real file and a projector, without the rest of the daemon. */
export function openRig(): Rig {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-projections-'))
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
      projector = new Projector({ store, home, projections, log, ...parts })
      projector.start()
      return projector
    },
    change: (work) => store.write((tx) => work(commandContext(tx)) as never),
    tree: () => readTree(join(home, 'system')),
    problems: () => listProblems(store, home),
  }
}

export async function listProblems(store: Store, home: string): Promise<ProjectionProblem[]> {
  const problems: ProjectionProblem[] = []
  const reader = store.read((reader) => reader)
  for await (const problem of compareProjections(reader, home, projections)) problems.push(problem)
  return problems
}

export function readTree(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  )
}

/** Resolves when `condition` holds. Throws if it does not within ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('The condition did not become true.')
}
