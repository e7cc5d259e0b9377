import { type Reader, sql, type Tx } from '../db/db.ts'

/** What was demonstrated for the inputs of a draft, by their names. */
export type Examples = Readonly<Record<string, string>>

export interface ExampleOwner {
  readonly proposal_id: string
  readonly learn_session_id?: string | undefined
}

/** Keeps these and no others. */
export function replaceExamples(
  tx: Tx,
  { proposal_id, learn_session_id }: ExampleOwner,
  examples: Examples,
): void {
  deleteExamples(tx, proposal_id)
  for (const [name, value] of Object.entries(examples)) {
    sql(
      tx,
      `INSERT INTO proposal_examples (proposal_id, name, learn_session_id, value)
       VALUES (?, ?, ?, ?)`,
    ).run(proposal_id, name, learn_session_id ?? null, value)
  }
}

export function findExamples(reader: Reader, proposalId: string): Examples {
  const rows = sql(
    reader,
    'SELECT name, value FROM proposal_examples WHERE proposal_id = ? ORDER BY name',
  )
    .raw()
    .all(proposalId)
  return Object.fromEntries(rows as [string, string][])
}

function deleteExamples(tx: Tx, proposalId: string): void {
  sql(tx, 'DELETE FROM proposal_examples WHERE proposal_id = ?').run(proposalId)
}

/** What was demonstrated in a session that is forgotten. */
export function deleteSessionExamples(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM proposal_examples WHERE learn_session_id = ?').run(sessionId)
}
