import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { holds } from '../apps/check-app.ts'
import type { DemonstrationStep, Lesson } from '../apps/lesson-format.ts'
import { findCenter, performStep as performByTouch, planSwipe, waitForStep } from '../apps/perform-step.ts'
import type { AppDaemon } from './development-set-daemon.ts'

/** A person looks at the screen between two steps. A touch is recorded with the screen that was read before it. */
const PAUSE_MS: Readonly<Record<Channel, number>> = { live_screen: 300, touch: 1000 }
const END_WAIT_MS = 3000
const EXECUTION_WAIT_MS = 60_000

export interface AppIdentity {
  readonly packageName: string
  readonly label: string
}

/** How the demonstration is given: on the live screen of the daemon, or with fingers on the phone itself. */
export type Channel = 'live_screen' | 'touch'

export interface DemonstrationOptions {
  readonly sessionId: string
  readonly channel: Channel
}

/**
 * Performs the demonstration of a lesson. Targets are found in the model of the phone and touched by their coordinates,
 * so that the daemon is given no selector. Throws if the end of the lesson is not reached.
 */
export async function performDemonstration(
  daemon: AppDaemon,
  { packageName, label }: AppIdentity,
  lesson: Lesson,
  { sessionId, channel }: DemonstrationOptions,
): Promise<void> {
  const { phone } = daemon
  const steps = [{ tap: { description: label } }, ...lesson.demonstration]
  const pauseMs = PAUSE_MS[channel]
  const stopRecording = channel === 'touch' ? await startRecording(daemon, sessionId) : () => undefined
  for (const [at, step] of steps.entries()) {
    if (at === 1 && phone.foreground()?.packageName !== packageName) {
      throw new Error('the app did not open')
    }
    await sleep(pauseMs)
    await waitForStep(phone, step, (ms) => sleep(ms))
    if (channel === 'touch') await performByTouch(phone, step)
    else await performOnLiveScreen(daemon, steps, at)
  }
  if (!(await waitForEnd(daemon, packageName, lesson.end))) {
    throw new Error('the demonstration did not reach its end')
  }
  await sleep(pauseMs)
  await stopRecording()
}

/** Records touches on the phone itself into a session. Returns a function that stops the recording. */
async function startRecording(daemon: AppDaemon, sessionId: string): Promise<() => Promise<void>> {
  const url = `/api/devices/${daemon.phone.serial}/recordings`
  const body = { source: 'touch', learn_session_id: sessionId }
  const { recording } = await daemon.post<{ recording: { recording_id: string } }>(url, body)
  return () => daemon.post(`${url}/${recording.recording_id}/stop`)
}

/** Waits until the expression is true on the phone. Returns false if it does not become true. */
export async function waitForEnd({ phone }: AppDaemon, packageName: string, expression: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < END_WAIT_MS; waitedMs += 100) {
    if (holds(phone, packageName, expression)) return true
    await sleep(100)
  }
  return false
}

async function performOnLiveScreen(daemon: AppDaemon, steps: readonly DemonstrationStep[], at: number): Promise<void> {
  const { phone } = daemon
  const [before, step, after] = [steps[at - 1], steps[at], steps[at + 1]]
  if (step === undefined) return
  if ('wait_ms' in step) return sleep(step.wait_ms)
  if ('key' in step) {
    // The live screen has no enter key. It submits with the text.
    if (step.key === 'enter' && before !== undefined && 'type' in before) return
    return sendInput(daemon, { kind: 'key', key: step.key })
  }
  if ('swipe' in step || 'pull' in step || 'drag' in step) {
    const [from, to] = planSwipe(phone, step).map(([x, y]) => ({ x, y }))
    return sendInput(daemon, { kind: 'swipe', from, to })
  }
  if ('type' in step) {
    const submit = after !== undefined && 'key' in after && after.key === 'enter'
    await touch(daemon, 'tap', step.into)
    return enterText(daemon, { text: step.type, submit, clear: step.append !== true })
  }
  return 'tap' in step ? touch(daemon, 'tap', step.tap) : touch(daemon, 'long_press', step.long_press)
}

function touch(daemon: AppDaemon, kind: 'tap' | 'long_press', target: Parameters<typeof findCenter>[1]): Promise<void> {
  const [x, y] = findCenter(daemon.phone, target)
  return sendInput(daemon, { kind, x, y })
}

async function sendInput(daemon: AppDaemon, input: object): Promise<void> {
  const url = `/api/devices/${daemon.phone.serial}/input`
  const body = { ...input, wait_ms: EXECUTION_WAIT_MS }
  checkSucceeded(input, await daemon.post<ExecutionReply>(url, body))
}

let executionCount = 0

/** The live screen only inserts text. With `clear` this replaces what the focused field contains. */
async function enterText(
  daemon: AppDaemon,
  params: { readonly text: string; readonly submit: boolean; readonly clear: boolean },
): Promise<void> {
  executionCount += 1
  const action = {
    id: 'text',
    type: 'enter_text',
    params: { intoFocus: true, ...params },
  }
  const reply = await daemon.post<ExecutionReply>('/api/executions', {
    execution: {
      commandId: `demonstration-${executionCount}`,
      taskId: 'demonstration',
      source: 'live_screen',
      expectedFormat: 'android-ui-automator',
      timeoutMs: EXECUTION_WAIT_MS,
      actions: [action],
    },
    wait_ms: EXECUTION_WAIT_MS,
  })
  checkSucceeded(params, reply)
}

interface ExecutionReply {
  readonly execution: ExecutionRecord
}

function checkSucceeded(input: object, { execution }: ExecutionReply): void {
  if (execution.state === 'succeeded') return
  const reason = execution.envelope?.error ?? execution.state
  throw new Error(`${JSON.stringify(input)}: ${reason}`)
}
