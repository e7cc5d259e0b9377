import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type {
  CapabilityManifest,
  CapabilityMetadata,
} from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** A version of an ability as it was installed. */
export interface AbilityVersionRow {
  readonly ability_id: string
  readonly version: number
  readonly proposal_id?: string | undefined
  readonly draft_hash: string
  readonly install_lane: OpenLane
  /** The version whose files these are again. */
  readonly restored_from?: number | undefined
  readonly described: AbilityWords
  readonly recipe?: Recipe | undefined
  readonly manifest: CapabilityManifest
  readonly metadata: CapabilityMetadata
  readonly materialized: boolean
  readonly projected: boolean
  readonly partial_state?: PartialState | undefined
  readonly installed_at: string
  readonly retired_at?: string | undefined
}

/** What an ability goes by in a version of it. */
export interface AbilityWords {
  readonly title: string
  readonly skill_slug: string
  readonly trigger_phrases: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly project_scopes: readonly string[]
  readonly preferred_control_surfaces: readonly string[]
  readonly support_pack_refs: readonly string[]
  readonly last_validated_at?: string | undefined
  readonly learn_session_id?: string | undefined
  /** It was made for another runtime, and cannot be used here yet. */
  readonly requires_adapter?: true | undefined
}

/** What an installation that is not whole still lacks. */
export type PartialState =
  | 'install_failed'
  | 'bridge_pending'
  | 'availability_pending'
  | 'catalog_pending'
  | 'receipt_pending'

const columns = [
  'ability_id',
  'version',
  'proposal_id',
  'draft_hash',
  'install_lane',
  'restored_from',
  'described',
  'recipe',
  'manifest',
  'metadata',
  'materialized',
  'projected',
  'partial_state',
  'installed_at',
  'retired_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertAbilityVersion(tx: Tx, row: AbilityVersionRow): void {
  sql(tx, insertInto('ability_versions', columns)).run(bound(row))
}

export function updateAbilityVersion(tx: Tx, row: AbilityVersionRow): void {
  sql(
    tx,
    `UPDATE ability_versions SET install_lane = @install_lane, materialized = @materialized,
       projected = @projected, partial_state = @partial_state, retired_at = @retired_at
     WHERE ability_id = @ability_id AND version = @version`,
  ).run(bound(row))
}

export function findAbilityVersion(
  reader: Reader,
  abilityId: string,
  version: number,
): AbilityVersionRow | undefined {
  const row = sql(
    reader,
    'SELECT * FROM ability_versions WHERE ability_id = ? AND version = ?',
  ).get(abilityId, version)
  return row === undefined ? undefined : toVersion(row)
}

/** Oldest first. */
export function listAbilityVersions(reader: Reader, abilityId: string): AbilityVersionRow[] {
  return sql(reader, 'SELECT * FROM ability_versions WHERE ability_id = ? ORDER BY version')
    .all(abilityId)
    .map(toVersion)
}

/** What the bridge is built from, of the versions in force, in the order of their capabilities. */
export function listBridgeSources(
  reader: Reader,
): { manifest: CapabilityManifest; enabled: boolean }[] {
  return sql(
    reader,
    `SELECT manifest, enabled FROM abilities
       JOIN ability_versions USING (ability_id) WHERE version = current_version
      ORDER BY primary_capability_id`,
  )
    .all()
    .map((row) => {
      const { manifest, enabled } = row as Row
      return { manifest: JSON.parse(String(manifest)), enabled: enabled === 1 }
    })
}

/** The versions in force, in the order of their abilities. */
export function listVersionsInForce(
  reader: Reader,
): { ability_id: string; version: number; skill_slug: string }[] {
  return sql(
    reader,
    `SELECT ability_id, version, skill_slug FROM abilities
       JOIN ability_versions USING (ability_id)
      WHERE version = current_version AND skill_slug IS NOT NULL ORDER BY ability_id`,
  ).all() as { ability_id: string; version: number; skill_slug: string }[]
}

export function deleteAbilityVersion(tx: Tx, abilityId: string, version: number): void {
  for (const table of ['installed_files', 'ability_versions']) {
    sql(tx, `DELETE FROM ${table} WHERE ability_id = ? AND version = ?`).run(abilityId, version)
  }
}

export function deleteAbilityVersions(tx: Tx, abilityId: string): void {
  sql(tx, 'DELETE FROM installed_files WHERE ability_id = ?').run(abilityId)
  sql(tx, 'DELETE FROM ability_versions WHERE ability_id = ?').run(abilityId)
}

function bound(row: AbilityVersionRow): Row {
  const { described, recipe, manifest, metadata } = row
  return bindable({
    ...blank,
    ...row,
    described: JSON.stringify(described),
    recipe: recipe === undefined ? undefined : JSON.stringify(recipe),
    manifest: JSON.stringify(manifest),
    metadata: JSON.stringify(metadata),
  })
}

const documents = ['described', 'recipe', 'manifest', 'metadata'] as const

function toVersion(row: unknown): AbilityVersionRow {
  const fields = present(row as Row)
  for (const name of documents) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = JSON.parse(text)
  }
  fields['materialized'] = fields['materialized'] === 1
  fields['projected'] = fields['projected'] === 1
  return fields as unknown as AbilityVersionRow
}
