import type { LearningDocumentDependency } from '@apprentice/contracts/learn/proposal.ts'
import { flag, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const proposalDependencies = defineTable(
  'proposal_dependencies',
  {
    position: integer().notInserted(),
    proposal_id: text(),
    dependency_kind: text<LearningDocumentDependency['dependency_kind']>(),
    dependency_ref: text(),
    required: flag(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const dependency = proposalDependencies.without('position')
type NewDependency = Omit<LearningDocumentDependency, 'proposal_id' | 'schema_version'>

/** Makes these the only dependencies of a proposal. Unchanged ones keep their positions. */
export function replaceDependencies(tx: Tx, proposalId: string, dependencies: readonly NewDependency[]): void {
  const known = listDependencies(tx, proposalId)
  for (const removed of known.filter((one) => !dependencies.some((other) => isSame(one, other)))) {
    sql(
      tx,
      `DELETE FROM proposal_dependencies
        WHERE proposal_id = ? AND dependency_kind = ? AND dependency_ref = ?`,
    ).run(proposalId, removed.dependency_kind, removed.dependency_ref)
  }
  for (const added of dependencies.filter((one) => !known.some((other) => isSame(one, other)))) {
    proposalDependencies.insert(tx, { ...added, proposal_id: proposalId })
  }
}

export function listDependencies(reader: Reader, proposalId: string): LearningDocumentDependency[] {
  return sql(reader, 'SELECT * FROM proposal_dependencies WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map(dependency.decode)
}

export function listDependenciesSince(reader: Reader, span: Span): Positioned<LearningDocumentDependency>[] {
  return listSince(reader, proposalDependencies.name, dependency, span)
}

const isSame = (a: NewDependency, b: NewDependency): boolean =>
  a.dependency_kind === b.dependency_kind && a.dependency_ref === b.dependency_ref && a.required === b.required
