import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Daemon } from '../kit/daemon.ts'
import { canonicalRoot, readFolder, projectedRoot, readSaga, readProposal } from './install-kit.ts'

/** Makes one step of an installation fail until it is repaired. */
export interface Fault {
  readonly step: 'materialize' | 'project' | 'bridge' | 'availability' | 'finish'
  readonly code: string
  arrange(daemon: Daemon): Promise<void>
  repair(daemon: Daemon): Promise<void>
}

const runStatement = (daemon: Daemon, statement: string) =>
  daemon.system.store.write((tx) => {
    tx.db.exec(statement)
  })

/** Puts a file in place of the folder of all skills, which is moved aside. */
const blockFolder = (step: 'materialize' | 'project', findRoot: (daemon: Daemon) => string): Fault => ({
  step,
  code: 'MATERIALIZATION_FAILED',
  arrange: async (daemon) => {
    const root = findRoot(daemon)
    mkdirSync(root, { recursive: true })
    renameSync(root, `${root}.aside`)
    writeFileSync(root, 'not a folder')
  },
  repair: async (daemon) => {
    const root = findRoot(daemon)
    rmSync(root)
    renameSync(`${root}.aside`, root)
  },
})

/** A trigger makes the database refuse a write. */
const refuseWrite = (parts: Pick<Fault, 'step' | 'code'> & { trigger: string }): Fault => ({
  ...parts,
  arrange: (daemon) =>
    runStatement(daemon, `CREATE TRIGGER fault ${parts.trigger} BEGIN SELECT RAISE(ABORT, 'refused'); END`),
  repair: (daemon) => runStatement(daemon, 'DROP TRIGGER fault'),
})

export const NEIGHBOUR = { goal: 'Print a note' }

export const FAULTS: readonly Fault[] = [
  blockFolder('materialize', canonicalRoot),
  blockFolder('project', projectedRoot),
  {
    step: 'bridge',
    code: 'BRIDGE_REBUILD_FAILED',
    // The bridge entry of another ability is invalid.
    arrange: (daemon) =>
      runStatement(
        daemon,
        `UPDATE ability_versions SET manifest = json_set(manifest, '$.saved', manifest ->> '$.title',
           '$.title', 7) WHERE ability_id = 'learned.print-a-note'`,
      ),
    repair: (daemon) =>
      runStatement(
        daemon,
        `UPDATE ability_versions SET manifest = json_set(json_remove(manifest, '$.saved'), '$.title',
           manifest ->> '$.saved') WHERE ability_id = 'learned.print-a-note'`,
      ),
  },
  refuseWrite({
    step: 'availability',
    code: 'AVAILABILITY_REFRESH_FAILED',
    trigger: `BEFORE UPDATE ON abilities WHEN NEW.usable_now = 1 AND OLD.usable_now = 0
      AND (SELECT count(*) FROM install_sagas WHERE status = 'running' AND error_code IS NULL) > 0`,
  }),
  refuseWrite({
    step: 'finish',
    code: 'INTERNAL_ERROR',
    trigger: `BEFORE UPDATE ON install_sagas WHEN NEW.status = 'completed'`,
  }),
]

export const isCompensatedAtOnce = ({ step }: Fault): boolean => step === 'materialize' || step === 'project'

/** Creates a folder with the name of a skill that the daemon did not write. */
export function writeForeignFolder(root: string, slug: string): void {
  const file = join(root, slug, 'SKILL.md')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '# Written by hand\n')
}

/** The folders of all skills while a fault is in place. */
export function readFoldersDuring(daemon: Daemon, { step }: Fault) {
  const canonical = `${canonicalRoot(daemon)}${step === 'materialize' ? '.aside' : ''}`
  const projected = `${projectedRoot(daemon)}${step === 'project' ? '.aside' : ''}`
  return { canonical: readFolder(canonical), projected: readFolder(projected) }
}

export const readBridgeFile = async (daemon: Daemon) => {
  await daemon.waitForProjections()
  return daemon.readProjection('capabilities/bridge_entries_current.json')
}

export const readLastSaga = (daemon: Daemon, proposal: string) =>
  readSaga(daemon, readProposal(daemon, proposal).saga_id ?? '')
