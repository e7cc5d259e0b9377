import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

export interface StoredTestPolicy {
  readonly learn_session_id: string
  readonly policy: TestPolicy
}

export function findTestPolicy(reader: Reader, policyId: string): StoredTestPolicy | undefined {
  const row = sql(
    reader,
    'SELECT learn_session_id, body FROM test_policies WHERE policy_id = ?',
  ).get(policyId)
  if (row === undefined) return undefined
  const { learn_session_id, body } = row as { learn_session_id: string; body: string }
  return { learn_session_id, policy: JSON.parse(body) as TestPolicy }
}

export function upsertTestPolicy(
  tx: Tx,
  { learn_session_id, policy }: StoredTestPolicy,
  createdAt: string,
): void {
  sql(
    tx,
    `INSERT INTO test_policies (policy_id, learn_session_id, body, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (policy_id) DO UPDATE SET body = excluded.body`,
  ).run(policy.policy_id, learn_session_id, JSON.stringify(policy), createdAt)
}

export function listTestPolicyIds(reader: Reader): string[] {
  return sql(reader, 'SELECT policy_id FROM test_policies ORDER BY policy_id')
    .all()
    .map((row) => String((row as Row)['policy_id']))
}
