import { ApiFailure } from '@apprentice/contracts/client.ts'
import { startRecording, stopRecording } from '@apprentice/contracts/devices/recording.ts'
import type { TeachDialog } from './teach-dialog.ts'

/** Records touches on the phone itself. Actions sent through the daemon are captured without it. */
export class TouchRecording {
  readonly #dialog: TeachDialog
  #recordingId: string | undefined

  constructor(dialog: TeachDialog) {
    this.#dialog = dialog
  }

  /** Returns a message if touches cannot be recorded on this phone. */
  async start(): Promise<string | undefined> {
    const { call, serial, sessionId } = this.#dialog
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

  /** After this all touches are among the captured actions. */
  async stop(): Promise<void> {
    const { uninterruptible: call, serial } = this.#dialog
    const recordingId = this.#recordingId
    this.#recordingId = undefined
    if (recordingId === undefined) return
    try {
      await call(stopRecording, { params: { serial, recordingId } })
    } catch (error) {
      // The recording has ended already, with the phone or the daemon.
      if (!(error instanceof ApiFailure)) throw error
    }
  }
}
