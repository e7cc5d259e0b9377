import { expect, test } from 'vitest'
import { performAttack } from './perform-attack.ts'
import { SHORT_PLAN } from './plan.ts'

test('the daemon withstands a short attack', async () => {
  const report = await performAttack(SHORT_PLAN, (line) => process.stderr.write(`[attack] ${line}\n`))
  expect(report.faults).toEqual([])
  expect(report.figures).toMatchObject({
    fuzzed_requests: SHORT_PLAN.requests,
    hostile_bundles: SHORT_PLAN.bundles,
    device_faults: SHORT_PLAN.device_faults,
    kills: expect.any(Number),
    acknowledged_writes_lost: 0,
    stuck: [],
  })
  expect(report.figures['kills']).toBeGreaterThanOrEqual(SHORT_PLAN.kills)
  // An attack that never got through would prove nothing.
  const { replies_by_status: replies } = report.figures as { replies_by_status: Record<string, number> }
  expect(replies['200']).toBeGreaterThan(SHORT_PLAN.requests / 20)
}, 900_000)
