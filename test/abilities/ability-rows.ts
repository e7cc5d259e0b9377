import type { CommandContext } from '../../src/domain/command/context.ts'
import { type AbilityRow, findAbility, insertAbility } from '../../src/store/abilities/abilities.ts'
import type { Daemon } from '../kit/daemon.ts'
import { commandContext } from '../projections/open-store.ts'

/** A usable ability of the workspace, as in the examples of the scorer. */
export const buildAbilityRow = (changes: Partial<AbilityRow> = {}): AbilityRow => ({
  ability_id: 'learned.export-brief',
  owner_user_id: 'local',
  visibility: 'private',
  title: 'Export Brief to PDF',
  family: 'documents',
  source: 'learned',
  kind: 'guidance',
  install_lane: 'approved_workspace',
  enabled: true,
  usable_now: true,
  trigger_phrases: ['export brief as pdf'],
  negative_triggers: ['print'],
  aliases: [],
  project_scopes: [],
  preferred_control_surfaces: [],
  support_pack_refs: [],
  checkpoint_health: 'no_data',
  current_version: 1,
  created_at: '2026-03-01T11:00:00.000Z',
  updated_at: '2026-03-01T11:00:00.000Z',
  ...changes,
})

/** Inserts an ability without any checks. Returns its id. */
export async function addAbility(daemon: Daemon, changes: Partial<AbilityRow> = {}): Promise<string> {
  const row = buildAbilityRow(changes)
  await daemon.system.store.write((tx) => insertAbility(tx, row))
  return row.ability_id
}

export const readAbility = (daemon: Daemon, id: string): AbilityRow | undefined =>
  daemon.system.store.read((reader) => findAbility(reader, id))

/** Runs one command at the daemon's time as `user`. */
export function runCommand<T>(daemon: Daemon, work: (ctx: CommandContext) => T, user = 'local'): Promise<T> {
  return daemon.system.store.write((tx) => {
    const marks = commandContext(tx, daemon.clock.now.toISOString())
    return work({ ...marks, actor: { kind: 'user', user_id: user } }) as never
  })
}
