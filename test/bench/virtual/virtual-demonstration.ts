import type { Action } from '@apprentice/contracts/devices/action.ts'
import { ScreenInput } from '@apprentice/contracts/devices/screen.ts'
import { toAction } from '../../../src/device-runtime/live/screen-input.ts'
import { parseHierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { takeSnapshot } from '../../../src/devices/driver/screen-snapshot.ts'
import type { StepEvidence } from '../../../src/devices/engine/step-evidence.ts'
import { toCapturedStep } from '../../../src/devices/recording/captured-step.ts'
import { describeStep } from '../../../src/devices/recording/step-description.ts'
import type { ObservedStep, ObservedTrace } from '../../../src/knowledge/steps/observed-step.ts'
import { decideEffect } from '../../../src/knowledge/verification/effect.ts'
import { printWithoutPasswords } from '../../../src/screen/hierarchy-print.ts'
import type { Hierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { holds } from '../../apps/check-app.ts'
import type { DemonstrationStep, Lesson, Target } from '../../apps/lesson-format.ts'
import { findCenter, planSwipe, waitForStep } from '../../apps/perform-step.ts'
import type { AppIdentity } from '../development-set-demonstration.ts'
import { toExecution, type VirtualPhone } from './virtual-phone.ts'

const TRACE_ID = 'demonstration'
const PAUSE_MS = 300
const SETTLE_PAUSE_MS = 500
const SETTLE_MS = 3000
const LIMITS = { timeoutMs: 15_000 }

/** Performs the demonstration as on the live screen. Throws if the end of the lesson is not reached. */
export async function demonstrate(
  virtual: VirtualPhone,
  { packageName, label }: AppIdentity,
  lesson: Lesson,
): Promise<ObservedTrace> {
  const { phone } = virtual
  const steps: readonly DemonstrationStep[] = [{ tap: { description: label } }, ...lesson.demonstration]
  const observed: ObservedStep[] = []
  for (const [at, step] of steps.entries()) {
    if (at === 1 && phone.foreground()?.packageName !== packageName) throw new Error('the app did not open')
    await virtual.wait(PAUSE_MS)
    await waitForStep(phone, step, (ms) => virtual.wait(ms))
    observed.push(...(await perform(virtual, steps, at)).map((one) => ({ ...one, event_id: '' })))
  }
  if (!(await waitForEnd(virtual, packageName, lesson.end))) throw new Error('the demonstration did not reach its end')
  await virtual.wait(PAUSE_MS)
  const numbered = observed.map((step, at) => ({ ...step, event_id: `event-${at + 1}` }))
  return { trace_id: TRACE_ID, steps: await settleLast(virtual, numbered) }
}

/** Waits until the expression is true on the phone. Returns false if it does not become true. */
export async function waitForEnd(virtual: VirtualPhone, packageName: string, expression: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < SETTLE_MS; waitedMs += 100) {
    if (holds(virtual.phone, packageName, expression)) return true
    await virtual.wait(100)
  }
  return false
}

type Observed = Omit<ObservedStep, 'event_id'>

async function perform(virtual: VirtualPhone, steps: readonly DemonstrationStep[], at: number): Promise<Observed[]> {
  const { phone } = virtual
  const [before, step, after] = [steps[at - 1], steps[at], steps[at + 1]]
  if (step === undefined) return []
  if ('wait_ms' in step) {
    await virtual.wait(step.wait_ms)
    return []
  }
  if ('key' in step) {
    // The live screen has no enter key. It submits with the text.
    if (step.key === 'enter' && before !== undefined && 'type' in before) return []
    return input(virtual, { kind: 'key', key: step.key })
  }
  if ('swipe' in step || 'pull' in step || 'drag' in step) {
    const [[x1, y1], [x2, y2]] = planSwipe(phone, step)
    return input(virtual, { kind: 'swipe', from: { x: x1, y: y1 }, to: { x: x2, y: y2 } })
  }
  if ('type' in step) {
    const submit = after !== undefined && 'key' in after && after.key === 'enter'
    const touched = await touch(virtual, 'tap', step.into)
    const params = { intoFocus: true, text: step.type, submit, clear: step.append !== true }
    return [...touched, ...(await act(virtual, { id: 'text', type: 'enter_text', params }))]
  }
  return 'tap' in step ? touch(virtual, 'tap', step.tap) : touch(virtual, 'long_press', step.long_press)
}

function touch(virtual: VirtualPhone, kind: 'tap' | 'long_press', target: Target): Promise<Observed[]> {
  const [x, y] = findCenter(virtual.phone, target)
  return input(virtual, { kind, x, y })
}

const input = (virtual: VirtualPhone, screenInput: object): Promise<Observed[]> =>
  act(virtual, toAction(ScreenInput.parse(screenInput)))

async function act(virtual: VirtualPhone, raw: object): Promise<Observed[]> {
  const execution = toExecution(raw)
  const seen: { action: Action; evidence: StepEvidence }[] = []
  const [action] = execution.actions
  const envelope = await virtual.execute(execution, {
    captureEvidence: true,
    onStepFinished: (result, evidence) => {
      if (result.success && action !== undefined) seen.push({ action, evidence })
      return Promise.resolve()
    },
  })
  if (envelope.status !== 'success') throw new Error(`${JSON.stringify(raw)}: ${envelope.error ?? 'failed'}`)
  const observed: Observed[] = []
  for (const { action: done, evidence } of seen) {
    const step = await observe(virtual, done, evidence)
    if (step !== undefined) observed.push(step)
  }
  return observed
}

async function observe(virtual: VirtualPhone, action: Action, evidence: StepEvidence): Promise<Observed | undefined> {
  const { node, point } = evidence
  const { activity } = (await virtual.driver.foreground(LIMITS)) ?? {}
  const [before, after] = [evidence.before, evidence.after].map(
    (reading) => reading && { hierarchy: reparse(reading.hierarchy), captured_at: reading.captured_at },
  )
  const captured = toCapturedStep(action, {
    at_ms: virtual.now(),
    before,
    after: after && { ...after, activity },
    node,
    point,
    effect: decideEffect(evidence.effect).effect,
  })
  if (captured === undefined) return undefined
  const { window_title: _title, target: _target, ...described } = describeStep(captured)
  return { ...described, trace_id: TRACE_ID, before: before?.hierarchy, after: after?.hierarchy }
}

/** A tree as it is read from stored evidence. */
function reparse(hierarchy: Hierarchy): Hierarchy {
  const parsed = parseHierarchy(printWithoutPasswords(hierarchy))
  if (!parsed.ok) throw new Error('A printed tree cannot be parsed.')
  return parsed.hierarchy
}

/** The screen after the last step is read again when the capture stops. */
async function settleLast(virtual: VirtualPhone, steps: readonly ObservedStep[]): Promise<ObservedStep[]> {
  const last = steps.at(-1)
  if (last === undefined) return []
  const endsMs = virtual.now() + SETTLE_MS
  let digest: string | undefined
  for (;;) {
    const { hierarchy, snapshot } = await takeSnapshot(virtual.driver, LIMITS, null)
    const isSettled = snapshot.content_hash === digest && snapshot.loading_state === null
    if (isSettled || virtual.now() >= endsMs) {
      return [...steps.slice(0, -1), { ...last, after: reparse(hierarchy), caused_state_change: true }]
    }
    digest = snapshot.content_hash
    await virtual.wait(SETTLE_PAUSE_MS)
  }
}
