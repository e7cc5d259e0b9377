import fc from 'fast-check'
import { expect, test } from 'vitest'
import { worstOf } from '../../src/domain/capabilities/health.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { clearQuarantine } from '../../src/domain/capabilities/quarantine.ts'
import { recordProbe } from '../../src/domain/capabilities/record-probe.ts'
import { capability_id, type HealthStore, healthStore } from './health-store.ts'

const dayMs = 24 * 3_600_000
const fail = (bench: HealthStore, fingerprint = 'NODE_NOT_FOUND@save', critical = false) =>
  bench.change((ctx) =>
    recordCapabilityOutcome(ctx, { capability_id, success: false, fingerprint, critical }),
  )
const succeed = (bench: HealthStore) =>
  bench.change((ctx) => recordCapabilityOutcome(ctx, { capability_id, success: true }))
const probe = (bench: HealthStore, ok = true) =>
  bench.change((ctx) => recordProbe(ctx, capability_id, { ok, elapsed_ms: 1 }))

test('three alike within a week degrade, five of any kind or a critical one quarantine', () => {
  const failure = fc.constantFrom('a', 'b', 'c', 'd').map((fingerprint: string) => ({
    fingerprint,
    critical: false,
  }))
  fc.assert(
    fc.property(fc.array(failure, { maxLength: 8 }), fc.nat(7), (failures, at) => {
      const worst = worstOf(failures)
      const sorted = failures
        .map(({ fingerprint }) => fingerprint)
        .toSorted()
        .join('')
      const expected =
        failures.length >= 5 ? 'quarantined' : /(.)\1\1/.test(sorted) ? 'degraded' : undefined
      expect(worst).toBe(expected)
      const unsafe = failures.toSpliced(at, 0, { fingerprint: 'x', critical: true })
      expect(worstOf(unsafe)).toBe('quarantined')
    }),
  )
})

test('the third failure of a kind degrades; two of a kind and another do not', async () => {
  const bench = await healthStore()
  await fail(bench)
  await fail(bench)
  await fail(bench, 'TIMEOUT@open')
  expect(bench.health()).toMatchObject({ health_status: 'unknown' })
  await fail(bench)
  expect(bench.health()).toMatchObject({
    health_status: 'degraded',
    session_availability: 'degraded',
    reason_codes: ['repeated_failures'],
  })
  await fail(bench, 'OTHER@x')
  expect(bench.health()).toMatchObject({
    health_status: 'quarantined',
    session_availability: 'unsupported',
  })
  expect(bench.count('capability_failures')).toBe(5)
})

test('a week later what failed counts no more, and success proves it well', async () => {
  const bench = await healthStore()
  for (let n = 0; n < 3; n += 1) await fail(bench)
  await succeed(bench)
  expect(bench.health().health_status).toBe('degraded')
  bench.advance(7 * dayMs)
  await succeed(bench)
  expect(bench.health().health_status, 'to the millisecond').toBe('degraded')
  bench.advance(1)
  await succeed(bench)
  expect(bench.health()).toMatchObject({
    health_status: 'healthy',
    reason_codes: [],
    last_verified_at: bench.now.toISOString(),
  })
  expect(bench.count('capability_failures')).toBe(3)
})

test('failures spread over more than a week are taken one by one', async () => {
  const bench = await healthStore()
  for (let n = 0; n < 6; n += 1) {
    await fail(bench)
    bench.advance(4 * dayMs)
  }
  expect(bench.health().health_status).toBe('unknown')
})

test('one critical failure is enough', async () => {
  const bench = await healthStore()
  await succeed(bench)
  await fail(bench, 'POLICY_DENIED@send', true)
  expect(bench.health()).toMatchObject({
    health_status: 'quarantined',
    reason_codes: ['critical_safety_failure'],
  })
  await succeed(bench)
  expect(bench.health().health_status, 'a use does not undo it').toBe('quarantined')
})

