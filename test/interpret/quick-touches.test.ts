import { expect, test } from 'vitest'
import type { ObservedStep, ObservedTrace } from '../../src/knowledge/steps/observed-step.ts'
import { normalizeTrace } from '../../src/knowledge/interpret/normalize/normalize.ts'
import { buildTrace, type TinyTouch } from './tiny-app.ts'

/** A trace of touches between two readings: they share the screens before and after. */
function buildBurst(touches: readonly TinyTouch[]): ObservedTrace {
  const { trace } = buildTrace(touches)
  const [first] = trace.steps
  const steps = trace.steps.map((step, at): ObservedStep => {
    const { after, before: _, ...rest } = step
    const before = first?.before === undefined ? {} : { before: first.before }
    const isLast = at === trace.steps.length - 1
    return { ...rest, ...before, ...(isLast && after !== undefined && { after }) }
  })
  return { ...trace, steps }
}

const summarize = (trace: ObservedTrace) =>
  normalizeTrace(trace, new Set()).intents.map(({ kind, adjustment, toggled, event_ids }) => [
    kind,
    adjustment?.to ?? toggled?.checked,
    event_ids.length,
  ])

test('quick taps on plus are joined to one adjustment', () => {
  expect(summarize(buildBurst([{ tap: 'plus' }, { tap: 'plus' }, { tap: 'plus' }]))).toEqual([['adjust', 8, 3]])
})

test('two switches that were tapped quickly are both set', () => {
  expect(summarize(buildBurst([{ tap: 'light' }, { tap: 'heat' }]))).toEqual([
    ['toggle', true, 1],
    ['toggle', false, 1],
  ])
})

test('a switch that was tapped twice quickly is not set', () => {
  expect(summarize(buildBurst([{ tap: 'light' }, { tap: 'light' }, { tap: 'heat' }]))).toEqual([['toggle', false, 1]])
})
