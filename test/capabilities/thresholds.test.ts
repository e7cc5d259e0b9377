import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeFailures } from '../../src/domain/capabilities/health.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { clearQuarantine } from '../../src/domain/capabilities/quarantine.ts'
import { recordProbe } from '../../src/domain/capabilities/record-probe.ts'
import { isSkillFault } from '../../src/knowledge/verification/skill-fault.ts'
import { capability_id, type HealthStore, healthStore } from './health-store.ts'
import { countRuns } from '../kit/count-runs.ts'

const DAY_MS = 24 * 3_600_000
const fail = (rig: HealthStore, fingerprint = 'NODE_NOT_FOUND@save', critical = false) =>
  rig.change((ctx) => recordCapabilityOutcome(ctx, { capability_id, success: false, fingerprint, critical }))
const succeed = (rig: HealthStore) =>
  rig.change((ctx) => recordCapabilityOutcome(ctx, { capability_id, success: true }))
const probe = (rig: HealthStore, ok = true) =>
  rig.change((ctx) => recordProbe(ctx, capability_id, { ok, elapsed_ms: 1 }))

test('three equal failures degrade, five of any kind or a critical one quarantine', () => {
  const failure = fc.constantFrom('a', 'b', 'c', 'd').map((fingerprint: string) => ({
    fingerprint,
    critical: false,
  }))
  fc.assert(
    fc.property(fc.array(failure, { maxLength: 8 }), fc.nat(7), (failures, at) => {
      const worst = judgeFailures(failures)
      const sorted = failures
        .map(({ fingerprint }) => fingerprint)
        .toSorted()
        .join('')
      const expected = failures.length >= 5 ? 'quarantined' : /(.)\1\1/.test(sorted) ? 'degraded' : undefined
      expect(worst).toBe(expected)
      const unsafe = failures.toSpliced(at, 0, { fingerprint: 'x', critical: true })
      expect(judgeFailures(unsafe)).toBe('quarantined')
    }),
  )
})

test('the third failure of a kind degrades; two of a kind and one other do not', async () => {
  const rig = await healthStore()
  await fail(rig)
  await fail(rig)
  await fail(rig, 'TIMEOUT@open')
  expect(rig.health()).toMatchObject({ health_status: 'unknown' })
  await fail(rig)
  expect(rig.health()).toMatchObject({
    health_status: 'degraded',
    session_availability: 'degraded',
    reason_codes: ['repeated_failures'],
  })
  await fail(rig, 'OTHER@x')
  expect(rig.health()).toMatchObject({
    health_status: 'quarantined',
    session_availability: 'unsupported',
  })
  expect(rig.count('capability_failures')).toBe(5)
})

test('failures older than a week do not count, and a success then makes the capability healthy', async () => {
  const rig = await healthStore()
  for (let n = 0; n < 3; n += 1) await fail(rig)
  await succeed(rig)
  expect(rig.health().health_status).toBe('degraded')
  rig.advance(7 * DAY_MS)
  await succeed(rig)
  expect(rig.health().health_status, 'exactly a week old failures still count').toBe('degraded')
  rig.advance(1)
  await succeed(rig)
  expect(rig.health()).toMatchObject({
    health_status: 'healthy',
    reason_codes: [],
    last_verified_at: rig.now.toISOString(),
  })
  expect(rig.count('capability_failures')).toBe(3)
})

test('failures spread over more than a week do not add up', async () => {
  const rig = await healthStore()
  for (let n = 0; n < 6; n += 1) {
    await fail(rig)
    rig.advance(4 * DAY_MS)
  }
  expect(rig.health().health_status).toBe('unknown')
})

test('one critical failure quarantines', async () => {
  const rig = await healthStore()
  await succeed(rig)
  await fail(rig, 'POLICY_DENIED@send', true)
  expect(rig.health()).toMatchObject({
    health_status: 'quarantined',
    reason_codes: ['critical_safety_failure'],
  })
  await succeed(rig)
  expect(rig.health().health_status, 'a success does not release it').toBe('quarantined')
})

test('five canaries in a row end a quarantine; a failure resets the count', async () => {
  const rig = await healthStore()
  for (let n = 0; n < 5; n += 1) await fail(rig, `kind-${n}`)
  for (let n = 0; n < 4; n += 1) await probe(rig)
  expect(rig.health()).toMatchObject({ health_status: 'quarantined', canary_successes: 4 })
  await probe(rig, false)
  expect(rig.health().canary_successes).toBe(0)
  for (let n = 0; n < 3; n += 1) await probe(rig)
  await fail(rig)
  expect(rig.health().canary_successes, 'a failed use resets the count too').toBe(0)
  for (let n = 0; n < 4; n += 1) await probe(rig)
  expect(rig.health().health_status).toBe('quarantined')
  const { health, canary_successes } = await probe(rig)
  expect([health.health_status, canary_successes]).toEqual(['healthy', 5])
  expect(rig.count('capability_failures'), 'failures are not deleted').toBe(6)
  await fail(rig, 'kind-1')
  expect(rig.health().health_status, 'earlier failures do not count').toBe('healthy')
})

test('a capability that was released manually is degraded until its canaries succeed', async () => {
  const rig = await healthStore()
  for (let n = 0; n < 5; n += 1) await fail(rig)
  const { health } = await rig.change((ctx) => clearQuarantine(ctx, capability_id, 'Fixed'))
  expect(health).toMatchObject({
    health_status: 'degraded',
    reason_codes: ['quarantine_cleared_manually'],
  })
  await fail(rig)
  await succeed(rig)
  expect(rig.health()).toMatchObject({ health_status: 'degraded', canary_successes: 0 })
  for (let n = 0; n < 5; n += 1) await probe(rig)
  expect(rig.health().health_status).toBe('healthy')
})

