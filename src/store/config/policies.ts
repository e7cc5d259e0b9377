import type { PolicyAssignment } from '@apprentice/contracts/admin/policies.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { columns, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const policyProfiles = defineTable(
  'policy_profiles',
  { name: text(), profile: json<PolicyProfile>(), ...columns(text(), 'updated_at', 'updated_by') },
  { key: ['name'] },
)

export const policyAssignments = defineTable(
  'policy_assignments',
  {
    scope: text<PolicyAssignment['scope']>(),
    ...columns(text(), 'target', 'profile_name', 'updated_at', 'updated_by'),
  },
  { key: ['scope', 'target'] },
)

export type PolicyProfileRow = RowOf<typeof policyProfiles>

export function listPolicyProfiles(reader: Reader): PolicyProfileRow[] {
  return sql(reader, 'SELECT * FROM policy_profiles ORDER BY name').all().map(policyProfiles.decode)
}

export function findPolicyProfile(reader: Reader, name: string): PolicyProfileRow | undefined {
  return policyProfiles.find(reader, name)
}

export function upsertPolicyProfile(tx: Tx, row: PolicyProfileRow): void {
  policyProfiles.upsert(tx, row)
}

export function deletePolicyProfile(tx: Tx, name: string): void {
  sql(tx, 'DELETE FROM policy_profiles WHERE name = ?').run(name)
}

export function listPolicyAssignments(reader: Reader): PolicyAssignment[] {
  return sql(reader, 'SELECT * FROM policy_assignments ORDER BY scope, target').all().map(policyAssignments.decode)
}

export function findPolicyAssignment(
  reader: Reader,
  scope: PolicyAssignment['scope'],
  target: string,
): PolicyAssignment | undefined {
  return policyAssignments.find(reader, scope, target)
}

export function upsertPolicyAssignment(tx: Tx, assignment: PolicyAssignment): void {
  policyAssignments.upsert(tx, assignment)
}

export function deletePolicyAssignment(tx: Tx, scope: PolicyAssignment['scope'], target: string): void {
  sql(tx, 'DELETE FROM policy_assignments WHERE scope = ? AND target = ?').run(scope, target)
}
