import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { type CallLimits, startBudget, withLimits } from '../adb/call-limits.ts'
import { takeSnapshot, ScreenUnreadable } from '../driver/screen-snapshot.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { toCapturedSteps } from './burst.ts'
import { type LineStream, openLineStream } from './line-stream.ts'
import type { Recording } from '../recording/ndjson.ts'
import { PanelDecoder, type PanelInput } from './panel-decoder.ts'
import { type PersonInput, readStroke, rotateSize } from './person-input.ts'
import { ProxyRecorder, type RecorderResult } from '../recording/proxy-recorder.ts'
import { ReadingSchedule } from './reading-schedule.ts'
import type { CapturedScreen, CapturedStep } from '../recording/captured-step.ts'
import { readTouchSetup, type TouchDevice, type TouchSetup } from './touch-setup.ts'

export interface TouchRecorderOptions {
  readonly sessionId: string
  readonly device: TouchDevice
  /** Called for each step, once the screen after it was read. */
  readonly onStep?: (result: RecorderResult, step: CapturedStep) => void
  /** Called if a window changed without a touch. */
  readonly onEvents?: (events: readonly RecordingEvent[]) => void
  /** Called once if the phone is lost. The recording keeps what it has. */
  readonly onLost?: (failure: TransportFailure) => void
  /** How long there must be no input before the screen is read. */
  readonly settleMs?: number
  /** Time limit of one reading. */
  readonly readTimeoutMs?: number
}

export interface TouchRecording {
  readonly recording: Recording
  /** Why the recording ended before `stop`. */
  readonly failure: TransportFailure | undefined
}

/**
 * Records touches on the phone itself. It follows the touch panel and reads the screen when there is no
 * input for a moment. The two readings around a burst of inputs determine its steps.
 */
export class TouchRecorder {
  readonly #options: TouchRecorderOptions
  readonly #setup: TouchSetup
  readonly #recorder: ProxyRecorder
  readonly #decoder: PanelDecoder
  readonly #schedule: ReadingSchedule
  readonly #halt = new AbortController()
  #stream: LineStream | undefined
  #work: Promise<void> = Promise.resolve()
  #inputs: PersonInput[] = []
  #screen: CapturedScreen | undefined
  #contentHash: string | undefined
  #rotation: number
  #misses = 0
  #clockOffsetMs = Number.POSITIVE_INFINITY
  #isStarted = false
  #isEnding = false
  #failure: TransportFailure | undefined

  private constructor(options: TouchRecorderOptions, setup: TouchSetup) {
    this.#options = options
    this.#setup = setup
    this.#rotation = setup.display.rotation
    this.#decoder = new PanelDecoder(setup.panel)
    this.#schedule = new ReadingSchedule(options.settleMs ?? SETTLE_MS)
    const { sessionId } = options
    const { homePackage } = setup
    this.#recorder = new ProxyRecorder({ sessionId, startedAtMs: Date.now(), homePackage })
  }

