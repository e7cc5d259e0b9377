import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Daemon } from '../kit/daemon.ts'
import { canonical, folder, projected, saga, stored } from './installing.ts'

/** Something that keeps one step of an installation from being done, until it is mended. */
export interface Fault {
  readonly step: 'materialize' | 'project' | 'bridge' | 'availability' | 'finish'
  readonly code: string
  arrange(daemon: Daemon): Promise<void>
  mend(daemon: Daemon): Promise<void>
}

const change = (daemon: Daemon, statement: string) =>
  daemon.system.store.write((tx) => {
    tx.db.exec(statement)
  })

/** A file lies where the folder of all skills must be; what was there waits beside it. */
const blocking = (step: 'materialize' | 'project', rootOf: (daemon: Daemon) => string): Fault => ({
  step,
  code: 'MATERIALIZATION_FAILED',
  arrange: async (daemon) => {
    const root = rootOf(daemon)
    mkdirSync(root, { recursive: true })
    renameSync(root, `${root}.aside`)
    writeFileSync(root, 'in the way')
  },
  mend: async (daemon) => {
    const root = rootOf(daemon)
    rmSync(root)
    renameSync(`${root}.aside`, root)
  },
})

/** The database refuses a write. */
const refusing = (parts: Pick<Fault, 'step' | 'code'> & { trigger: string }): Fault => ({
  ...parts,
  arrange: (daemon) =>
    change(
      daemon,
      `CREATE TRIGGER fault ${parts.trigger} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    ),
  mend: (daemon) => change(daemon, 'DROP TRIGGER fault'),
})

export const neighbour = { goal: 'Print a note' }

export const faults: readonly Fault[] = [
  blocking('materialize', canonical),
  blocking('project', projected),
  {
    step: 'bridge',
    code: 'BRIDGE_REBUILD_FAILED',
    // The entry of a neighbour cannot be built.
    arrange: (daemon) =>
      change(
        daemon,
        `UPDATE ability_versions SET manifest = json_set(manifest, '$.kept', manifest ->> '$.title',
           '$.title', 7) WHERE ability_id = 'learned.print-a-note'`,
      ),
    mend: (daemon) =>
      change(
        daemon,
        `UPDATE ability_versions SET manifest = json_set(json_remove(manifest, '$.kept'), '$.title',
           manifest ->> '$.kept') WHERE ability_id = 'learned.print-a-note'`,
      ),
  },
  refusing({
    step: 'availability',
    code: 'AVAILABILITY_REFRESH_FAILED',
    trigger: `BEFORE UPDATE ON abilities WHEN NEW.usable_now = 1 AND OLD.usable_now = 0
      AND (SELECT count(*) FROM install_sagas WHERE status = 'running' AND error_code IS NULL) > 0`,
  }),
  refusing({
    step: 'finish',
    code: 'INTERNAL_ERROR',
    trigger: `BEFORE UPDATE ON install_sagas WHEN NEW.status = 'completed'`,
  }),
]

export const isTakenBackAtOnce = ({ step }: Fault): boolean =>
  step === 'materialize' || step === 'project'

/** Puts a folder of somebody else where a skill is to go. */
export function putForeign(root: string, slug: string): void {
  const file = join(root, slug, 'SKILL.md')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '# Written by hand\n')
}

/** Where the skills are while a fault keeps them from their place. */
export function foldersDuring(daemon: Daemon, { step }: Fault) {
  const canonicalRoot = step === 'materialize' ? `${canonical(daemon)}.aside` : canonical(daemon)
  const projectedRoot = step === 'project' ? `${projected(daemon)}.aside` : projected(daemon)
  return { canonical: folder(canonicalRoot), projected: folder(projectedRoot) }
}

export const bridgeFile = async (daemon: Daemon) => {
  await daemon.mirrorsSettled()
  return daemon.mirror('capabilities/bridge_entries_current.json')
}

export const lastSaga = (daemon: Daemon, proposal: string) =>
  saga(daemon, stored(daemon, proposal).saga_id ?? '')
