import type { LearningDocumentDependency } from '@apprentice/contracts/learn/proposal.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, type Row } from '../db/row.ts'

type Wanted = Omit<LearningDocumentDependency, 'proposal_id' | 'schema_version'>

/** Keeps these and no others; one that stays as it is keeps its place. */
export function replaceDependencies(tx: Tx, proposalId: string, wanted: readonly Wanted[]): void {
  const known = listDependencies(tx, proposalId)
  for (const gone of known.filter((one) => !wanted.some((other) => isSame(one, other)))) {
    sql(
      tx,
      `DELETE FROM proposal_dependencies
        WHERE proposal_id = ? AND dependency_kind = ? AND dependency_ref = ?`,
    ).run(proposalId, gone.dependency_kind, gone.dependency_ref)
  }
  for (const added of wanted.filter((one) => !known.some((other) => isSame(one, other)))) {
    sql(
      tx,
      `INSERT INTO proposal_dependencies (proposal_id, dependency_kind, dependency_ref, required)
       VALUES (@proposal_id, @dependency_kind, @dependency_ref, @required)`,
    ).run(bindable({ ...added, proposal_id: proposalId }))
  }
}

export function listDependencies(reader: Reader, proposalId: string): LearningDocumentDependency[] {
  return sql(reader, 'SELECT * FROM proposal_dependencies WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map(toDependency)
}

export function listDependenciesSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: LearningDocumentDependency }[] {
  return sql(
    reader,
    'SELECT * FROM proposal_dependencies WHERE position > ? ORDER BY position LIMIT ?',
  )
    .all(after, limit)
    .map((row) => ({ position: Number((row as Row)['position']), entry: toDependency(row) }))
}

const isSame = (a: Wanted, b: Wanted): boolean =>
  a.dependency_kind === b.dependency_kind &&
  a.dependency_ref === b.dependency_ref &&
  a.required === b.required

function toDependency(row: unknown): LearningDocumentDependency {
  const { position: _, ...fields } = row as Row
  return {
    ...fields,
    required: fields['required'] === 1,
    schema_version: 1,
  } as unknown as LearningDocumentDependency
}
