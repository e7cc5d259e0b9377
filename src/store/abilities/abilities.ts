import type {
  AbilityAvailabilityEntry,
  AbilityKind,
  AbilityVisibility,
  CheckpointHealth,
  OpenLane,
} from '@apprentice/contracts/abilities/ability.ts'
import { columns, flag, integer, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const abilities = defineTable(
  'abilities',
  {
    ...columns(text(), 'ability_id', 'owner_user_id', 'title', 'family'),
    source: text<AbilityAvailabilityEntry['source']>(),
    skill_slug: text().optional(),
    primary_capability_id: text().optional(),
    install_lane: text<AbilityAvailabilityEntry['install_lane']>(),
    /** The lane before quarantine. */
    prior_lane: text<OpenLane>().optional(),
    enabled: flag(),
    usable_now: flag(),
    reason_unusable: text().optional(),
    ...columns(list(), 'trigger_phrases', 'negative_triggers', 'aliases', 'project_scopes'),
    preferred_control_surfaces: list<AbilityAvailabilityEntry['preferred_control_surfaces'][number]>(),
    support_pack_refs: list(),
    checkpoint_health: text<CheckpointHealth>(),
    ...columns(text().optional(), 'last_validated_at', 'learn_session_id', 'proposal_id'),
    current_version: integer(),
    created_at: text(),
    updated_at: text(),
    /** Who sees the ability while it is in the private lane. */
    visibility: text<AbilityVisibility>(),
    /** Nothing on the screen shows the outcome of its recipe. */
    unproven: flag().optional(),
    /** Runnable if the current version has a recipe. */
    kind: text<AbilityKind>(),
  },
  { key: ['ability_id'] },
)

export type AbilityRow = RowOf<typeof abilities>

export function findAbility(reader: Reader, abilityId: string): AbilityRow | undefined {
  return abilities.find(reader, abilityId)
}

/** Ordered by id, starting after the id `after`. */
export function listAbilities(
  reader: Reader,
  { after = '', limit = -1 }: { after?: string; limit?: number } = {},
): AbilityRow[] {
  return sql(reader, 'SELECT * FROM abilities WHERE ability_id > ? ORDER BY ability_id LIMIT ?')
    .all(after, limit)
    .map(abilities.decode)
}

export function listAbilitiesWithSlug(reader: Reader, slug: string): AbilityRow[] {
  return sql(reader, 'SELECT * FROM abilities WHERE skill_slug = ? ORDER BY ability_id').all(slug).map(abilities.decode)
}

export function insertAbility(tx: Tx, ability: AbilityRow): void {
  abilities.insert(tx, ability)
}

export function updateAbility(tx: Tx, ability: AbilityRow): void {
  if (!abilities.update(tx, ability)) throw new Error(`No row for ability ${ability.ability_id}.`)
}

export function updateCheckpointHealth(tx: Tx, abilityId: string, health: CheckpointHealth): void {
  abilities.updateColumns(tx, { ability_id: abilityId, checkpoint_health: health }, ['checkpoint_health'])
}

export function updateUsability(
  tx: Tx,
  { ability_id, reason_unusable }: Pick<AbilityRow, 'ability_id' | 'reason_unusable'>,
): void {
  const usable_now = reason_unusable === undefined
  abilities.updateColumns(tx, { ability_id, usable_now, reason_unusable }, ['usable_now', 'reason_unusable'])
}

/** Returns false if there was no such ability. */
export function deleteAbility(tx: Tx, abilityId: string): boolean {
  return sql(tx, 'DELETE FROM abilities WHERE ability_id = ?').run(abilityId).changes === 1
}
