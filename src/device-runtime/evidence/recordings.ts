import type { RecordingSwitch } from '../../devices/engine/engine-host.ts'
import { RecordingFailure } from '../../devices/recording/recording-failure.ts'
import { TouchRecorder } from '../../devices/touch/touch-recorder.ts'
import {
  type Actor,
  type CommandContext,
  DAEMON_ACTOR,
  systemActor,
  writeAs,
  writePatientlyAs,
} from '../../domain/command/context.ts'
import {
  endOrphanedRecordings,
  failRecording,
  type RecordingRequest,
  startRecording,
  stopRecording,
} from '../../domain/capture/recordings.ts'
import { Failure } from '../../failure/failure.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import {
  countRecordedEvents,
  findActiveRecording,
  findRecording,
  type RecordingRow,
} from '../../store/capture/recordings.ts'
import { toDeviceFailure } from '../devices/device-failure.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { CaptureSubject, CaptureRecorder, TouchReport } from './capture-recorder.ts'

const START_TIMEOUT_MS = 15_000
const STOP_TIMEOUT_MS = 15_000

/** Starts and stops recordings. A touch recording also needs a touch recorder on the device. */
export class Recordings {
  readonly #deps: RunnerDeps
  readonly #devices: DeviceManager
  readonly #recorder: CaptureRecorder
  readonly #touchRecorders = new Map<string, TouchRecorder>()
  /** The last write of each recording. Steps are written in their order. */
  readonly #pendingWrites = new Map<string, Promise<void>>()

  constructor(deps: RunnerDeps, devices: DeviceManager, recorder: CaptureRecorder) {
    this.#deps = deps
    this.#devices = devices
    this.#recorder = recorder
  }

  /** Ends the touch recordings of an earlier process. */
  async open(): Promise<void> {
    await this.#writeAs(DAEMON_ACTOR, endOrphanedRecordings)
  }

  async start(user: string, request: RecordingRequest): Promise<RecordingRow> {
    const row = await this.#write(user, (ctx) => startRecording(ctx, request))
    if (row.source === 'touch') await this.#startTouchRecorder(row)
    return row
  }

  async stop(user: string, row: RecordingRow): Promise<RecordingRow> {
    await this.#stopTouchRecorder(row.recording_id)
    const stopped = await this.#write(user, (ctx) => stopRecording(ctx, findRecording(ctx.tx, row.recording_id) ?? row))
    this.#recorder.endRecording(row)
    return stopped
  }

  /** Starts and stops recordings for the actions of an execution. */
  switchFor({ serial, owner_user_id }: CaptureSubject): RecordingSwitch {
    const toResult = ({ session_id, recording_id }: RecordingRow) => ({
      sessionId: session_id,
      filePath: `/api/devices/${serial}/recordings/${recording_id}/ndjson`,
    })
    return {
      start: async (session_id) => toResult(await this.start(owner_user_id, { serial, session_id, source: 'proxy' })),
      stop: async () => {
        const active = this.#deps.store.read((reader) => findActiveRecording(reader, serial))
        if (active?.owner_user_id !== owner_user_id) {
          throw new Failure('RECORDING_NOT_IN_PROGRESS', `${serial} is not being recorded.`)
        }
        const stopped = await this.stop(owner_user_id, active)
        const eventCount = this.#deps.store.read((reader) => countRecordedEvents(reader, active.recording_id))
        return { ...toResult(stopped), eventCount }
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#touchRecorders.keys()].map((id) => this.#stopTouchRecorder(id)))
  }

  async #startTouchRecorder(row: RecordingRow): Promise<void> {
    const { serial, owner_user_id, recording_id, session_id } = row
    const subject = { serial, owner_user_id }
    try {
      const recorder = await TouchRecorder.start(
        {
          sessionId: session_id,
          device: this.#devices.touchDevice(serial),
          onStep: ({ events, described }, screens) =>
            this.#enqueue(recording_id, subject, { events, described, screens }),
          onEvents: (events) => this.#enqueue(recording_id, subject, { events }),
          onLost: () => void this.#fail(row, 'DEVICE_LOST'),
        },
        { timeoutMs: START_TIMEOUT_MS },
      )
      this.#touchRecorders.set(recording_id, recorder)
    } catch (error) {
      await this.#fail(row, 'RECORDING_START_FAILED')
      throw error instanceof RecordingFailure
        ? new Failure('RECORDING_START_FAILED', error.message)
        : toDeviceFailure(error)
    }
  }

  #enqueue(recordingId: string, subject: CaptureSubject, step: TouchReport): void {
    const previous = this.#pendingWrites.get(recordingId) ?? Promise.resolve()
    const written: Promise<void> = previous
      .then(() => this.#recorder.recordTouched(subject, step))
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'a touch could not be stored'))
      .finally(() => {
        if (this.#pendingWrites.get(recordingId) === written) this.#pendingWrites.delete(recordingId)
      })
    this.#pendingWrites.set(recordingId, written)
  }

  async #stopTouchRecorder(recordingId: string): Promise<void> {
    const recorder = this.#touchRecorders.get(recordingId)
    this.#touchRecorders.delete(recordingId)
    await recorder?.stop({ timeoutMs: STOP_TIMEOUT_MS })
    await this.#pendingWrites.get(recordingId)
  }

  async #fail(row: RecordingRow, code: string): Promise<void> {
    this.#touchRecorders.delete(row.recording_id)
    const origin = { actor: systemActor(row.owner_user_id), correlation_id: this.#deps.newId() }
    await writePatientlyAs(this.#deps, origin, (ctx) => failRecording(ctx, row, code))
    this.#recorder.endRecording(row)
  }

  #write<T>(user_id: string, work: (ctx: CommandContext) => T): Promise<T> {
    return this.#writeAs({ kind: 'user', user_id }, work)
  }

  #writeAs<T>(actor: Actor, work: (ctx: CommandContext) => T): Promise<T> {
    return writeAs(this.#deps, { actor, correlation_id: this.#deps.newId() }, work)
  }
}
