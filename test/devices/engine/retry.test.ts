import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RETRY_PRESETS, type Retry } from '@apprentice/contracts/devices/action.ts'
import { createRetryDelays } from '../../../src/devices/engine/retry.ts'

test.each([
  ['UiReadiness', [500, 1000, 2000, 3000, 3000]],
  ['AppLaunch', [750, 1500, 3000, 4000, 4000]],
  ['AppClose', [400, 800, 1600, 2000, 2000]],
  ['UiScroll', [400, 800, 1600, 2000, 2000]],
] as const)('the delays of %s grow to their limit', (name, expected) => {
  expect(delays(RETRY_PRESETS[name], () => 0.5)).toEqual(expected)
})

test('jitter changes a delay in both directions within its ratio', () => {
  expect(delays(RETRY_PRESETS.UiReadiness, () => 0)).toEqual([425, 850, 1700, 2550, 2550])
  expect(delays(RETRY_PRESETS.UiReadiness, () => 0.999999)[0]).toBe(575)
  fc.assert(
    fc.property(
      fc.record({
        maxAttempts: fc.constant(10),
        initialDelayMs: fc.nat(30_000),
        backoffMultiplier: fc.double({ min: 1, max: 5, noNaN: true }),
        jitterRatio: fc.double({ min: 0, max: 1, noNaN: true }),
        more: fc.nat(30_000),
      }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ({ more, ...rest }, share) => {
        const retry = { ...rest, maxDelayMs: rest.initialDelayMs + more }
        for (const delay of delays(retry, () => share)) {
          expect(delay).toBeGreaterThanOrEqual(0)
          expect(delay).toBeLessThanOrEqual(Math.ceil(retry.maxDelayMs * (1 + retry.jitterRatio)))
        }
      },
    ),
  )
})

test('the same seed gives the same delays', () => {
  const seeded = () => {
    let state = 7
    return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
  }
  const first = delays(RETRY_PRESETS.UiReadiness, seeded())
  expect(delays(RETRY_PRESETS.UiReadiness, seeded())).toEqual(first)
  expect(new Set(first).size).toBeGreaterThan(3)
})

function delays(retry: Retry, random: () => number): number[] {
  const next = createRetryDelays(retry, random)
  return Array.from({ length: 5 }, () => next())
}