interface Model {
  status: string
  failures: { at: number; kind: string; critical: boolean }[]
  canaries: number
  cleared: boolean
}

/** The status that the thresholds give, computed independently. */
function expected(model: Model, now: number): Model {
  const recent = model.failures.filter(({ at }) => at >= now - 7 * DAY_MS)
  const alike = (kind: string) => recent.filter((failure) => failure.kind === kind).length
  const isQuarantined = recent.length >= 5 || recent.some(({ critical }) => critical)
  const isDegraded = recent.some(({ kind }) => alike(kind) >= 3)
  const status = isQuarantined ? 'quarantined' : isDegraded ? 'degraded' : 'fine'
  return { ...model, status }
}

test('the health follows the thresholds for any sequence of events', async () => {
  const anyEvent = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        what: fc.constant('fail' as const),
        kind: fc.constantFrom('a', 'b', 'c'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ what: 'critical' as const }) },
    { weight: 3, arbitrary: fc.constant({ what: 'succeed' as const }) },
    { weight: 6, arbitrary: fc.constant({ what: 'probe' as const }) },
    { weight: 1, arbitrary: fc.constant({ what: 'clear' as const }) },
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constant('wait' as const),
        days: fc.integer({ min: 1, max: 8 }),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 40 }), async (events) => {
      const rig = await healthStore()
      let model: Model = { status: 'unknown', failures: [], canaries: 0, cleared: false }
      for (const event of events) {
        const now = rig.now.getTime()
        if (event.what === 'wait') rig.advance(event.days * DAY_MS)
        else if (event.what === 'fail' || event.what === 'critical') {
          const critical = event.what === 'critical'
          const kind = critical ? 'unsafe' : event.kind
          await fail(rig, kind, critical)
          model.failures.push({ at: now, kind, critical })
          model.canaries = 0
          const { status } = expected(model, now)
          if (model.status !== 'quarantined' && status !== 'fine') {
            model = { ...model, status, cleared: false }
          }
        } else if (event.what === 'succeed') {
          await succeed(rig)
          const { status } = expected(model, now)
          const open = model.status === 'unknown' || model.status === 'degraded'
          if (open && status === 'fine' && !model.cleared) model.status = 'healthy'
        } else if (event.what === 'probe') {
          await probe(rig)
          model.canaries += 1
          if (model.canaries >= 5) model = { ...model, status: 'healthy', failures: [], cleared: false }
        } else if (model.status === 'quarantined') {
          await rig.change((ctx) => clearQuarantine(ctx, capability_id, 'Fixed'))
          model = { status: 'degraded', failures: [], canaries: 0, cleared: true }
        }
        expect(rig.health().health_status, JSON.stringify(events)).toBe(model.status)
      }
    }),
    { numRuns: countRuns(40) },
  )
}, 120_000)

const failAs = (rig: HealthStore, user_id: string) =>
  rig.change((ctx) =>
    recordCapabilityOutcome({ ...ctx, actor: { ...ctx.actor, user_id } }, { capability_id, success: false }),
  )

test('of a shared ability two failures of each user count, so that one user cannot quarantine it', async () => {
  const rig = await healthStore({ install_lane: 'shared_promoted' })
  for (let n = 0; n < 10; n += 1) await failAs(rig, 'one')
  expect(rig.health().health_status).toBe('unknown')
  await failAs(rig, 'two')
  expect(rig.health().health_status).toBe('degraded')
  await failAs(rig, 'two')
  await failAs(rig, 'three')
  expect(rig.health().health_status).toBe('quarantined')
})

test('a failure that is not the fault of the skill is counted as a use and leaves the health as it is', async () => {
  const rig = await healthStore()
  for (let n = 0; n < 10; n += 1) {
    await rig.change((ctx) => recordCapabilityOutcome(ctx, { capability_id, success: false, blameless: true }))
  }
  expect([rig.health().health_status, rig.count('capability_failures')]).toEqual(['unknown', 0])
  expect(rig.count('capability_stats')).toBe(1)
})

const RECIPE = {
  steps: [
    { id: 'save', type: 'click' as const, selector: { resource_id: 'save' } },
    { id: 'row', type: 'click' as const, selector: { text_equals: '${inputs.room}' } },
  ],
}

test.for([
  'DEVICE_LOST',
  'DEVICE_OFFLINE',
  'EXECUTION_CANCELLED',
  'APP_NOT_FOUND',
  'TEXT_UNSUPPORTED',
  'POLICY_DENIED',
  'RESULT_ENVELOPE_TIMEOUT',
  'ACCOUNT_DIFFERS',
  'ABILITY_UNUSABLE',
  'INTERNAL_ERROR',
  'TEST_POLICY_VIOLATION',
])('%s is not the fault of a skill', (code) => {
  expect(isSkillFault(RECIPE, { code, step_id: 'save' })).toBe(false)
})

test('a missing target is the fault of a skill, unless an input names it', () => {
  expect(isSkillFault(RECIPE, { code: 'NODE_NOT_FOUND', step_id: 'save' })).toBe(true)
  expect(isSkillFault(RECIPE, { code: 'NODE_NOT_FOUND', step_id: 'row' })).toBe(false)
  expect(isSkillFault(RECIPE, { code: 'NODE_NOT_CLICKABLE', step_id: 'row' })).toBe(true)
  expect(isSkillFault(RECIPE, { code: 'VERIFY_FAILED' })).toBe(true)
})
