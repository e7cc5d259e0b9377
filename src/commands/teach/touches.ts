import { ApiFailure } from '@apprentice/contracts/client.ts'
import { startRecording, stopRecording } from '@apprentice/contracts/devices/recording.ts'
import type { Lesson } from './lesson.ts'

/** Watches fingers on the phone itself; what is done through the daemon is seen anyway. */
export class Touches {
  readonly #lesson: Lesson
  #recordingId: string | undefined

  constructor(lesson: Lesson) {
    this.#lesson = lesson
  }

  /** Why fingers cannot be seen, if they cannot. */
  async watch(): Promise<string | undefined> {
    const { call, serial, sessionId } = this.#lesson
    try {
      const { recording } = await call(startRecording, {
        params: { serial },
        body: { source: 'touch', learn_session_id: sessionId },
      })
      this.#recordingId = recording.recording_id
      return undefined
    } catch (error) {
      if (error instanceof ApiFailure) return error.message
      throw error
    }
  }

  /** Afterwards everything that was touched is among the observed actions. */
  async rest(): Promise<void> {
    const { uninterruptible: call, serial } = this.#lesson
    const recordingId = this.#recordingId
    this.#recordingId = undefined
    if (recordingId === undefined) return
    try {
      await call(stopRecording, { params: { serial, recordingId } })
    } catch (error) {
      // It may have ended by itself, with the phone or the daemon.
      if (!(error instanceof ApiFailure)) throw error
    }
  }
}
