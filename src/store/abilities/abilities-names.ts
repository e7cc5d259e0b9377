import { type Reader, sql } from '../db/db.ts'

/** What installed skills are called. */
export function listSkillNames(reader: Reader): { skill_slug: string; native: boolean }[] {
  return sql(
    reader,
    `SELECT skill_slug, source = 'native' AS native FROM abilities WHERE skill_slug IS NOT NULL`,
  )
    .all()
    .map((row) => {
      const { skill_slug, native } = row as { skill_slug: string; native: number }
      return { skill_slug, native: native === 1 }
    })
}

/** The words that trigger the abilities this user may use. */
export function listEnabledTriggers(
  reader: Reader,
  owner: string,
): { ability_id: string; phrases: string[] }[] {
  return sql(
    reader,
    `SELECT ability_id, trigger_phrases FROM abilities
      WHERE enabled = 1 AND
        (owner_user_id = ? OR visibility = 'workspace' OR 'experimental_private' <>
          iif(install_lane = 'quarantined', coalesce(prior_lane, 'experimental_private'), install_lane))
      ORDER BY ability_id`,
  )
    .all(owner)
    .map((row) => {
      const { ability_id, trigger_phrases } = row as { ability_id: string; trigger_phrases: string }
      return { ability_id, phrases: JSON.parse(trigger_phrases) as string[] }
    })
}
