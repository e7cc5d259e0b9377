import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { json, text } from '../db/columns.ts'
import type { Reader, Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const testPolicies = defineTable(
  'test_policies',
  {
    policy_id: text(),
    learn_session_id: text().immutable(),
    body: json<TestPolicy>(),
    created_at: text().immutable(),
  },
  { key: ['policy_id'] },
)

export interface StoredTestPolicy {
  readonly learn_session_id: string
  readonly policy: TestPolicy
}

export function findTestPolicy(reader: Reader, policyId: string): StoredTestPolicy | undefined {
  const row = testPolicies.find(reader, policyId)
  return row && { learn_session_id: row.learn_session_id, policy: row.body }
}

/** Replaces the body of a policy with the same id. */
export function upsertTestPolicy(tx: Tx, { learn_session_id, policy }: StoredTestPolicy, createdAt: string): void {
  testPolicies.upsert(tx, {
    policy_id: policy.policy_id,
    learn_session_id,
    body: policy,
    created_at: createdAt,
  })
}

export function listTestPolicyIds(reader: Reader): string[] {
  return listStrings(reader, 'SELECT policy_id FROM test_policies ORDER BY policy_id')
}
