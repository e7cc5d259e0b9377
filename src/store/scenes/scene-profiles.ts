import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const sceneProfiles = defineTable(
  'scene_profiles',
  {
    profile_id: text(),
    owner_user_id: text().immutable(),
    domain: text().immutable(),
    name: text().immutable(),
    cookies: integer(),
    created_at: text().immutable(),
    updated_at: text(),
    last_used_at: text().optional(),
  },
  { key: ['profile_id'] },
)

export type SceneProfileRow = RowOf<typeof sceneProfiles>

export interface ProfileName {
  readonly owner: string
  readonly domain: string
  readonly name: string
}

export function findProfileByName(reader: Reader, { owner, domain, name }: ProfileName): SceneProfileRow | undefined {
  const row = sql(reader, 'SELECT * FROM scene_profiles WHERE owner_user_id = ? AND domain = ? AND name = ?').get(
    owner,
    domain,
    name,
  )
  return sceneProfiles.decodeOptional(row)
}

export function findProfile(reader: Reader, profileId: string): SceneProfileRow | undefined {
  return sceneProfiles.find(reader, profileId)
}

export function listProfiles(reader: Reader, owner: string): SceneProfileRow[] {
  return sql(reader, 'SELECT * FROM scene_profiles WHERE owner_user_id = ? ORDER BY domain, name')
    .all(owner)
    .map(sceneProfiles.decode)
}

export function insertProfile(tx: Tx, row: SceneProfileRow): void {
  sceneProfiles.insert(tx, row)
}

export function updateProfile(tx: Tx, row: SceneProfileRow): void {
  sceneProfiles.update(tx, row)
}

export function deleteProfile(tx: Tx, profileId: string): void {
  sql(tx, 'DELETE FROM scene_profiles WHERE profile_id = ?').run(profileId)
}
