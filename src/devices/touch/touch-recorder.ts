import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { type CallLimits, startBudget, within } from '../adb/call-limits.ts'
import { readScreen, ScreenUnreadable } from '../driver/screen-reading.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { explainBurst } from './burst.ts'
import { type LineStream, openLineStream } from './line-stream.ts'
import type { Recording } from '../recording/ndjson.ts'
import { PanelDecoder, type PanelInput } from './panel-decoder.ts'
import { type PersonInput, readStroke, shownSize } from './person-input.ts'
import { ProxyRecorder, type RecordedStep } from '../recording/proxy-recorder.ts'
import { Quiet } from './quiet.ts'
import type { ScreenEvidence, StepEvidence } from '../recording/step-evidence.ts'
import { readTouchSetup, type TouchDevice, type TouchSetup } from './touch-setup.ts'

export interface TouchRecorderOptions {
  readonly sessionId: string
  readonly device: TouchDevice
  /** Called as soon as a step is understood: some time after the finger has left. */
  readonly onStep?: (step: RecordedStep, evidence: StepEvidence) => void
  /** Called with what happened without a finger: another window came up. */
  readonly onEvents?: (events: readonly RecordingEvent[]) => void
  /** Called once when the phone goes away; what was recorded until then is kept. */
  readonly onLost?: (failure: TransportFailure) => void
  /** How long the screen must have been left alone before it is looked at. */
  readonly settleMs?: number
  /** The longest one look may take. */
  readonly lookTimeoutMs?: number
}

export interface TouchRecording {
  readonly recording: Recording
  /** Why it ended before it was stopped. */
  readonly failure: TransportFailure | undefined
}

/**
 * Records what fingers do on the phone itself: it listens to the touch panel and looks at the screen
 * whenever that has been left alone for a moment. What happened between two looks is explained by both.
 */
export class TouchRecorder {
  readonly #options: TouchRecorderOptions
  readonly #setup: TouchSetup
  readonly #recorder: ProxyRecorder
  readonly #decoder: PanelDecoder
  readonly #quiet: Quiet
  readonly #halt = new AbortController()
  #stream: LineStream | undefined
  #work: Promise<void> = Promise.resolve()
  #inputs: PersonInput[] = []
  #screen: ScreenEvidence | undefined
  #contentHash: string | undefined
  #rotation: number
  #misses = 0
  #clockOffsetMs = Number.POSITIVE_INFINITY
  #started = false
  #ending = false
  #failure: TransportFailure | undefined

  private constructor(options: TouchRecorderOptions, setup: TouchSetup) {
    this.#options = options
    this.#setup = setup
    this.#rotation = setup.display.rotation
    this.#decoder = new PanelDecoder(setup.panel)
    this.#quiet = new Quiet(options.settleMs ?? SETTLE_MS)
    const { sessionId } = options
    const { homePackage } = setup
    this.#recorder = new ProxyRecorder({ sessionId, startedAtMs: Date.now(), homePackage })
  }

