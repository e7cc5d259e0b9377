import { setTimeout as wait } from 'node:timers/promises'
import type { EngineClock } from '../../devices/engine/engine-host.ts'
import { ScreenUnreadable, takeSnapshot } from '../../devices/driver/screen-snapshot.ts'
import { type CapturedScreen } from '../../devices/recording/captured-step.ts'
import { canAccessSession } from '../../domain/sessions/session-access.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { findLastObservation, findObservation } from '../../store/capture/observations.ts'
import { findActiveRecording } from '../../store/capture/recordings.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { toDeviceFailure } from '../devices/device-failure.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { CapturedStepRef, CaptureRecorder, CaptureSubject } from './capture-recorder.ts'

export interface SettledLooksDeps extends Pick<RunnerDeps, 'store' | 'log'> {
  readonly devices: Pick<DeviceManager, 'runInQueue'>
  readonly recorder: Pick<CaptureRecorder, 'replaceAfter'>
  readonly engineClock?: EngineClock | undefined
}

interface Look {
  readonly screen: CapturedScreen
  readonly digest: string
  readonly isLoading: boolean
}

interface LookTarget {
  readonly subject: CaptureSubject
  readonly step: CapturedStepRef
}

/** The pause between two readings of a screen that may still change. */
const PAUSE_MS = 500
/** A screen that keeps changing is kept as it is after this time. */
const SETTLE_MS = 3000
/** One reading, with the wait for the queue of the device. */
const READ_TIMEOUT_MS = 15_000
/** The end of a capture waits at most this long for its last screen. */
const END_TIMEOUT_MS = 8000

/**
 * Reads the screen again after a captured step, until two readings show the same and nothing is loading, and stores
 * the last reading as the screen after the step. A new execution on the device ends the readings, because the screen
 * before its first step shows the same.
 */
export class SettledLooks {
  readonly #deps: SettledLooksDeps
  /** The readings in progress, by serial. */
  readonly #active = new Map<string, AbortController>()
  /** The last settled screen, by serial. */
  readonly #settled = new Map<string, { readonly event_id: string; readonly digest: string }>()
  /** The last captured step, by serial. It may have been deleted since. */
  readonly #latest = new Map<string, CapturedStepRef>()

  constructor(deps: SettledLooksDeps) {
    this.#deps = deps
  }

  /** Starts the readings after a step. They continue in the background. */
  start(subject: CaptureSubject, step: CapturedStepRef): void {
    const { serial } = subject
    this.abandon(serial)
    const stop = new AbortController()
    this.#active.set(serial, stop)
    this.#latest.set(serial, step)
    this.#settle({ subject, step }, { signal: stop.signal, timeoutMs: READ_TIMEOUT_MS, isWaiting: true })
      .catch((error: unknown) => this.#logFailure(error, stop.signal))
      .finally(() => {
        if (this.#active.get(serial) === stop) this.#active.delete(serial)
      })
  }

  /** Ends the readings of a device. */
  abandon(serial: string): void {
    this.#active.get(serial)?.abort()
    this.#active.delete(serial)
  }

  /** Reads the screen after the last step of a capture before the capture is paused or stopped. Never throws. */
  async finish(sessionId: string, user: string): Promise<void> {
    await this.readNow(sessionId, user).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'the last screen of a capture was not read again'),
    )
  }

  /** Reads the screen as it is now and stores it as the one after the last step of a running capture. */
  async readNow(sessionId: string, user: string): Promise<void> {
    const target = this.#deps.store.read((reader) => findLastStep(reader, sessionId, user) ?? null)
    if (target === null || this.#isAfterDeletedStep(target)) return
    this.abandon(target.subject.serial)
    const signal = AbortSignal.timeout(END_TIMEOUT_MS)
    try {
      await this.#settle(target, { signal, timeoutMs: END_TIMEOUT_MS, isWaiting: false })
    } catch (error) {
      throw toDeviceFailure(error)
    }
  }

  close(): void {
    for (const serial of this.#active.keys()) this.abandon(serial)
  }

  async #settle(
    target: LookTarget,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly isWaiting: boolean },
  ): Promise<void> {
    const { subject, step } = target
    const { signal } = options
    const known = this.#settled.get(subject.serial)
    const { now = () => performance.now(), sleep = pause } = this.#deps.engineClock ?? {}
    const endsMs = now() + SETTLE_MS
    let digest = known?.event_id === step.event_id ? known.digest : undefined
    let last: Look | undefined
    if (options.isWaiting) await sleep(PAUSE_MS, signal)
    for (;;) {
      if (options.isWaiting && this.#isTouchRecorded(subject.serial)) return
      const look = await this.#read(target, options)
      const isSettled = look !== undefined && look.digest === digest && !look.isLoading
      last = look ?? last
      digest = look?.digest
      if (isSettled || now() >= endsMs) break
      await sleep(PAUSE_MS, signal)
    }
    if (last === undefined) throw new ScreenUnreadable('not_idle', 'it kept changing or the device showed no window')
    await this.#deps.recorder.replaceAfter(subject, step, last.screen)
    this.#settled.set(subject.serial, { event_id: step.event_id, digest: last.digest })
  }

  /** The screen shows what a later step did that the person deleted. */
  #isAfterDeletedStep({ subject, step }: LookTarget): boolean {
    const latest = this.#latest.get(subject.serial)
    if (latest?.learn_session_id !== step.learn_session_id || latest.event_id === step.event_id) return false
    const { learn_session_id, event_id } = latest
    return this.#deps.store.read((reader) => findObservation(reader, learn_session_id, event_id) === undefined)
  }

  /** A touch recorder reads the screen itself, and only one can at a time. */
  #isTouchRecorded(serial: string): boolean {
    return this.#deps.store.read((reader) => findActiveRecording(reader, serial)?.source === 'touch')
  }

  /** Undefined if the device was reached but its screen could not be read. */
  async #read(
    { subject }: LookTarget,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Look | undefined> {
    const { serial, owner_user_id: principal } = subject
    try {
      const access = { principal, timeoutMs, signal }
      const { hierarchy, snapshot } = await this.#deps.devices.runInQueue(serial, access, (driver, limits) =>
        takeSnapshot(driver, limits, null),
      )
      const { captured_at, activity, content_hash, loading_state } = snapshot
      return { screen: { hierarchy, captured_at, activity }, digest: content_hash, isLoading: loading_state !== null }
    } catch (error) {
      if (error instanceof ScreenUnreadable) return undefined
      throw error
    }
  }

  #logFailure(error: unknown, { aborted }: AbortSignal): void {
    if (!aborted) this.#deps.log.warn({ err: error }, 'the screen after a captured step was not read again')
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}

/** The last step of a capturing session of the user. Undefined if it was not made on a device. */
function findLastStep(reader: Reader, learn_session_id: string, user: string): LookTarget | undefined {
  const session = findLearnSession(reader, learn_session_id)
  if (session?.state !== 'capturing' || !canAccessSession(session, user)) return undefined
  const last = findLastObservation(reader, learn_session_id)
  const [, id] = /^evidence:(.+)$/.exec(last?.after_state_ref ?? last?.before_state_ref ?? '') ?? []
  const screen = id === undefined ? undefined : findEvidence(reader, id)
  if (last === undefined || screen === undefined) return undefined
  const { serial, owner_user_id } = screen
  return { subject: { serial, owner_user_id }, step: { learn_session_id, event_id: last.event_id } }
}
