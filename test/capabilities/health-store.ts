import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { readHealth } from '../../src/domain/capabilities/health.ts'
import { type AbilityRow, insertAbility } from '../../src/store/abilities/abilities.ts'
import type { HealthRow } from '../../src/store/capabilities/capabilities.ts'
import { buildAbilityRow } from '../abilities/ability-rows.ts'
import { commandContext, openStore } from '../projections/open-store.ts'

export const capability_id = 'learned.export-brief'

export interface HealthStore {
  now: Date
  advance(ms: number): void
  /** Runs one command at the store's time. */
  change<T>(work: (ctx: CommandContext) => T): Promise<T>
  health(): HealthRow
  count(table: string): number
}

/** A store with one capability, of a private ability by default, and its own clock. */
export async function healthStore(
  changes: Partial<AbilityRow> = { install_lane: 'experimental_private' },
): Promise<HealthStore> {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-health-'))
  const store = openStore(home)
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const rig: HealthStore = {
    now: new Date('2026-03-01T12:00:00.000Z'),
    advance: (ms) => {
      rig.now = new Date(rig.now.getTime() + ms)
    },
    change: (work) => store.write((tx) => work(commandContext(tx, rig.now.toISOString())) as never),
    health: () => store.read((reader) => readHealth(reader, capability_id)),
    count: (table) => store.read(({ db }) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number),
  }
  await rig.change(({ tx }) =>
    insertAbility(
      tx,
      buildAbilityRow({
        ability_id: capability_id,
        primary_capability_id: capability_id,
        owner_user_id: 'local',
        ...changes,
      }),
    ),
  )
  return rig
}
