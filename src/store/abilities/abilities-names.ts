import { type Reader, sql } from '../db/db.ts'
import { abilities } from './abilities.ts'

/** The folder names of installed skills. */
export function listSkillNames(reader: Reader): { skill_slug: string; native: boolean }[] {
  const rows = sql(
    reader,
    `SELECT skill_slug, source = 'native' AS native FROM abilities WHERE skill_slug IS NOT NULL`,
  ).all() as { skill_slug: string; native: number }[]
  return rows.map(({ skill_slug, native }) => ({ skill_slug, native: native === 1 }))
}

const triggers = abilities.only('ability_id', 'trigger_phrases')

/** The trigger phrases of the enabled abilities that this user may use. */
export function listEnabledTriggers(reader: Reader, owner: string): { ability_id: string; phrases: string[] }[] {
  return sql(
    reader,
    `SELECT ${triggers.select} FROM abilities
      WHERE enabled = 1 AND
        (owner_user_id = ? OR visibility = 'workspace' OR 'experimental_private' <>
          iif(install_lane = 'quarantined', coalesce(prior_lane, 'experimental_private'), install_lane))
      ORDER BY ability_id`,
  )
    .all(owner)
    .map((row) => {
      const { ability_id, trigger_phrases } = triggers.decode(row)
      return { ability_id, phrases: trigger_phrases }
    })
}
