import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type { CapabilityManifest, CapabilityMetadata } from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { flag, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'
import { abilities } from './abilities.ts'

/** The name and description of an ability in one version. */
export interface AbilityDescription {
  readonly title: string
  readonly skill_slug: string
  readonly trigger_phrases: readonly string[]
  readonly negative_triggers: readonly string[]
  readonly project_scopes: readonly string[]
  readonly preferred_control_surfaces: readonly string[]
  readonly support_pack_refs: readonly string[]
  readonly last_validated_at?: string | undefined
  readonly learn_session_id?: string | undefined
  /** The skill was made for another runtime and cannot be used here yet. */
  readonly requires_adapter?: true | undefined
  /** The linter reports errors in the document of the skill. */
  readonly lint_failed?: true | undefined
}

/** The step that an incomplete installation has not finished. */
export type PartialState =
  | 'install_failed'
  | 'bridge_pending'
  | 'availability_pending'
  | 'catalog_pending'
  | 'receipt_pending'

/** Every installed version of every ability. */
export const abilityVersions = defineTable(
  'ability_versions',
  {
    ability_id: text(),
    version: integer(),
    proposal_id: text().optional().immutable(),
    draft_hash: text().immutable(),
    install_lane: text<OpenLane>(),
    /** The earlier version whose files this version has. */
    restored_from: integer().optional().immutable(),
    described: json<AbilityDescription>().immutable(),
    recipe: json<Recipe>().optional().immutable(),
    manifest: json<CapabilityManifest>().immutable(),
    metadata: json<CapabilityMetadata>().immutable(),
    /** Whether the files are in the skills folder of this daemon. */
    materialized: flag(),
    /** Whether the files are in the agent's workspace. */
    projected: flag(),
    partial_state: text<PartialState>().optional(),
    installed_at: text().immutable(),
    retired_at: text().optional(),
  },
  { key: ['ability_id', 'version'] },
)

export type AbilityVersionRow = RowOf<typeof abilityVersions>

export function insertAbilityVersion(tx: Tx, row: AbilityVersionRow): void {
  abilityVersions.insert(tx, row)
}

export function updateAbilityVersion(tx: Tx, row: AbilityVersionRow): void {
  abilityVersions.update(tx, row)
}

export function findAbilityVersion(reader: Reader, abilityId: string, version: number): AbilityVersionRow | undefined {
  return abilityVersions.find(reader, abilityId, version)
}

/** Oldest first. */
export function listAbilityVersions(reader: Reader, abilityId: string): AbilityVersionRow[] {
  return sql(reader, 'SELECT * FROM ability_versions WHERE ability_id = ? ORDER BY version')
    .all(abilityId)
    .map(abilityVersions.decode)
}

const manifestColumn = abilityVersions.only('manifest')
const enabledColumn = abilities.only('enabled')

/** The manifests of the current versions, ordered by capability. The bridge is built from them. */
export function listBridgeSources(reader: Reader): { manifest: CapabilityManifest; enabled: boolean }[] {
  return sql(
    reader,
    `SELECT manifest, enabled FROM abilities
       JOIN ability_versions USING (ability_id) WHERE version = current_version
      ORDER BY primary_capability_id`,
  )
    .all()
    .map((row) => ({ ...manifestColumn.decode(row), ...enabledColumn.decode(row) }))
}

/** The current versions, ordered by ability. */
export function listCurrentVersions(reader: Reader): { ability_id: string; version: number; skill_slug: string }[] {
  return sql(
    reader,
    `SELECT ability_id, version, skill_slug FROM abilities
       JOIN ability_versions USING (ability_id)
      WHERE version = current_version AND skill_slug IS NOT NULL ORDER BY ability_id`,
  ).all() as { ability_id: string; version: number; skill_slug: string }[]
}

/** The abilities whose current version has this content. */
export function listAbilitiesWithDraft(reader: Reader, draftHash: string): string[] {
  const rows = sql(
    reader,
    `SELECT ability_id FROM ability_versions JOIN abilities USING (ability_id)
      WHERE draft_hash = ? AND version = current_version ORDER BY ability_id`,
  ).all(draftHash) as { ability_id: string }[]
  return rows.map(({ ability_id }) => ability_id)
}

/** The abilities whose current version calls other abilities. */
export function listCallingAbilities(reader: Reader): string[] {
  const rows = sql(
    reader,
    `SELECT ability_id FROM ability_versions JOIN abilities USING (ability_id)
      WHERE instr(recipe, '"call_ability"') > 0 AND version = current_version ORDER BY ability_id`,
  ).all() as { ability_id: string }[]
  return rows.map(({ ability_id }) => ability_id)
}

export function deleteAbilityVersion(tx: Tx, abilityId: string, version: number): void {
  for (const table of ['installed_files', 'ability_versions']) {
    sql(tx, `DELETE FROM ${table} WHERE ability_id = ? AND version = ?`).run(abilityId, version)
  }
}

export function deleteAbilityVersions(tx: Tx, abilityId: string): void {
  sql(tx, 'DELETE FROM installed_files WHERE ability_id = ?').run(abilityId)
  sql(tx, 'DELETE FROM ability_versions WHERE ability_id = ?').run(abilityId)
  sql(tx, 'DELETE FROM accepted_risks WHERE ability_id = ?').run(abilityId)
}
