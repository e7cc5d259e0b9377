import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { PolicyState } from '../../knowledge/action-policy/policy-gate.ts'
import { columns, flag, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type InsertOf } from '../db/table.ts'

/** A policy, and the state in which an execution that continues another one starts. */
export interface ExecutionPolicy extends TestPolicy {
  readonly start?: PolicyState | undefined
}

/** What an execution may do. An execution without a policy may do everything that its owner may. */
export const executionPolicies = defineTable(
  'execution_policies',
  { execution_id: text(), policy: json<ExecutionPolicy>() },
  { key: ['execution_id'] },
)

/** The decisions of a policy on the actions of an execution. */
export const policyChecks = defineTable(
  'policy_checks',
  {
    position: integer().notInserted(),
    ...columns(text(), 'execution_id', 'action_id', 'action_type'),
    /** A short description of the target. Empty if the action has none. */
    target: text(),
    admitted: flag(),
    reason: text().optional(),
    created_at: text(),
  },
  { key: ['position'] },
)

export function insertExecutionPolicy(tx: Tx, executionId: string, policy: ExecutionPolicy): void {
  executionPolicies.insert(tx, { execution_id: executionId, policy })
}

export function findExecutionPolicy(reader: Reader, executionId: string): ExecutionPolicy | undefined {
  return executionPolicies.find(reader, executionId)?.policy
}

export type PolicyCheck = InsertOf<typeof policyChecks>

export function appendPolicyCheck(tx: Tx, check: PolicyCheck): void {
  policyChecks.insert(tx, check)
}

const policyCheck = policyChecks.without('position')

/** In the order in which they were made. */
export function listPolicyChecks(reader: Reader, executionId: string): PolicyCheck[] {
  return sql(reader, 'SELECT * FROM policy_checks WHERE execution_id = ? ORDER BY position')
    .all(executionId)
    .map(policyCheck.decode)
}
