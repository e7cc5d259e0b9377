import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseNextPosition } from '../../../src/devices/engine/actions/adjust/slider-adjustment.ts'
import { countRuns } from '../../kit/count-runs.ts'

/** A track and the number that a touch on each of its pixels gives. */
const scales = fc
  .record({
    start: fc.integer({ min: 0, max: 500 }),
    length: fc.integer({ min: 40, max: 1200 }),
    inset: fc.double({ min: 0, max: 0.2, noNaN: true }),
    low: fc.integer({ min: -50, max: 50 }),
    steps: fc.integer({ min: 1, max: 120 }),
    step: fc.constantFrom(0.5, 1, 2, 5),
    vertical: fc.boolean(),
    rising: fc.boolean(),
    aim: fc.integer({ min: -3, max: 123 }),
  })
  .map(({ start, length, inset, low, steps, step, rising, ...rest }) => {
    const end = start + length - 1
    const valueAt = (at: number) => {
      const along = (rising ? at - start : end - at) / (length - 1)
      const share = Math.min(1, Math.max(0, (along - inset) / (1 - 2 * inset)))
      return low + Math.round(share * steps) * step
    }
    return {
      track: { start, end, vertical: rest.vertical },
      valueAt,
      target: low + rest.aim * step,
    }
  })

test('every number on the scale is found, and the search for other numbers ends', () => {
  fc.assert(
    fc.property(scales, ({ track, valueAt, target }) => {
      const touched: { at: number; value: number }[] = []
      const pixels = Array.from({ length: track.end - track.start + 1 }, (_, at) => track.start + at)
      for (;;) {
        const at = chooseNextPosition(track, touched, target)
        if (at === undefined) break
        expect(at).toBeGreaterThanOrEqual(track.start)
        expect(at).toBeLessThanOrEqual(track.end)
        expect(touched.map((touch) => touch.at)).not.toContain(at)
        touched.push({ at, value: valueAt(at) })
        if (valueAt(at) === target) break
      }
      expect(touched.at(-1)?.value === target).toBe(pixels.some((at) => valueAt(at) === target))
      expect(touched.length).toBeLessThan(40)
    }),
    { numRuns: countRuns(1000) },
  )
})

test('a linear scale from zero takes two touches', () => {
  const track = { start: 100, end: 1099, vertical: false }
  expect(chooseNextPosition(track, [], 30)).toBe(600)
  expect(chooseNextPosition(track, [{ at: 600, value: 50 }], 30)).toBe(400)
})
