import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import { json, text } from '../db/columns.ts'
import type { Reader, Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const interpretations = defineTable(
  'interpretations',
  {
    interpretation_id: text(),
    learn_session_id: text().immutable(),
    proposal_id: text().optional().immutable(),
    body: json<SemanticWorkflowInterpretation>(),
    created_at: text().immutable(),
  },
  { key: ['interpretation_id'] },
)

export function findInterpretation(reader: Reader, id: string): SemanticWorkflowInterpretation | undefined {
  return interpretations.find(reader, id)?.body
}

/** Replaces the body of an interpretation with the same id. */
export function upsertInterpretation(tx: Tx, interpretation: SemanticWorkflowInterpretation): void {
  const { interpretation_id, learn_session_id, proposal_id, created_at } = interpretation
  interpretations.upsert(tx, {
    interpretation_id,
    learn_session_id,
    proposal_id,
    body: interpretation,
    created_at,
  })
}

export function listInterpretationIds(reader: Reader): string[] {
  return listStrings(reader, 'SELECT interpretation_id FROM interpretations ORDER BY interpretation_id')
}
