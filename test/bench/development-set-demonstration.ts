import { holds } from '../apps/check-app.ts'
import type { DemonstrationStep, Lesson } from '../apps/lesson-format.ts'
import { performStep as performByTouch, waitForStep } from '../apps/perform-step.ts'
import { openApp, performByExecution, performOnLiveScreen } from './development-set-channels.ts'
import type { AppDaemon } from './development-set-daemon.ts'

/** A person looks at the screen between two steps. A touch is recorded with the screen that was read before it. */
const PAUSE_MS: Readonly<Record<Channel, number>> = { live_screen: 300, touch: 1000, executions: 300 }
const END_WAIT_MS = 3000

export interface AppIdentity {
  readonly packageName: string
  readonly label: string
}

/**
 * How the demonstration is given: on the live screen of the daemon, with fingers on the phone itself, or by an agent
 * through executions with selectors.
 */
export type Channel = 'live_screen' | 'touch' | 'executions'

export interface DemonstrationOptions {
  readonly sessionId: string
  readonly channel: Channel
}

/**
 * Performs the demonstration of a lesson. Targets are found in the model of the phone. Throws if the end of the lesson
 * is not reached.
 */
export async function performDemonstration(
  daemon: AppDaemon,
  { packageName, label }: AppIdentity,
  lesson: Lesson,
  { sessionId, channel }: DemonstrationOptions,
): Promise<void> {
  const { phone } = daemon
  const steps: readonly DemonstrationStep[] = [{ tap: { description: label } }, ...lesson.demonstration]
  const pauseMs = PAUSE_MS[channel]
  const stopRecording = channel === 'touch' ? await startRecording(daemon, sessionId) : () => undefined
  for (const [at, step] of steps.entries()) {
    if (at === 1 && phone.foreground()?.packageName !== packageName) {
      throw new Error('the app did not open')
    }
    await daemon.wait(pauseMs)
    await waitForStep(phone, step, (ms) => daemon.wait(ms))
    const place = { before: steps[at - 1], step, after: steps[at + 1] }
    if (channel === 'touch') await performByTouch(phone, step)
    else if (channel === 'live_screen') await performOnLiveScreen(daemon, place)
    else if (at === 0) await openApp(daemon, packageName)
    else await performByExecution(daemon, place)
  }
  if (!(await waitForEnd(daemon, packageName, lesson.end))) {
    throw new Error('the demonstration did not reach its end')
  }
  await daemon.wait(pauseMs)
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
export async function waitForEnd(
  { phone, wait }: AppDaemon,
  packageName: string,
  expression: string,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < END_WAIT_MS; waitedMs += 100) {
    if (holds(phone, packageName, expression)) return true
    await wait(100)
  }
  return false
}
