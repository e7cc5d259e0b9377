import type { ElementState, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import {
  type ExpectElementVisible,
  type ExpectElementVisibleResult,
  type ExpectState,
  type ExpectStateResult,
  type ExpectedState,
  type FailureCode,
  WaitForUi,
} from '@apprentice/contracts/devices/verification.ts'
import { chooseIndex, findElement, findNodes, buildOutline } from './element-lookup.ts'
import type { UiNode } from '../tree/hierarchy.ts'
import type { GoodReading, Watch } from './observation.ts'
import { type Judge, type Judgement, countConsecutive, pollScreen } from './polling.ts'
import { waitForUi } from './wait-for-ui.ts'

/** Expects the element to be on screen in two good readings in a row. */
export async function expectElementVisible(
  watch: Watch,
  request: ExpectElementVisible,
): Promise<ExpectElementVisibleResult> {
  const waited = await waitForUi(watch, WaitForUi.parse({ ...request, condition: 'visible' }))
  const { matched, element, metrics, failure_code, retryable, reason } = waited
  return {
    success: matched,
    evaluated: metrics.good_reads > 0,
    element,
    metrics,
    ...(!matched && { failure_code, retryable, reason }),
  }
}

/** Expects a property of the element to have a value in `stable_observation_count` good readings in a row. */
export async function expectState(watch: Watch, request: ExpectState): Promise<ExpectStateResult> {
  const judge = new StateJudge(request)
  const plan = {
    timeout_ms: request.stabilization_window_ms,
    poll_interval_ms: request.poll_interval_ms,
    stable_reads: request.stable_observation_count,
  }
  const polled = await pollScreen(watch, plan, judge)
  const { last } = judge
  const success = polled.status === 'satisfied'
  return {
    success,
    evaluated: last !== null && (last.verdict === 'equal' || last.verdict === 'different'),
    element: last?.reading && last.node ? buildOutline(last.reading, last.node) : null,
    property: request.property,
    expected: request.expected,
    observed: last?.observed ?? null,
    metrics: { ...polled.readings, attempts: 1 },
    ...(!success && toFailure(last?.verdict ?? 'unread', polled.last_fault)),
  }
}

type Verdict = 'equal' | 'different' | 'unavailable' | 'missing'

interface Finding {
  readonly verdict: Verdict
  readonly observed: boolean | number | string | null
  readonly reading: GoodReading
  readonly node: UiNode | null
}

class StateJudge implements Judge<true> {
  last: Finding | null = null
  readonly #request: ExpectState
  readonly #stable: ReturnType<typeof countConsecutive>

  constructor(request: ExpectState) {
    this.#request = request
    this.#stable = countConsecutive(request.stable_observation_count)
  }

  judge(reading: GoodReading): Judgement<true> {
    this.last = evaluate(reading, this.#request)
    if (this.last.verdict !== 'equal') {
      this.#stable.reset()
      return { kind: 'open' }
    }
    return this.#stable.add('equal') ? { kind: 'settled', value: true } : { kind: 'confirming' }
  }

  interrupted(): void {
    this.#stable.reset()
  }
}

function evaluate(reading: GoodReading, request: ExpectState): Finding {
  const nodes = findNodes(reading, request, 'on_screen')
  const node = nodes[chooseIndex(request, undefined)]
  if (node === undefined) return { verdict: 'missing', observed: null, reading, node: null }
  const element = findElement(reading, node)
  const observed = element.state[request.property] ?? null
  const verdict = compareState(element, request.property, request.expected)
  return { verdict, observed, reading, node }
}

/** Absent state is unknown, not false. Values of different types cannot be compared. */
function compareState(
  element: SnapshotElement,
  property: keyof ElementState,
  expected: ExpectedState,
): 'equal' | 'different' | 'unavailable' {
  if (typeof expected === 'object') return compareChoice(element, property, expected)
  const observed = element.state[property]
  if (observed === undefined) return 'unavailable'
  if (property === 'selected' && typeof expected === 'string') {
    return compareChoice(element, property, { label: expected })
  }
  if (typeof observed !== typeof expected) return 'unavailable'
  return observed === expected ? 'equal' : 'different'
}

/** Holds if the element is selected and has the expected id or label. */
function compareChoice(
  element: SnapshotElement,
  property: keyof ElementState,
  { id, label }: { readonly id?: string | undefined; readonly label?: string | undefined },
): 'equal' | 'different' | 'unavailable' {
  if (property !== 'selected' || element.state.selected === undefined) return 'unavailable'
  const name = id === undefined ? element.label : element.stable_id
  const expected = id ?? label
  if (expected === undefined || name === null) return 'unavailable'
  return element.state.selected && name === expected ? 'equal' : 'different'
}

function toFailure(
  verdict: Verdict | 'unread',
  fault: string | null,
): { failure_code: FailureCode; retryable: boolean; reason: string } {
  switch (verdict) {
    case 'unread':
      return {
        failure_code: 'SCREEN_UNREADABLE',
        retryable: true,
        reason: `there was no good reading: ${fault ?? 'unknown'}`,
      }
    case 'missing':
      return {
        failure_code: 'ELEMENT_NOT_FOUND',
        retryable: true,
        reason: 'the element is not on screen',
      }
    case 'unavailable':
      return {
        failure_code: 'STATE_UNAVAILABLE',
        retryable: false,
        reason: 'the screen does not report this property of the element',
      }
    case 'different':
      return { failure_code: 'EXPECT_STATE_MISMATCH', retryable: true, reason: 'the state differs' }
    case 'equal':
      return {
        failure_code: 'VERIFICATION_FAILED',
        retryable: true,
        reason: 'the state was observed, but not in enough readings in a row',
      }
  }
}
