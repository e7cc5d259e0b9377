import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Acknowledged, type Command, type Ledger, sessionIn } from './ledger.ts'
import type { Random } from './random.ts'
import { nextCommand, type Standing } from './steps.ts'

export interface TeacherParts {
  readonly user: string
  readonly token: string
  readonly random: Random
  readonly ledger: Ledger
}

/** One user who teaches without pause and never forgets what was promised. */
export class Teacher {
  readonly user: string
  readonly token: string
  readonly #random: Random
  readonly #ledger: Ledger
  readonly #own: Acknowledged[] = []
  #standing: Standing

  constructor({ user, token, random, ledger }: TeacherParts) {
    this.user = user
    this.token = token
    this.#random = random
    this.#ledger = ledger
    this.#standing = { user, categories: [] }
  }

  get session(): string | undefined {
    return this.#standing.session?.id
  }

  /** Works until the connection breaks or it is told to stop. */
  async work(url: string, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      if (!(await this.#turn(url))) return
    }
  }

  /** Asks again for what was never answered. */
  async catchUp(url: string): Promise<void> {
    if (this.#ledger.unanswered.has(this.user)) await this.#turn(url)
  }

  /** False when the connection broke. */
  async #turn(url: string): Promise<boolean> {
    const unanswered = this.#ledger.unanswered.get(this.user)
    if (unanswered === undefined && this.#own.length > 0 && this.#random.chance(0.05)) {
      return await this.#repeat(url, this.#random.pick(this.#own))
    }
    const command = unanswered ?? nextCommand(this.#standing, this.#random)
    this.#ledger.send(command)
    const answer = await this.#send(url, command)
    if (answer === undefined) return false
    if (answer.status >= 300) {
      this.#ledger.faults.push(
        `${command.path} answered ${answer.status}: ${JSON.stringify(answer.reply)}`,
      )
      return false
    }
    this.#ledger.acknowledge(command, answer.reply)
    this.#own.push({ command, reply: answer.reply })
    this.#standing = after(this.#standing, command, answer.reply)
    return true
  }

  /** A command that was answered long ago gets the same answer, whatever has died in between. */
  async #repeat(url: string, { command, reply }: Acknowledged): Promise<boolean> {
    const again = await this.#send(url, command)
    if (again === undefined) return false
    if (!isDeepStrictEqual(again.reply, reply)) {
      this.#ledger.faults.push(
        `${command.path} repeated: ${JSON.stringify(again.reply)} and not ${JSON.stringify(reply)}`,
      )
    }
    return true
  }

  /** Undefined when there was no whole answer. */
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

function after(standing: Standing, command: Command, reply: unknown): Standing {
  if (command.forgets === true) return { ...standing, session: undefined }
  const { category_id, title } = reply as { category_id?: string; title?: string }
  if (category_id !== undefined && title !== undefined) {
    return { ...standing, categories: [...standing.categories, category_id] }
  }
  const id = command.session ?? sessionIn(reply)
  if (command.leadsTo === undefined || id === undefined) return standing
  return { ...standing, session: { id, state: command.leadsTo } }
}
