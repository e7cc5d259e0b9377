import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONTROLS, overEmbeddedServer } from './bench.ts'
import { countRuns } from '../../kit/count-runs.ts'

interface Stepper {
  readonly min: number
  readonly max: number
  readonly step: number
  readonly value: number
  readonly target: number
}

/** Multiples of 0.25, which floating point numbers represent exactly. */
const quarters = (min: number, max: number) => fc.integer({ min: min * 4, max: max * 4 }).map((count) => count / 4)

const steppers: fc.Arbitrary<Stepper> = fc
  .record({
    min: quarters(-20, 5),
    range: quarters(0, 30),
    step: fc.oneof(fc.constantFrom(0.25, 0.5, 1, 2, 5), quarters(0.25, 8)),
    start: fc.nat(1000),
    aim: fc.integer({ min: -150, max: 1150 }),
    onGrid: fc.boolean(),
  })
  .map(({ min, range, step, start, aim, onGrid }) => {
    const quarter = (part: number) => Math.round((part * range * 4) / 1000) / 4
    const value = min + quarter(start)
    const away = quarter(aim) + min - value
    const target = onGrid ? value + Math.round(away / step) * step : value + away
    return { min, max: min + range, step, value, target }
  })

/** Steps towards the target until it is reached, passed, or the range ends. */
function canBeReached({ min, max, step, value, target }: Stepper): boolean {
  for (let at = value; ;) {
    if (at === target) return true
    const next = Math.min(max, Math.max(min, at < target ? at + step : at - step))
    if (next === at || at < target === next > target) return next === target
    at = next
  }
}

const id = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })

overEmbeddedServer((open) => {
  test('a stepper reaches the target exactly if its steps can', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:numbers')
    const tally = { reached: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(steppers, async (stepper) => {
        const { target, ...state } = stepper
        bench.phone.setState(CONTROLS, { saved: state })
        const before = bench.phone.touches()
        const { success, data } = await bench.step({
          type: 'adjust_until',
          params: {
            value: id('value_value'),
            increase: id('value_plus'),
            decrease: id('value_minus'),
            target,
            maxAdjustments: 200,
          },
        })
        const value = bench.phone.state(CONTROLS).saved['value']
        expect({ success, there: value === target }).toEqual({
          success: canBeReached(stepper),
          there: canBeReached(stepper),
        })
        expect(data['read']).toBe(String(Number(value)))
        if (success) {
          const steps = Math.ceil(Math.abs(target - stepper.value) / stepper.step)
          expect(bench.phone.touches() - before).toBe(steps)
          tally.reached += 1
        } else {
          expect(data['error']).toBe('CONTROL_CONVERGENCE_FAILED')
          tally.refused += 1
        }
      }),
      { numRuns: countRuns(150) },
    )
    expect(Math.min(tally.reached, tally.refused)).toBeGreaterThan(countRuns(20))
  }, 120_000)

  test('a slider reaches every number of its scale and fails for all others', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:sliders')
    const sliders = fc.record({
      level_min: fc.integer({ min: 0, max: 40 }),
      range: fc.integer({ min: 1, max: 200 }),
      level_step: fc.integer({ min: 1, max: 7 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      aim: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
    })
    await fc.assert(
      fc.asyncProperty(sliders, async ({ level_min, range, level_step, share, aim }) => {
        const level_max = level_min + range
        const level = level_min + Math.round(share * range)
        const target = Math.max(0, level_min + Math.round(aim * range))
        bench.phone.setState(CONTROLS, { saved: { level_min, level_max, level_step, level } })
        const { success, data } = await bench.step({
          type: 'adjust_until',
          params: { value: id('level_value'), slider: id('level'), target },
        })
        const displayed = bench.phone.state(CONTROLS).saved['level']
        expect(data['read']).toBe(String(Number(displayed)))
        const steps = Math.round(range / level_step)
        const onScale = (target - level_min) % level_step === 0 && (target - level_min) / level_step <= steps
        const isEnd = target === level_max && level_min + steps * level_step > level_max
        const reachable = target === level || (target >= level_min && target <= level_max && (onScale || isEnd))
        expect({ success, there: displayed === target }).toEqual({
          success: reachable,
          there: reachable,
        })
      }),
      { numRuns: countRuns(150) },
    )
  }, 120_000)
})
