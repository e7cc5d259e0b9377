import { expect, test } from 'vitest'
import type { EvidencedRun, EvidencedStep } from '../../src/knowledge/interpret/read/evidence.ts'
import { normaliseRun } from '../../src/knowledge/interpret/normalize/normalize.ts'
import { runOf, type TinyTouch } from './tiny-app.ts'

/** As fingers are recorded: touches in quick succession share the look before them and the one after. */
function inOneBurst(given: readonly TinyTouch[]): EvidencedRun {
  const { run } = runOf(given)
  const [first] = run.steps
  const steps = run.steps.map((step, at): EvidencedStep => {
    const { after, before: _, ...rest } = step
    const before = first?.before === undefined ? {} : { before: first.before }
    const isLast = at === run.steps.length - 1
    return { ...rest, ...before, ...(isLast && after !== undefined && { after }) }
  })
  return { ...run, steps }
}

const meant = (run: EvidencedRun) =>
  normaliseRun(run, new Set()).moves.map(({ kind, adjustment, toggled, event_ids }) => [
    kind,
    adjustment?.to ?? toggled?.checked,
    event_ids.length,
  ])

test('quick touches of plus are one setting', () => {
  expect(meant(inOneBurst([{ tap: 'plus' }, { tap: 'plus' }, { tap: 'plus' }]))).toEqual([
    ['adjust', 8, 3],
  ])
})

test('two switches flipped at once are both set', () => {
  expect(meant(inOneBurst([{ tap: 'light' }, { tap: 'heat' }]))).toEqual([
    ['toggle', true, 1],
    ['toggle', false, 1],
  ])
})

test('a switch flipped there and back at once is left alone', () => {
  expect(meant(inOneBurst([{ tap: 'light' }, { tap: 'light' }, { tap: 'heat' }]))).toEqual([
    ['toggle', false, 1],
  ])
})
