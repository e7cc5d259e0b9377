import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** Binds an execution to what it may do. One without a policy may do whatever its owner may. */
export function insertExecutionPolicy(tx: Tx, executionId: string, policy: TestPolicy): void {
  sql(tx, 'INSERT INTO execution_policies (execution_id, policy) VALUES (?, ?)').run(
    executionId,
    JSON.stringify(policy),
  )
}

export function findExecutionPolicy(reader: Reader, executionId: string): TestPolicy | undefined {
  const row = sql(reader, 'SELECT policy FROM execution_policies WHERE execution_id = ?').get(
    executionId,
  )
  return row === undefined ? undefined : (JSON.parse(String((row as Row)['policy'])) as TestPolicy)
}

/** Something that was about to be done. */
export interface PolicyCheck {
  readonly execution_id: string
  readonly action_id: string
  readonly action_type: string
  /** What was about to be touched, in a few words; empty where nothing is. */
  readonly target: string
  readonly admitted: boolean
  readonly reason?: string | undefined
  readonly created_at: string
}

const columns = [
  'execution_id',
  'action_id',
  'action_type',
  'target',
  'admitted',
  'reason',
  'created_at',
] as const

export function appendPolicyCheck(tx: Tx, check: PolicyCheck): void {
  sql(tx, insertInto('policy_checks', columns)).run(bindable({ reason: undefined, ...check }))
}

/** In the order they were made. */
export function listPolicyChecks(reader: Reader, executionId: string): PolicyCheck[] {
  return sql(reader, 'SELECT * FROM policy_checks WHERE execution_id = ? ORDER BY position')
    .all(executionId)
    .map((row) => {
      const { position: _, ...fields } = present(row as Row)
      return { ...fields, admitted: fields['admitted'] === 1 } as unknown as PolicyCheck
    })
}
