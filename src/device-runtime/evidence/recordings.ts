import type { RecordingSwitch } from '../../devices/engine/engine-host.ts'
import { RecordingFailure } from '../../devices/recording/recording-failure.ts'
import { TouchRecorder } from '../../devices/touch/touch-recorder.ts'
import type { CommandContext } from '../../domain/command/context.ts'
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
import { asDeviceFailure } from '../devices/device-failure.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { Doing, Recorder, Touched } from './proxy-capture.ts'

const startLimitMs = 15_000
const stopLimitMs = 15_000

/** Begins and ends recordings. What is done through the daemon is heard anyway; fingers need somebody watching. */
export class Recordings {
  readonly #edges: RunnerDeps
  readonly #floor: DeviceManager
  readonly #recorder: Recorder
  readonly #touch = new Map<string, TouchRecorder>()
  /** Steps are written one after the other, in the order the fingers made them. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(edges: RunnerDeps, floor: DeviceManager, recorder: Recorder) {
    this.#edges = edges
    this.#floor = floor
    this.#recorder = recorder
  }

  /** A daemon that comes back has nobody watching fingers. */
  async open(): Promise<void> {
    await this.#write('system', endOrphanedRecordings)
  }

  async start(user: string, request: RecordingRequest): Promise<RecordingRow> {
    const row = await this.#write(user, (ctx) => startRecording(ctx, request))
    if (row.source === 'touch') await this.#watch(row)
    return row
  }

  async stop(user: string, row: RecordingRow): Promise<RecordingRow> {
    await this.#endWatch(row.recording_id)
    return this.#write(user, (ctx) =>
      stopRecording(ctx, findRecording(ctx.tx, row.recording_id) ?? row),
    )
  }

  /** For the actions that start and stop a recording from within an execution. */
  switchFor({ serial, owner_user_id }: Doing): RecordingSwitch {
    const answer = ({ session_id, recording_id }: RecordingRow) => ({
      sessionId: session_id,
      filePath: `/api/devices/${serial}/recordings/${recording_id}/ndjson`,
    })
    return {
      start: async (session_id) =>
        answer(await this.start(owner_user_id, { serial, session_id, source: 'proxy' })),
      stop: async () => {
        const active = this.#edges.store.read((reader) => findActiveRecording(reader, serial))
        if (active?.owner_user_id !== owner_user_id) {
          throw new Failure('RECORDING_NOT_IN_PROGRESS', `${serial} is not being recorded.`)
        }
        const stopped = await this.stop(owner_user_id, active)
        const eventCount = this.#edges.store.read((reader) =>
          countRecordedEvents(reader, active.recording_id),
        )
        return { ...answer(stopped), eventCount }
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#touch.keys()].map((id) => this.#endWatch(id)))
  }

  async #watch(row: RecordingRow): Promise<void> {
    const { serial, owner_user_id, recording_id, session_id } = row
    const doing = { serial, owner_user_id }
    try {
      const touch = await TouchRecorder.start(
        {
          sessionId: session_id,
          device: this.#floor.touchDevice(serial),
          onStep: ({ events, observed }, seen) =>
            this.#take(recording_id, doing, { events, observed, seen }),
          onEvents: (events) => this.#take(recording_id, doing, { events }),
          onLost: () => void this.#fail(row, 'DEVICE_LOST'),
        },
        { timeoutMs: startLimitMs },
      )
      this.#touch.set(recording_id, touch)
    } catch (error) {
      await this.#fail(row, 'RECORDING_START_FAILED')
      throw error instanceof RecordingFailure
        ? new Failure('RECORDING_START_FAILED', error.message)
        : asDeviceFailure(error)
    }
  }

  #take(recordingId: string, doing: Doing, step: Touched): void {
    const before = this.#writing.get(recordingId) ?? Promise.resolve()
    const written = before
      .then(() => this.#recorder.touched(doing, step))
      .catch((error: unknown) => this.#edges.log.error({ err: error }, 'a touch could not be kept'))
    this.#writing.set(recordingId, written)
  }

  async #endWatch(recordingId: string): Promise<void> {
    const touch = this.#touch.get(recordingId)
    this.#touch.delete(recordingId)
    await touch?.stop({ timeoutMs: stopLimitMs })
    await this.#writing.get(recordingId)
    this.#writing.delete(recordingId)
  }

  async #fail(row: RecordingRow, code: string): Promise<void> {
    this.#touch.delete(row.recording_id)
    await this.#write(row.owner_user_id, (ctx) => failRecording(ctx, row, code))
  }

  #write<T>(user_id: string, work: (ctx: CommandContext) => T): Promise<T> {
    const { store, clock, newId } = this.#edges
    return store.write(
      (tx) =>
        work({
          tx,
          now: clock().toISOString(),
          actor: { kind: 'user', user_id },
          correlation_id: newId(),
          newId,
        }) as never,
    )
  }
}
