import type { InstallSaga } from '@apprentice/contracts/abilities/installs.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** An installation under way or over, as its owner may see it, and who that is. */
export interface SagaRow extends Omit<InstallSaga, 'schema_version'> {
  readonly owner_user_id: string
}

const columns = [
  'saga_id',
  'owner_user_id',
  'kind',
  'proposal_id',
  'learn_session_id',
  'ability_id',
  'skill_slug',
  'version',
  'install_lane',
  'status',
  'step',
  'attempts',
  'error_code',
  'error_reason',
  'files_written',
  'previous',
  'started_at',
  'updated_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertSaga(tx: Tx, row: SagaRow): void {
  sql(tx, insertInto('install_sagas', columns)).run(bound(row))
}

export function updateSaga(tx: Tx, row: SagaRow): void {
  sql(
    tx,
    `UPDATE install_sagas SET status = @status, step = @step, attempts = @attempts,
       error_code = @error_code, error_reason = @error_reason, files_written = @files_written,
       updated_at = @updated_at WHERE saga_id = @saga_id`,
  ).run(bound(row))
}

export function findSaga(reader: Reader, sagaId: string): SagaRow | undefined {
  const row = sql(reader, 'SELECT * FROM install_sagas WHERE saga_id = ?').get(sagaId)
  return row === undefined ? undefined : toSaga(row)
}

/** The one that is not over for this ability, or works on this folder, if there is one. */
export function findOpenSaga(reader: Reader, abilityId: string, slug = ''): SagaRow | undefined {
  const row = sql(
    reader,
    `SELECT * FROM install_sagas
      WHERE status IN ('running', 'degraded') AND (ability_id = ? OR skill_slug = ?) LIMIT 1`,
  ).get(abilityId, slug)
  return row === undefined ? undefined : toSaga(row)
}

export function listSagaIds(reader: Reader): string[] {
  return sql(reader, 'SELECT saga_id FROM install_sagas ORDER BY saga_id')
    .all()
    .map((row) => String((row as Row)['saga_id']))
}

/** Whose folder a name is. */
export function findAbilityOfSlug(reader: Reader, slug: string): string | undefined {
  const row = sql(reader, 'SELECT ability_id FROM abilities WHERE skill_slug = ? LIMIT 1').get(slug)
  return row === undefined ? undefined : String((row as Row)['ability_id'])
}

function bound(row: SagaRow): Row {
  return bindable({
    ...blank,
    ...row,
    files_written: JSON.stringify(row.files_written),
    previous: JSON.stringify(row.previous),
  })
}

function toSaga(row: unknown): SagaRow {
  const fields = present(row as Row)
  return {
    ...fields,
    files_written: JSON.parse(String(fields['files_written'])),
    previous: JSON.parse(String(fields['previous'])),
  } as unknown as SagaRow
}
