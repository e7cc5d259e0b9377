import { text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** The values that were demonstrated for the inputs of a draft. */
export const proposalExamples = defineTable(
  'proposal_examples',
  {
    proposal_id: text(),
    /** The name of the input. */
    name: text(),
    learn_session_id: text().optional(),
    value: text(),
  },
  { key: ['proposal_id', 'name'] },
)

/** Demonstrated values by the name of the input. */
export type Examples = Readonly<Record<string, string>>

export interface ExampleOwner {
  readonly proposal_id: string
  readonly learn_session_id?: string | undefined
}

/** Makes these the only examples of a proposal. */
export function replaceExamples(tx: Tx, { proposal_id, learn_session_id }: ExampleOwner, examples: Examples): void {
  sql(tx, 'DELETE FROM proposal_examples WHERE proposal_id = ?').run(proposal_id)
  for (const [name, value] of Object.entries(examples)) {
    proposalExamples.insert(tx, { proposal_id, name, learn_session_id, value })
  }
}

export function findExamples(reader: Reader, proposalId: string): Examples {
  const rows = sql(
    reader,
    'SELECT name, value FROM proposal_examples WHERE proposal_id = ? ORDER BY name',
    'arrays',
  ).all(proposalId)
  return Object.fromEntries(rows as [string, string][])
}

export function deleteSessionExamples(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM proposal_examples WHERE learn_session_id = ?').run(sessionId)
}
