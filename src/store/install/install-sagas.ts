import type { InstallSaga } from '@apprentice/contracts/abilities/installs.ts'
import { integer, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Installations, running and finished. A restart continues from the stored step. */
export const installSagas = defineTable(
  'install_sagas',
  {
    saga_id: text(),
    owner_user_id: text().immutable(),
    kind: text<InstallSaga['kind']>().immutable(),
    proposal_id: text().optional().immutable(),
    learn_session_id: text().optional().immutable(),
    ability_id: text().immutable(),
    skill_slug: text().immutable(),
    version: integer().immutable(),
    install_lane: text<InstallSaga['install_lane']>().immutable(),
    status: text<InstallSaga['status']>(),
    step: text<InstallSaga['step']>(),
    attempts: integer(),
    /** Why the saga stopped or, while it runs, why it is compensated. */
    error_code: text().optional(),
    error_reason: text().optional(),
    files_written: list(),
    previous: json<InstallSaga['previous']>().immutable(),
    started_at: text().immutable(),
    updated_at: text(),
  },
  { key: ['saga_id'] },
)

export type SagaRow = RowOf<typeof installSagas>

export function insertSaga(tx: Tx, row: SagaRow): void {
  installSagas.insert(tx, row)
}

export function updateSaga(tx: Tx, row: SagaRow): void {
  installSagas.update(tx, row)
}

export function findSaga(reader: Reader, sagaId: string): SagaRow | undefined {
  return installSagas.find(reader, sagaId)
}

/** The unfinished saga of this ability or of this skill folder. */
export function findOpenSaga(reader: Reader, abilityId: string, slug = ''): SagaRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM install_sagas
      WHERE status IN ('running', 'degraded') AND (ability_id = ? OR skill_slug = ?) LIMIT 1`,
  ).get(abilityId, slug)
  return installSagas.decodeOptional(row)
}

export function listSagaIds(reader: Reader): string[] {
  return listStrings(reader, 'SELECT saga_id FROM install_sagas ORDER BY saga_id')
}

/** The ability that owns a skill folder. */
export function findAbilityIdBySlug(reader: Reader, slug: string): string | undefined {
  return findString(reader, 'SELECT ability_id FROM abilities WHERE skill_slug = ? LIMIT 1', slug)
}
