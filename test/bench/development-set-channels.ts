import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { ScreenNode } from '@apprentice/phone/phone.ts'
import type { DemonstrationStep, Target } from '../apps/lesson-format.ts'
import { findCenter, findNode, planSwipe } from '../apps/perform-step.ts'
import type { AppDaemon } from './development-set-daemon.ts'

const EXECUTION_WAIT_MS = 60_000

/** A step and its neighbours. */
interface StepPlace {
  readonly before: DemonstrationStep | undefined
  readonly step: DemonstrationStep
  readonly after: DemonstrationStep | undefined
}

/** Performs a step on the live screen. Elements are touched by their coordinates, so the daemon is given no selector. */
export async function performOnLiveScreen(daemon: AppDaemon, place: StepPlace): Promise<void> {
  const { step } = place
  if ('type' in step) {
    await touch(daemon, 'tap', step.into)
    return act(daemon, 'live_screen', { type: 'enter_text', params: { intoFocus: true, ...planText(step, place) } })
  }
  if ('tap' in step) return touch(daemon, 'tap', step.tap)
  if ('long_press' in step) return touch(daemon, 'long_press', step.long_press)
  return performGesture(daemon, place, step)
}

/** Performs a step as an agent does, by an execution with a selector. Elements without a unique one are touched. */
export async function performByExecution(daemon: AppDaemon, place: StepPlace): Promise<void> {
  const { step } = place
  if ('type' in step) {
    const matcher = findMatcher(daemon, step.into)
    if (matcher === undefined) return performOnLiveScreen(daemon, place)
    return act(daemon, 'agent', { type: 'enter_text', params: { matcher, ...planText(step, place) } })
  }
  if ('tap' in step || 'long_press' in step) {
    const target = 'tap' in step ? step.tap : step.long_press
    const matcher = findMatcher(daemon, target)
    if (matcher === undefined) return performOnLiveScreen(daemon, place)
    const clickType = 'tap' in step ? 'click' : 'long_click'
    return act(daemon, 'agent', { type: 'click', params: { matcher, clickType } })
  }
  return performGesture(daemon, place, step)
}

export const openApp = (daemon: AppDaemon, applicationId: string): Promise<void> =>
  act(daemon, 'agent', { type: 'open_app', params: { applicationId } })

type Gesture = Exclude<DemonstrationStep, { type: string } | { tap: Target } | { long_press: Target }>

async function performGesture(daemon: AppDaemon, { before }: StepPlace, step: Gesture): Promise<void> {
  if ('wait_ms' in step) return daemon.wait(step.wait_ms)
  if ('key' in step) {
    // The live screen has no enter key. It submits with the text.
    if (step.key === 'enter' && before !== undefined && 'type' in before) return
    return sendInput(daemon, { kind: 'key', key: step.key })
  }
  const [from, to] = planSwipe(daemon.phone, step).map(([x, y]) => ({ x, y }))
  return sendInput(daemon, { kind: 'swipe', from, to })
}

/** The live screen only inserts text. With `clear` this replaces what the field contains. */
const planText = (step: Extract<DemonstrationStep, { type: string }>, { after }: StepPlace) => ({
  text: step.type,
  submit: after !== undefined && 'key' in after && after.key === 'enter',
  clear: step.append !== true,
})

/** The id, text and description of the element, if no other element on the screen has the same. */
function findMatcher({ phone }: AppDaemon, target: Target): object | undefined {
  const node = findNode(phone, target)
  const { resourceId, text, description } = node
  if (resourceId === '' && text === '' && description === '') return undefined
  const isAlike = (other: ScreenNode) =>
    other.resourceId === resourceId && other.text === text && other.description === description
  if (phone.screenNodes().filter(isAlike).length > 1) return undefined
  return {
    ...(resourceId !== '' && { resourceId }),
    ...(text !== '' && { textEquals: text }),
    ...(description !== '' && { contentDescEquals: description }),
  }
}

function touch(daemon: AppDaemon, kind: 'tap' | 'long_press', target: Target): Promise<void> {
  const [x, y] = findCenter(daemon.phone, target)
  return sendInput(daemon, { kind, x, y })
}

async function sendInput(daemon: AppDaemon, input: object): Promise<void> {
  const url = `/api/devices/${daemon.phone.serial}/input`
  const body = { ...input, wait_ms: EXECUTION_WAIT_MS }
  checkSucceeded(input, await daemon.post<ExecutionReply>(url, body))
}

let executionCount = 0

async function act(daemon: AppDaemon, source: string, action: object): Promise<void> {
  executionCount += 1
  const reply = await daemon.post<ExecutionReply>('/api/executions', {
    execution: {
      commandId: `demonstration-${executionCount}`,
      taskId: 'demonstration',
      source,
      expectedFormat: 'android-ui-automator',
      timeoutMs: EXECUTION_WAIT_MS,
      actions: [{ id: 'action', ...action }],
    },
    wait_ms: EXECUTION_WAIT_MS,
  })
  checkSucceeded(action, reply)
}

interface ExecutionReply {
  readonly execution: ExecutionRecord
}

function checkSucceeded(input: object, { execution }: ExecutionReply): void {
  if (execution.state === 'succeeded') return
  const reason = execution.envelope?.error ?? execution.state
  throw new Error(`${JSON.stringify(input)}: ${reason}`)
}
