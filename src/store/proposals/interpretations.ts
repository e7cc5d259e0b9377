import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, type Row } from '../db/row.ts'

export function findInterpretation(
  reader: Reader,
  id: string,
): SemanticWorkflowInterpretation | undefined {
  const row = sql(reader, 'SELECT body FROM interpretations WHERE interpretation_id = ?').get(id)
  return row === undefined ? undefined : toInterpretation(row)
}

/** Replaces what was understood before under the same id. */
export function upsertInterpretation(tx: Tx, interpretation: SemanticWorkflowInterpretation): void {
  const { interpretation_id, learn_session_id, proposal_id, created_at } = interpretation
  sql(
    tx,
    `INSERT INTO interpretations (interpretation_id, learn_session_id, proposal_id, body, created_at)
     VALUES (@interpretation_id, @learn_session_id, @proposal_id, @body, @created_at)
     ON CONFLICT (interpretation_id) DO UPDATE SET body = excluded.body`,
  ).run(
    bindable({
      interpretation_id,
      learn_session_id,
      proposal_id,
      body: JSON.stringify(interpretation),
      created_at,
    }),
  )
}

export function listInterpretationIds(reader: Reader): string[] {
  return sql(reader, 'SELECT interpretation_id FROM interpretations ORDER BY interpretation_id')
    .all()
    .map((row) => String((row as Row)['interpretation_id']))
}

function toInterpretation(row: unknown): SemanticWorkflowInterpretation {
  return JSON.parse(String((row as Row)['body'])) as SemanticWorkflowInterpretation
}