  /** Resolves when touches are followed and the screen was read once. */
  static async start(options: TouchRecorderOptions, limits: CallLimits): Promise<TouchRecorder> {
    const budget = startBudget(limits)
    const setup = await readTouchSetup(options.device, budget.remainingLimits())
    const recorder = new TouchRecorder(options, setup)
    try {
      await recorder.#listen(budget.remainingLimits())
      await recorder.#readScreen(budget.remainingLimits())
      if (recorder.#failure !== undefined) throw recorder.#failure
    } catch (error) {
      recorder.#close()
      throw error
    }
    recorder.#isStarted = true
    recorder.#work = recorder.#watch()
    // `stop` awaits it. Until then a rejection must not be unhandled.
    recorder.#work.catch(() => {})
    return recorder
  }

  get eventCount(): number {
    return this.#recorder.eventCount
  }

  get failure(): TransportFailure | undefined {
    return this.#failure
  }

  /** Reads the screen again if there was input since the last reading, then ends. */
  async stop(limits: CallLimits): Promise<TouchRecording> {
    this.#isEnding = true
    this.#schedule.finish()
    const subject = { serial: this.#options.device.driver.serial, what: 'ending a recording' }
    try {
      await withLimits(limits, subject, () => this.#work)
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
    } finally {
      this.#close()
      this.#recordBurst(undefined)
    }
    return { recording: this.#recorder.toRecording(), failure: this.#failure }
  }

  async #listen(limits: CallLimits): Promise<void> {
    const { driver, server } = this.#options.device
    const device = { server, serial: driver.serial }
    const { shellV2 } = this.#setup
    await withLimits(limits, { serial: driver.serial, what: 'following touches' }, async (scope) => {
      let resolveStart: () => void = () => {}
      let rejectStart: (failure: TransportFailure) => void = () => {}
      // The command lists the devices first. From then on no event is missed.
      const firstLine = new Promise<void>((resolve, reject) => {
        resolveStart = resolve
        rejectStart = reject
      })
      const sink = {
        line: (line: string) => {
          resolveStart()
          this.#takeLine(line)
        },
        end: (failure: TransportFailure) => {
          rejectStart(failure)
          this.#fail(failure)
        },
      }
      firstLine.catch(() => {})
      const command = { device, commandLine: 'getevent -lt', shellV2 }
      this.#stream = await openLineStream(command, sink, limits)
      scope.onFailure(() => this.#stream?.close())
      await firstLine
    })
  }

  #takeLine(line: string): void {
    const inputs = this.#decoder.line(line)
    if (line.startsWith('[')) this.#schedule.noteInput(this.#decoder.isBusy)
    for (const input of inputs) this.#inputs.push(this.#toPersonInput(input))
    if (this.#inputs.length > MAX_INPUTS) this.#recordBurst(undefined)
  }

  #toPersonInput(input: PanelInput): PersonInput {
    const atMs = this.#findTime(input)
    if (input.kind === 'key') return { kind: 'key', key: input.key, atMs }
    return readStroke(input, { ...this.#setup.display, rotation: this.#rotation }, atMs)
  }

  /** Event times count from the start of the phone. The event with the smallest delay gives the offset. */
  #findTime(input: PanelInput): number {
    const endedUs = input.kind === 'stroke' ? input.endedUs : input.startedUs
    this.#clockOffsetMs = Math.min(this.#clockOffsetMs, Date.now() - endedUs / 1000)
    return input.startedUs / 1000 + this.#clockOffsetMs
  }

  async #watch(): Promise<void> {
    let lastReadings = 0
    for (;;) {
      if (this.#isEnding && (!this.#hasOpenInput() || lastReadings >= MAX_LAST_READINGS)) return
      if (this.#isEnding) lastReadings += 1
      await this.#schedule.waitUntilDue()
      if (this.#halt.signal.aborted) return
      if (this.#isEnding && !this.#hasOpenInput()) return
      const timeoutMs = this.#options.readTimeoutMs ?? READ_TIMEOUT_MS
      await this.#readScreen({ timeoutMs, signal: this.#halt.signal }).catch((error: unknown) => {
        if (!(error instanceof TransportFailure)) throw error
        if (error.kind === 'deadline') this.#countMiss()
        else if (error.kind !== 'aborted') this.#fail(error)
      })
    }
  }

  #hasOpenInput(): boolean {
    return this.#inputs.length > 0 || this.#schedule.hasUnreadInput
  }

  /** A reading with an input during it is dropped: it may show the screen before or after the input. */
  async #readScreen(limits: CallLimits): Promise<void> {
    const hadNoInput = this.#schedule.watchForInput()
    try {
      const { hierarchy, snapshot } = await takeSnapshot(this.#options.device.driver, limits, null)
      if (this.#halt.signal.aborted || !hadNoInput()) return
      const { captured_at, activity, content_hash, loading_state } = snapshot
      this.#misses = 0
      this.#schedule.noteReading(content_hash !== this.#contentHash || loading_state !== null)
      this.#contentHash = content_hash
      this.#recordBurst({ hierarchy, captured_at, activity })
    } catch (error) {
      if (!(error instanceof ScreenUnreadable)) throw error
      this.#countMiss()
    }
  }

  /** After several failed readings the inputs are recorded without a screen after them. */
  #countMiss(): void {
    this.#misses += 1
    this.#schedule.noteReading(false)
    if (this.#misses < MAX_MISSES) this.#schedule.retry()
    else this.#recordBurst(undefined)
  }

  #recordBurst(after: CapturedScreen | undefined): void {
    const inputs = this.#inputs
    const before = this.#screen
    this.#inputs = []
    if (inputs.length > 0 || after !== undefined) this.#screen = after
    if (after !== undefined) this.#rotation = after.hierarchy.rotation
    const size = rotateSize({ ...this.#setup.display, rotation: this.#rotation })
    const { navigation } = this.#setup
    for (const step of toCapturedSteps({ inputs, before, after, size, navigation })) {
      this.#options.onStep?.(this.#recorder.addStep(step), step)
    }
    const events = after === undefined ? [] : this.#recorder.addScreen(after, Date.now())
    if (events.length > 0) this.#options.onEvents?.(events)
  }

  #fail(failure: TransportFailure): void {
    if (this.#failure !== undefined || this.#halt.signal.aborted) return
    this.#failure = failure
    this.#close()
    this.#recordBurst(undefined)
    if (this.#isStarted) this.#options.onLost?.(failure)
  }

  #close(): void {
    this.#isEnding = true
    this.#halt.abort()
    this.#stream?.close()
    this.#schedule.close()
  }
}

const SETTLE_MS = 300
const READ_TIMEOUT_MS = 15_000
const MAX_MISSES = 3
const MAX_LAST_READINGS = 3
/** More inputs than this between two readings are not made by a person. */
const MAX_INPUTS = 500
