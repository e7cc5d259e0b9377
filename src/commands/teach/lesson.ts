import type { z } from 'zod'
import type { Call } from '@apprentice/contracts/client.ts'
import { getSessionDetail, type LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { cancelSession } from '@apprentice/contracts/learn/sessions.ts'
import { addressOf, type ConnectionOptions } from '../terminal/connection.ts'
import type { Conversation } from '../terminal/conversation.ts'

export type TeachOptions = ConnectionOptions & {
  readonly goal?: string
  readonly serial?: string
  readonly consent?: boolean
  readonly ask?: boolean
  readonly yes?: boolean
}

/** How a lesson ended; only what is installed was learned. */
export type Ending = 'installed' | 'cancelled' | 'rejected' | 'left'

/** One lesson: who teaches, by which session, on which phone. */
export class Lesson {
  readonly options: TeachOptions
  readonly talk: Conversation
  readonly serial: string
  readonly sessionId: string
  /** Goes on whether or not the person still wants to. */
  readonly #call: Call

  constructor(
    { options, talk, call }: { options: TeachOptions; talk: Conversation; call: Call },
    { serial, sessionId }: { readonly serial: string; readonly sessionId: string },
  ) {
    this.options = options
    this.talk = talk
    this.#call = call
    this.serial = serial
    this.sessionId = sessionId
  }

  /** Asks the daemon, for as long as the person wants to go on. */
  get call(): Call {
    return abortable(this.#call, this.talk.signal)
  }

  get params(): { readonly sessionId: string } {
    return { sessionId: this.sessionId }
  }

  get dashboard(): string {
    return `${addressOf(this.options).baseUrl}/#`
  }

  say(words?: string): void {
    this.talk.say(words)
  }

  detail(): Promise<z.output<typeof LearnSessionDetail>> {
    return this.call(getSessionDetail, { params: this.params })
  }

  /** Leaves nothing open behind, where that is possible. */
  async abort(reason: string): Promise<void> {
    const { allowed_actions, session } = await this.#call(getSessionDetail, { params: this.params })
    if (allowed_actions.includes('cancel')) {
      await this.#call(cancelSession, { params: this.params, body: { reason } })
      this.say('Cancelled: nothing was learned, and nothing is watched any more.')
    } else if (session.state === 'ready_for_review') {
      this.say('The tested draft is kept; `apprentice teach` goes on with it.')
    }
  }

  /** For what has to be put right even when the person is gone. */
  get uninterruptible(): Call {
    return this.#call
  }
}

/** Breaks off with the signal's reason. */
export const abortable =
  (call: Call, signal: AbortSignal): Call =>
  (contract, ask) => {
    signal.throwIfAborted()
    return call(contract, { signal, ...ask })
  }
