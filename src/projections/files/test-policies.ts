import { listSessionTestPolicyIds } from '../../store/projections/projection-cursors.ts'
import { findTestPolicy, listTestPolicyIds } from '../../store/proposals/test-policies.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, type Projection } from '../engine/projection.ts'

const testPolicies = documentProjection({
  path: 'learning/test_policies/<policy_id>.json',
  keys: listTestPolicyIds,
  touched: ({ sessions }, reader) => [...sessions].flatMap((id) => listSessionTestPolicyIds(reader, id)),
  render: (reader, id) => {
    const stored = findTestPolicy(reader, id)
    return stored === undefined ? undefined : formatDocument(stored.policy)
  },
})

export const testPolicyProjections: readonly Projection[] = [testPolicies]
