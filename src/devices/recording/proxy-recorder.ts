import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { RECORDING_SCHEMA_VERSION, type Recording } from './ndjson.ts'
import { type DescribedStep, describeStep } from './step-description.ts'
import { isDifferentWindow, readWindow, findWindowTitle, type Window } from './screen-facts.ts'
import { toRecordingEvent, printTree, type UnnumberedEvent } from './step-events.ts'
import type { CapturedScreen, CapturedStep } from './captured-step.ts'

export interface RecorderOptions {
  readonly sessionId: string
  readonly startedAtMs: number
  /** Package of the home screen. A recording that starts there has no window event for it. */
  readonly homePackage?: string | undefined
}

export interface RecorderResult {
  readonly events: readonly RecordingEvent[]
  readonly described: DescribedStep
}

/** Identifies this recorder in the header of a recording. */
export const OPERATOR_PACKAGE = 'org.apprentice'

/** Builds a recording from finished steps and their screens. It has no clock and uses no device. */
export class ProxyRecorder {
  readonly #options: RecorderOptions
  readonly #events: RecordingEvent[] = []
  #window: Window | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  get eventCount(): number {
    return this.#events.length
  }

  /** Adds a screen that was read between steps. A different window gives an event. */
  addScreen(screen: CapturedScreen, atMs: number): readonly RecordingEvent[] {
    const window = readWindow(screen)
    const known = this.#window
    const isNew = known === undefined ? !this.#isHome(window) : isDifferentWindow(known, window)
    // A reading without the activity does not replace a known activity.
    if (isNew || known === undefined || window.activity !== null) this.#window = window
    if (!isNew) return []
    return [this.#write(toWindowChange(window, screen), findTime(screen, atMs))]
  }

  addStep(step: CapturedStep): RecorderResult {
    const events = step.before === undefined ? [] : [...this.addScreen(step.before, step.at_ms)]
    const event = toRecordingEvent(step)
    if (event !== undefined) events.push(this.#write(event, step.at_ms))
    if (step.after !== undefined) events.push(...this.addScreen(step.after, step.at_ms))
    else events.push(...this.#addOpenedApp(step))
    return { events, described: describeStep(step) }
  }

  /** The recording so far. */
  toRecording(): Recording {
    const { sessionId, startedAtMs } = this.#options
    return {
      header: {
        type: 'recording_header',
        schemaVersion: RECORDING_SCHEMA_VERSION,
        sessionId,
        startedAt: startedAtMs,
        operatorPackage: OPERATOR_PACKAGE,
      },
      events: [...this.#events],
    }
  }

  /** An app that was opened without a reading after it. */
  #addOpenedApp({ action, at_ms }: CapturedStep): readonly RecordingEvent[] {
    if (action.kind !== 'open_app') return []
    const window = { package: action.package, activity: null }
    const known = this.#window
    this.#window = window
    if (known !== undefined && !isDifferentWindow(known, window)) return []
    return [this.#write(toWindowChange(window, undefined), at_ms)]
  }

  #isHome({ package: name }: Window): boolean {
    const { homePackage } = this.#options
    return homePackage === undefined ? HOME_PACKAGES.test(name) : name === homePackage
  }

  /** Times come from different clocks. An event is never earlier than the previous one. */
  #write(event: UnnumberedEvent, atMs: number): RecordingEvent {
    const previous = this.#events.at(-1)
    const ts = Math.max(Math.round(atMs), previous?.ts ?? 0)
    const numbered: RecordingEvent = { ts, seq: this.#events.length, ...event }
    this.#events.push(numbered)
    return numbered
  }
}

/** Packages of common home screens, for phones whose home package is not known. */
const HOME_PACKAGES = /launcher|^com\.miui\.home$/i

function toWindowChange(window: Window, screen: CapturedScreen | undefined): UnnumberedEvent {
  return {
    type: 'window_change',
    packageName: window.package,
    className: window.activity,
    title: screen === undefined ? null : findWindowTitle(screen.hierarchy),
    snapshot: printTree(screen),
  }
}

function findTime({ captured_at }: CapturedScreen, atMs: number): number {
  const capturedMs = captured_at === undefined ? Number.NaN : Date.parse(captured_at)
  return Number.isNaN(capturedMs) ? atMs : Math.max(capturedMs, atMs)
}
