import {
  AbilityAvailabilityEntry,
  type AbilityVisibility,
  type CheckpointHealth,
  type OpenLane,
} from '@apprentice/contracts/abilities/ability.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** An ability as it is kept. */
export interface AbilityRow extends Omit<AbilityAvailabilityEntry, 'schema_version'> {
  readonly owner_user_id: string
  /** Who sees it while it is in the private lane. */
  readonly visibility: AbilityVisibility
  /** The lane it had before it was quarantined. */
  readonly prior_lane?: OpenLane | undefined
  readonly checkpoint_health: CheckpointHealth
  readonly learn_session_id?: string | undefined
  readonly proposal_id?: string | undefined
  readonly current_version: number
  readonly created_at: string
  readonly updated_at: string
}

const columns = [
  ...Object.keys(AbilityAvailabilityEntry.shape).filter((name) => name !== 'schema_version'),
  'owner_user_id',
  'visibility',
  'prior_lane',
  'learn_session_id',
  'proposal_id',
  'current_version',
  'created_at',
  'updated_at',
]
const listColumns = [
  'trigger_phrases',
  'negative_triggers',
  'aliases',
  'project_scopes',
  'preferred_control_surfaces',
  'support_pack_refs',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function findAbility(reader: Reader, abilityId: string): AbilityRow | undefined {
  const row = sql(reader, 'SELECT * FROM abilities WHERE ability_id = ?').get(abilityId)
  return row === undefined ? undefined : toAbility(row as Row)
}

/** In the order of their ids, from just above `after` on. */
export function listAbilities(
  reader: Reader,
  { after = '', limit = -1 }: { after?: string; limit?: number } = {},
): AbilityRow[] {
  return sql(reader, 'SELECT * FROM abilities WHERE ability_id > ? ORDER BY ability_id LIMIT ?')
    .all(after, limit)
    .map((row) => toAbility(row as Row))
}

export function insertAbility(tx: Tx, ability: AbilityRow): void {
  sql(tx, insertInto('abilities', columns)).run(toRow(ability))
}

const updateText = `UPDATE abilities SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE ability_id = @ability_id`

export function updateAbility(tx: Tx, ability: AbilityRow): void {
  const { changes } = sql(tx, updateText).run(toRow(ability))
  if (changes !== 1) throw new Error(`No row for ability ${ability.ability_id}.`)
}

export function updateCheckpointHealth(tx: Tx, abilityId: string, health: CheckpointHealth): void {
  sql(tx, 'UPDATE abilities SET checkpoint_health = ? WHERE ability_id = ?').run(health, abilityId)
}

export function updateUsability(
  tx: Tx,
  { ability_id, reason_unusable }: Pick<AbilityRow, 'ability_id' | 'reason_unusable'>,
): void {
  sql(
    tx,
    `UPDATE abilities SET usable_now = @usable_now, reason_unusable = @reason_unusable
      WHERE ability_id = @ability_id`,
  ).run(bindable({ ability_id, reason_unusable, usable_now: reason_unusable === undefined }))
}

/** False when there was none. */
export function deleteAbility(tx: Tx, abilityId: string): boolean {
  return sql(tx, 'DELETE FROM abilities WHERE ability_id = ?').run(abilityId).changes === 1
}

export function toAbility(row: Row): AbilityRow {
  const out = present(row)
  for (const name of listColumns) out[name] = JSON.parse(String(out[name]))
  out['enabled'] = out['enabled'] === 1
  out['usable_now'] = out['usable_now'] === 1
  return out as unknown as AbilityRow
}

function toRow(ability: AbilityRow): Row {
  const row = bindable({ ...blank, ...ability })
  for (const name of listColumns) row[name] = JSON.stringify(row[name])
  return row
}
