import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { RECORDING_SCHEMA_VERSION, type Recording } from './ndjson.ts'
import { type ObservedStep, observeStep } from './observed-step.ts'
import { isOtherWindow, windowShown, windowTitle, type Window } from './screen-facts.ts'
import { stepEvent, treeText, type UnmarkedEvent } from './step-events.ts'
import type { ScreenEvidence, StepEvidence } from './step-evidence.ts'

export interface RecorderOptions {
  readonly sessionId: string
  readonly startedAtMs: number
  /** The home screen's package: a recording that begins there begins with no app. */
  readonly homePackage?: string | undefined
}

export interface RecordedStep {
  readonly events: readonly RecordingEvent[]
  readonly observed: ObservedStep
}

/** Names the maker of a recording in its header. */
export const OPERATOR_PACKAGE = 'org.apprentice'

/**
 * Writes a recording from finished steps and the screens around them. It keeps no clock and touches
 * no device: what steps it is given, and from whom, is for its owner.
 */
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

  /** A screen seen between steps: another window than the last is an event. */
  saw(screen: ScreenEvidence, atMs: number): readonly RecordingEvent[] {
    const seen = windowShown(screen)
    const known = this.#window
    const isNew = known === undefined ? !this.#isHome(seen) : isOtherWindow(known, seen)
    // Who did not ask for the activity does not make it unknown.
    if (isNew || known === undefined || seen.activity !== null) this.#window = seen
    if (!isNew) return []
    return [this.#write(windowEvent(seen, screen), timeOf(screen, atMs))]
  }

  add(step: StepEvidence): RecordedStep {
    const events = step.before === undefined ? [] : [...this.saw(step.before, step.at_ms)]
    const event = stepEvent(step)
    if (event !== undefined) events.push(this.#write(event, step.at_ms))
    if (step.after !== undefined) events.push(...this.saw(step.after, step.at_ms))
    else events.push(...this.#openedUnseen(step))
    return { events, observed: observeStep(step) }
  }

  /** Everything so far. */
  recording(): Recording {
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

  #openedUnseen({ action, at_ms }: StepEvidence): readonly RecordingEvent[] {
    if (action.kind !== 'open_app') return []
    const seen = { package: action.package, activity: null }
    const known = this.#window
    this.#window = seen
    if (known !== undefined && !isOtherWindow(known, seen)) return []
    return [this.#write(windowEvent(seen, undefined), at_ms)]
  }

  #isHome({ package: name }: Window): boolean {
    const { homePackage } = this.#options
    return homePackage === undefined ? HOME_NAMES.test(name) : name === homePackage
  }

  /** Times never run backwards, whichever clock they came from. */
  #write(event: UnmarkedEvent, atMs: number): RecordingEvent {
    const previous = this.#events.at(-1)
    const ts = Math.max(Math.round(atMs), previous?.ts ?? 0)
    const marked: RecordingEvent = { ts, seq: this.#events.length, ...event }
    this.#events.push(marked)
    return marked
  }
}

/** Home screens by the names they usually have; used when nobody asked the phone. */
const HOME_NAMES = /launcher|^com\.miui\.home$/i

function windowEvent(window: Window, screen: ScreenEvidence | undefined): UnmarkedEvent {
  return {
    type: 'window_change',
    packageName: window.package,
    className: window.activity,
    title: screen === undefined ? null : windowTitle(screen.hierarchy),
    snapshot: treeText(screen),
  }
}

function timeOf({ captured_at }: ScreenEvidence, atMs: number): number {
  const seen = captured_at === undefined ? Number.NaN : Date.parse(captured_at)
  return Number.isNaN(seen) ? atMs : Math.max(seen, atMs)
}
