import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Acknowledged, type Command, type Ledger, readSessionId } from './ledger.ts'
import type { Random } from './random.ts'
import { nextCommand, type UserState } from './steps.ts'

export interface TeacherDeps {
  readonly user: string
  readonly token: string
  readonly random: Random
  readonly ledger: Ledger
  /** Called for a reply that tells to try again later. By default such a reply is a fault. */
  readonly onPostponed?: (status: number) => Promise<void>
}

/** A user who sends commands without pause and records every reply. */
export class Teacher {
  readonly user: string
  readonly token: string
  readonly #random: Random
  readonly #ledger: Ledger
  readonly #onPostponed: TeacherDeps['onPostponed']
  readonly #acknowledged: Acknowledged[] = []
  #state: UserState

  constructor({ user, token, random, ledger, onPostponed }: TeacherDeps) {
    this.#onPostponed = onPostponed
    this.user = user
    this.token = token
    this.#random = random
    this.#ledger = ledger
    this.#state = { user, categories: [] }
  }

  get session(): string | undefined {
    return this.#state.session?.id
  }

  /** Sends commands until the connection is lost or `isStopped`. */
  async work(url: string, isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      if (!(await this.#sendNext(url))) return
    }
  }

  /** Sends the command without a reply again. */
  async catchUp(url: string): Promise<void> {
    if (this.#ledger.unanswered.has(this.user)) await this.#sendNext(url)
  }

  /** Returns false if the connection was lost. */
  async #sendNext(url: string): Promise<boolean> {
    const unanswered = this.#ledger.unanswered.get(this.user)
    if (unanswered === undefined && this.#acknowledged.length > 0 && this.#random.chance(0.05)) {
      return await this.#repeat(url, this.#random.pick(this.#acknowledged))
    }
    const command = unanswered ?? nextCommand(this.#state, this.#random)
    this.#ledger.send(command)
    const answer = await this.#send(url, command)
    if (answer === undefined) return false
    if (this.#onPostponed !== undefined && isPostponed(answer)) {
      // The command stays without a reply and is sent again.
      await this.#onPostponed(answer.status)
      return true
    }
    if (answer.status >= 300) {
      this.#ledger.faults.push(`${command.path} answered ${answer.status}: ${JSON.stringify(answer.reply)}`)
      return false
    }
    this.#ledger.acknowledge(command, answer.reply)
    this.#acknowledged.push({ command, reply: answer.reply })
    this.#state = applyReply(this.#state, command, answer.reply)
    return true
  }

  /** Sends an acknowledged command again and expects the same reply. */
  async #repeat(url: string, { command, reply }: Acknowledged): Promise<boolean> {
    const again = await this.#send(url, command)
    if (again === undefined) return false
    if (this.#onPostponed !== undefined && isPostponed(again)) return true
    if (!isDeepStrictEqual(again.reply, reply)) {
      this.#ledger.faults.push(
        `${command.path} repeated: ${JSON.stringify(again.reply)} instead of ${JSON.stringify(reply)}`,
      )
    }
    return true
  }

  /** Returns undefined if there was no complete reply. */
  async #send(
    url: string,
    { method, path, body, key }: Command,
  ): Promise<{ status: number; reply: unknown } | undefined> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          'idempotency-key': key,
          'x-correlation-id': randomUUID(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      return { status: response.status, reply: await response.json() }
    } catch {
      return undefined
    }
  }
}

const isPostponed = ({ status, reply }: { status: number; reply: unknown }): boolean =>
  (status === 503 || status === 507) && (reply as { error?: { retryable?: boolean } }).error?.retryable === true

function applyReply(state: UserState, command: Command, reply: unknown): UserState {
  if (command.deletes === true) return { ...state, session: undefined }
  const { category_id, title } = reply as { category_id?: string; title?: string }
  if (category_id !== undefined && title !== undefined) {
    return { ...state, categories: [...state.categories, category_id] }
  }
  const id = command.session ?? readSessionId(reply)
  if (command.leadsTo === undefined || id === undefined) return state
  return { ...state, session: { id, state: command.leadsTo } }
}