test('five canaries in a row lead out of quarantine; a failure between begins the count anew', async () => {
  const bench = await healthStore()
  for (let n = 0; n < 5; n += 1) await fail(bench, `kind-${n}`)
  for (let n = 0; n < 4; n += 1) await probe(bench)
  expect(bench.health()).toMatchObject({ health_status: 'quarantined', canary_successes: 4 })
  await probe(bench, false)
  expect(bench.health().canary_successes).toBe(0)
  for (let n = 0; n < 3; n += 1) await probe(bench)
  await fail(bench)
  expect(bench.health().canary_successes, 'a use counts too').toBe(0)
  for (let n = 0; n < 4; n += 1) await probe(bench)
  expect(bench.health().health_status).toBe('quarantined')
  const { health, canary_successes } = await probe(bench)
  expect([health.health_status, canary_successes]).toEqual(['healthy', 5])
  expect(bench.count('capability_failures'), 'what failed stays on record').toBe(6)
  await fail(bench, 'kind-1')
  expect(bench.health().health_status, 'the past is over').toBe('healthy')
})

test('what was let out by hand is degraded, and only canaries make it well', async () => {
  const bench = await healthStore()
  for (let n = 0; n < 5; n += 1) await fail(bench)
  const { health } = await bench.change((ctx) => clearQuarantine(ctx, capability_id, 'Mended'))
  expect(health).toMatchObject({
    health_status: 'degraded',
    reason_codes: ['quarantine_cleared_manually'],
  })
  await fail(bench)
  await succeed(bench)
  expect(bench.health()).toMatchObject({ health_status: 'degraded', canary_successes: 0 })
  for (let n = 0; n < 5; n += 1) await probe(bench)
  expect(bench.health().health_status).toBe('healthy')
})

interface Model {
  status: string
  failures: { at: number; kind: string; critical: boolean }[]
  canaries: number
  cleared: boolean
}

/** The table of thresholds, said once more in the plainest way. */
function expected(model: Model, now: number): Model {
  const recent = model.failures.filter(({ at }) => at >= now - 7 * dayMs)
  const alike = (kind: string) => recent.filter((failure) => failure.kind === kind).length
  const isBad = recent.length >= 5 || recent.some(({ critical }) => critical)
  const isPoor = recent.some(({ kind }) => alike(kind) >= 3)
  const status = isBad ? 'quarantined' : isPoor ? 'degraded' : 'fine'
  return { ...model, status }
}

test('whatever comes in whatever order, health follows the table', async () => {
  const event = fc.oneof(
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
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const bench = await healthStore()
      let model: Model = { status: 'unknown', failures: [], canaries: 0, cleared: false }
      for (const one of events) {
        const now = bench.now.getTime()
        if (one.what === 'wait') bench.advance(one.days * dayMs)
        else if (one.what === 'fail' || one.what === 'critical') {
          const critical = one.what === 'critical'
          const kind = critical ? 'unsafe' : one.kind
          await fail(bench, kind, critical)
          model.failures.push({ at: now, kind, critical })
          model.canaries = 0
          const { status } = expected(model, now)
          if (model.status !== 'quarantined' && status !== 'fine') {
            model = { ...model, status, cleared: false }
          }
        } else if (one.what === 'succeed') {
          await succeed(bench)
          const { status } = expected(model, now)
          const open = model.status === 'unknown' || model.status === 'degraded'
          if (open && status === 'fine' && !model.cleared) model.status = 'healthy'
        } else if (one.what === 'probe') {
          await probe(bench)
          model.canaries += 1
          if (model.canaries >= 5)
            model = { ...model, status: 'healthy', failures: [], cleared: false }
        } else if (model.status === 'quarantined') {
          await bench.change((ctx) => clearQuarantine(ctx, capability_id, 'Mended'))
          model = { status: 'degraded', failures: [], canaries: 0, cleared: true }
        }
        expect(bench.health().health_status, JSON.stringify(events)).toBe(model.status)
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)
