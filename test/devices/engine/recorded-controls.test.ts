import { expect, test } from 'vitest'
import { Action } from '@apprentice/contracts/devices/action.ts'
import { toCapturedStep } from '../../../src/devices/recording/captured-step.ts'
import { type RawAction, CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const stepper = { value: part('value_value'), increase: part('value_plus') }
const slider = { value: part('level_value'), slider: part('level') }

overEmbeddedServer((open) => {
  const record = async (screen: string, action: RawAction) => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    await bench.step(action, { captureEvidence: true })
    const { result, evidence } = bench.finished[0] ?? expect.fail('no step')
    expect(result.success).toBe(true)
    const { before, after, node, point } = evidence
    const done = Action.parse({ id: 'a', ...action })
    return { evidence, step: toCapturedStep(done, { at_ms: 1, before, after, node, point }) }
  }

  test.each([
    ['switches', 'set_checked', { matcher: { textEquals: 'Quick' }, checked: true }],
    ['numbers', 'adjust_until', { ...stepper, target: 8 }],
    ['sliders', 'adjust_until', { ...slider, target: 70 }],
  ])('on %s a touch of %s is recorded as a tap', async (screen, type, params) => {
    const { step, evidence } = await record(screen, { type, params })
    expect(step).toMatchObject({ action: { kind: 'tap', point: evidence.point } })
    expect(evidence.point).toBeDefined()
    const print = (hierarchy: { nodes: readonly { attributes: object }[] } | undefined) =>
      JSON.stringify(hierarchy?.nodes.map(({ attributes }) => attributes))
    expect(print(step?.before?.hierarchy)).not.toBe(print(step?.after?.hierarchy))
  })

  test.each([
    ['switches', 'set_checked', { matcher: { textEquals: 'Quick' }, checked: false }],
    ['numbers', 'adjust_until', { ...stepper, target: 5 }],
    ['numbers', 'expect', { matcher: part('word') }],
  ])('on %s a %s that touched nothing is not recorded', async (screen, type, params) => {
    const { step, evidence } = await record(screen, { type, params })
    expect(step).toBeUndefined()
    expect(evidence.point).toBeUndefined()
  })
})
