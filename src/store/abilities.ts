import { type Reader, sql } from './db.ts'
import { present, type Row } from './row.ts'

export interface AbilityRow {
  readonly ability_id: string
  readonly owner_user_id: string
  readonly title: string
  readonly install_lane:
    | 'experimental_private'
    | 'approved_workspace'
    | 'shared_promoted'
    | 'quarantined'
  readonly usable_now: boolean
  readonly reason_unusable?: string
  readonly created_at: string
  readonly updated_at: string
}

export function findAbility(reader: Reader, abilityId: string): AbilityRow | undefined {
  const row = sql(reader, 'SELECT * FROM abilities WHERE ability_id = ?').get(abilityId)
  if (row === undefined) return undefined
  const fields = present(row as Row)
  return { ...fields, usable_now: fields['usable_now'] === 1 } as unknown as AbilityRow
}