  /** Resolves when touches are being followed and the screen has been looked at once. */
  static async start(options: TouchRecorderOptions, limits: CallLimits): Promise<TouchRecorder> {
    const budget = startBudget(limits)
    const setup = await readTouchSetup(options.device, budget.rest())
    const recorder = new TouchRecorder(options, setup)
    try {
      await recorder.#listen(budget.rest())
      await recorder.#look(budget.rest())
      if (recorder.#failure !== undefined) throw recorder.#failure
    } catch (error) {
      recorder.#close()
      throw error
    }
    recorder.#started = true
    recorder.#work = recorder.#watch()
    // Awaited by `stop`; until then a fault must not go unhandled.
    recorder.#work.catch(() => {})
    return recorder
  }

  get eventCount(): number {
    return this.#recorder.eventCount
  }

  get failure(): TransportFailure | undefined {
    return this.#failure
  }

  /** Looks once more if anything was done since the last look, then ends; within its limits. */
  async stop(limits: CallLimits): Promise<TouchRecording> {
    this.#ending = true
    this.#quiet.end()
    const subject = { serial: this.#options.device.driver.serial, what: 'ending a recording' }
    try {
      await within(limits, subject, () => this.#work)
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
    } finally {
      this.#close()
      this.#explain(undefined)
    }
    return { recording: this.#recorder.recording(), failure: this.#failure }
  }

  async #listen(limits: CallLimits): Promise<void> {
    const { driver, server } = this.#options.device
    const device = { server, serial: driver.serial }
    const { shellV2 } = this.#setup
    await within(limits, { serial: driver.serial, what: 'following touches' }, async (scope) => {
      let began: () => void = () => {}
      let failed: (failure: TransportFailure) => void = () => {}
      // The command names the panels before anything else: from then on nothing is missed.
      const firstLine = new Promise<void>((resolve, reject) => {
        began = resolve
        failed = reject
      })
      const sink = {
        line: (line: string) => {
          began()
          this.#heard(line)
        },
        end: (failure: TransportFailure) => {
          failed(failure)
          this.#lose(failure)
        },
      }
      firstLine.catch(() => {})
      const command = { device, commandLine: 'getevent -lt', shellV2 }
      this.#stream = await openLineStream(command, sink, limits)
      scope.onFailure(() => this.#stream?.close())
      await firstLine
    })
  }

  #heard(line: string): void {
    const inputs = this.#decoder.line(line)
    if (line.startsWith('[')) this.#quiet.disturbed(this.#decoder.busy)
    for (const input of inputs) this.#inputs.push(this.#read(input))
    if (this.#inputs.length > MOST_INPUTS) this.#explain(undefined)
  }

  #read(input: PanelInput): PersonInput {
    const atMs = this.#timeOf(input)
    if (input.kind === 'key') return { kind: 'key', key: input.key, atMs }
    return readStroke(input, { ...this.#setup.display, rotation: this.#rotation }, atMs)
  }

  /** The phone counts from its start; the event that came through fastest tells when that was. */
  #timeOf(input: PanelInput): number {
    const endedUs = input.kind === 'stroke' ? input.endedUs : input.startedUs
    this.#clockOffsetMs = Math.min(this.#clockOffsetMs, Date.now() - endedUs / 1000)
    return input.startedUs / 1000 + this.#clockOffsetMs
  }

  async #watch(): Promise<void> {
    let lastLooks = 0
    for (;;) {
      if (this.#ending && (!this.#isDue() || lastLooks >= MOST_LAST_LOOKS)) return
      if (this.#ending) lastLooks += 1
      await this.#quiet.rest()
      if (this.#halt.signal.aborted) return
      if (this.#ending && !this.#isDue()) return
      const timeoutMs = this.#options.lookTimeoutMs ?? LOOK_TIMEOUT_MS
      await this.#look({ timeoutMs, signal: this.#halt.signal }).catch((error: unknown) => {
        if (!(error instanceof TransportFailure)) throw error
        if (error.kind === 'deadline') this.#missed()
        else if (error.kind !== 'aborted') this.#lose(error)
      })
    }
  }

  #isDue(): boolean {
    return this.#inputs.length > 0 || this.#quiet.isDisturbed
  }

  /** A look during which somebody touched the phone shows neither what was before nor after. */
  async #look(limits: CallLimits): Promise<void> {
    const stillQuiet = this.#quiet.mark()
    try {
      const { hierarchy, snapshot } = await readScreen(this.#options.device.driver, limits, null)
      if (this.#halt.signal.aborted || !stillQuiet()) return
      const { captured_at, activity, content_hash, loading_state } = snapshot
      this.#misses = 0
      this.#quiet.looked(content_hash !== this.#contentHash || loading_state !== null)
      this.#contentHash = content_hash
      this.#explain({ hierarchy, captured_at, activity })
    } catch (error) {
      if (!(error instanceof ScreenUnreadable)) throw error
      this.#missed()
    }
  }

  /** A screen that cannot be read for long must not hold back what was done on it. */
  #missed(): void {
    this.#misses += 1
    this.#quiet.looked(false)
    if (this.#misses < MOST_MISSES) this.#quiet.again()
    else this.#explain(undefined)
  }

  #explain(after: ScreenEvidence | undefined): void {
    const inputs = this.#inputs
    const before = this.#screen
    this.#inputs = []
    if (inputs.length > 0 || after !== undefined) this.#screen = after
    if (after !== undefined) this.#rotation = after.hierarchy.rotation
    const size = shownSize({ ...this.#setup.display, rotation: this.#rotation })
    const { navigation } = this.#setup
    for (const step of explainBurst({ inputs, before, after, size, navigation })) {
      this.#options.onStep?.(this.#recorder.add(step), step)
    }
    const events = after === undefined ? [] : this.#recorder.saw(after, Date.now())
    if (events.length > 0) this.#options.onEvents?.(events)
  }

  #lose(failure: TransportFailure): void {
    if (this.#failure !== undefined || this.#halt.signal.aborted) return
    this.#failure = failure
    this.#close()
    this.#explain(undefined)
    if (this.#started) this.#options.onLost?.(failure)
  }

  #close(): void {
    this.#ending = true
    this.#halt.abort()
    this.#stream?.close()
    this.#quiet.close()
  }
}

const SETTLE_MS = 300
const LOOK_TIMEOUT_MS = 15_000
const MOST_MISSES = 3
const MOST_LAST_LOOKS = 3
/** More than fingers can do between two looks; beyond it something chatters. */
const MOST_INPUTS = 500
