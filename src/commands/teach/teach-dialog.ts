import type { z } from 'zod'
import type { Call } from '@apprentice/contracts/client.ts'
import { getSessionDetail, type LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { cancelSession } from '@apprentice/contracts/learn/sessions.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { resolveAddress, type ConnectionOptions } from '../terminal/connection.ts'
import type { Conversation } from '../terminal/conversation.ts'

export type TeachOptions = ConnectionOptions & {
  readonly goal?: string
  readonly serial?: string
  readonly consent?: boolean
  readonly ask?: boolean
  readonly yes?: boolean
}

export const CANCELLED_MESSAGE = 'Cancelled: nothing was learned and the capture has ended.'

/** How the command ended. `pending`: the session is still open or the draft is not decided. */
export type Outcome = 'installed' | 'cancelled' | 'rejected' | 'pending'

/** A learn session taught at this terminal, and the phone it is taught on. */
export class TeachDialog {
  readonly options: TeachOptions
  readonly conversation: Conversation
  readonly serial: string
  readonly sessionId: string
  readonly #call: Call

  constructor(
    { options, conversation, call }: { options: TeachOptions; conversation: Conversation; call: Call },
    { serial, sessionId }: { readonly serial: string; readonly sessionId: string },
  ) {
    this.options = options
    this.conversation = conversation
    this.#call = call
    this.serial = serial
    this.sessionId = sessionId
  }

  /** Calls the daemon until the person presses Ctrl-C. */
  get call(): Call {
    return abortable(this.#call, this.conversation.signal)
  }

  get params(): { readonly sessionId: string } {
    return { sessionId: this.sessionId }
  }

  get dashboard(): string {
    return `${resolveAddress(this.options).baseUrl}/#`
  }

  print(text?: string): void {
    this.conversation.say(text)
  }

  detail(): Promise<z.output<typeof LearnSessionDetail>> {
    return this.call(getSessionDetail, { params: this.params })
  }

  /** Cancels the session if its state permits. */
  async abort(reason: string): Promise<void> {
    const { allowed_actions, session } = await this.#call(getSessionDetail, { params: this.params })
    if (allowed_actions.includes('cancel')) {
      await this.#call(cancelSession, { params: this.params, body: { reason } })
      this.print(CANCELLED_MESSAGE)
    } else if (session.state === 'ready_for_review') {
      this.print(`The tested draft is saved. Continue with \`${hintCommand('teach')}\`.`)
    }
  }

  /** Calls the daemon even after Ctrl-C, to clean up. */
  get uninterruptible(): Call {
    return this.#call
  }
}

/** Makes calls fail with the signal's reason once it is aborted. */
export const abortable =
  (call: Call, signal: AbortSignal): Call =>
  (contract, ask) => {
    signal.throwIfAborted()
    return call(contract, { signal, ...ask })
  }
