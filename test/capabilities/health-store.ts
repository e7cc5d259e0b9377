import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { healthOf } from '../../src/domain/capabilities/health.ts'
import { insertAbility } from '../../src/store/abilities/abilities.ts'
import type { HealthRow } from '../../src/store/capabilities/capabilities.ts'
import { abilityRow } from '../abilities/an-ability.ts'
import { actOf, openStore } from '../projections/open-store.ts'

export const capability_id = 'learned.export-brief'

export interface HealthStore {
  now: Date
  advance(ms: number): void
  /** One committed command at the store's time. */
  change<T>(work: (ctx: CommandContext) => T): Promise<T>
  health(): HealthRow
  count(table: string): number
}

/** A store with one capability in it, and a clock of the test's own. */
export async function healthStore(): Promise<HealthStore> {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-health-'))
  const store = openStore(home)
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const bench: HealthStore = {
    now: new Date('2026-03-01T12:00:00.000Z'),
    advance: (ms) => {
      bench.now = new Date(bench.now.getTime() + ms)
    },
    change: (work) => store.write((tx) => work(actOf(tx, bench.now.toISOString())) as never),
    health: () => store.read((reader) => healthOf(reader, capability_id)),
    count: (table) =>
      store.read(({ db }) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number),
  }
  await bench.change(({ tx }) =>
    insertAbility(
      tx,
      abilityRow({ ability_id: capability_id, primary_capability_id: capability_id }),
    ),
  )
  return bench
}
