import type { WaitForUi, WaitForUiResult } from '@apprentice/contracts/devices/verification.ts'
import type { ElementOutline } from '@apprentice/contracts/devices/snapshot.ts'
import { findActionableNode } from '../actionable.ts'
import { chooseIndex, findNodes, buildOutline, chooseScan } from './element-lookup.ts'
import { isDynamicText } from '../fingerprint.ts'
import { isTrue } from '../tree/hierarchy.ts'
import type { GoodReading, Watch } from './observation.ts'
import { type Judgement, type Polled, countConsecutive, pollScreen } from './polling.ts'

/** Waits until a condition on one element holds in two good readings in a row. */
export async function waitForUi(watch: Watch, request: WaitForUi): Promise<WaitForUiResult> {
  const total = { latency_ms: 0, poll_count: 0, good_reads: 0, failed_reads: 0, stale_reads: 0 }
  for (let attempt = 1; ; attempt += 1) {
    const judge = new ConditionJudge(request)
    const plan = { ...request, stable_reads: STABLE_READS }
    const polled = await pollScreen(watch, plan, judge)
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += polled.readings[key]
    const metrics = { ...total, attempts: attempt }
    if (polled.status === 'satisfied' || attempt >= request.retry.max_attempts) {
      return { ...buildReport(polled, judge.last), metrics }
    }
    await watch.sleep(request.retry.backoff_ms, watch.signal)
  }
}

const STABLE_READS = 2

interface Finding {
  readonly satisfied: boolean
  readonly matched_count: number
  readonly selected_index: number | null
  readonly element: ElementOutline | null
}

class ConditionJudge {
  last: Finding | null = null
  readonly #request: WaitForUi
  readonly #stable = countConsecutive(STABLE_READS)

  constructor(request: WaitForUi) {
    this.#request = request
  }

  judge(reading: GoodReading): Judgement<ElementOutline | null> {
    const finding = evaluate(reading, this.#request)
    this.last = finding
    if (!finding.satisfied) {
      this.#stable.reset()
      return { kind: 'open' }
    }
    if (!this.#stable.add(computeIdentity(finding.element, this.#request))) return { kind: 'confirming' }
    return { kind: 'settled', value: finding.element }
  }

  interrupted(): void {
    this.#stable.reset()
  }
}

function evaluate(reading: GoodReading, request: WaitForUi): Finding {
  const { condition } = request
  const inTree = condition === 'exists' || condition === 'not_exists'
  const nodes = findNodes(reading, request, inTree ? 'whole_tree' : 'on_screen')
  const index = chooseIndex(request, request.match.index)
  const node = nodes[index]
  const target =
    node === undefined || condition !== 'clickable'
      ? (node ?? null)
      : findActionableNode(node, chooseScan(reading, 'on_screen')(reading.hierarchy.roots))
  const present = target !== null && (condition !== 'clickable' || isTrue(target, 'enabled'))
  return {
    satisfied: condition === 'not_exists' ? node === undefined : present,
    matched_count: nodes.length,
    selected_index: node === undefined ? null : index,
    element: target === null ? null : buildOutline(reading, target),
  }
}

/** Two readings are equal if they contain the same element. For `visible` and `clickable` also its position must be equal. */
function computeIdentity(element: ElementOutline | null, { condition }: WaitForUi): string {
  if (element === null) return 'absent'
  const { type, resource_id, role, label, bounds } = element
  const comparesPlace = condition === 'visible' || condition === 'clickable'
  const place = comparesPlace ? bounds?.map((edge) => Math.round(edge / 4)) : null
  return JSON.stringify([type, resource_id, role, isDynamicText(label) ? '' : label, place])
}

function buildReport(polled: Polled<ElementOutline | null>, last: Finding | null): Omit<WaitForUiResult, 'metrics'> {
  const satisfied = polled.status === 'satisfied'
  return {
    status: polled.status,
    matched: satisfied,
    element: polled.value,
    observed: {
      matched_count: last?.matched_count ?? 0,
      condition_satisfied: last?.satisfied ?? false,
      selected_index: last?.selected_index ?? null,
      last_matched_element: last?.element ?? null,
    },
    ...(!satisfied && toFailure(polled, last)),
  }
}

function toFailure(
  { status, last_fault }: Polled<unknown>,
  last: Finding | null,
): Pick<WaitForUiResult, 'failure_code' | 'retryable' | 'reason'> {
  if (status === 'unobservable') {
    const reason = `there was no good reading: ${last_fault ?? 'unknown'}`
    return { failure_code: 'SCREEN_UNREADABLE', retryable: true, reason }
  }
  if (last !== null && last.matched_count > 0) {
    return {
      failure_code: 'TIMEOUT',
      retryable: true,
      reason: 'the element was found, but the condition did not hold',
    }
  }
  return {
    failure_code: 'ELEMENT_NOT_FOUND',
    retryable: true,
    reason: 'the element was not found',
  }
}
