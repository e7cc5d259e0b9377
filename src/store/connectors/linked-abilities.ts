import { type Reader, sql } from '../db/db.ts'

/** An installed ability whose bundle names a server or a provider. */
export interface ConnectorHint {
  readonly ability_id: string
  readonly hint: string
}

export function listConnectorHints(reader: Reader): ConnectorHint[] {
  return sql(
    reader,
    `SELECT abilities.ability_id, hints.value AS hint
       FROM skill_imports JOIN abilities USING (ability_id),
            json_each(skill_imports.report, '$.bundle_summary.connector_hints') AS hints
      ORDER BY abilities.title, abilities.ability_id`,
  ).all() as ConnectorHint[]
}
