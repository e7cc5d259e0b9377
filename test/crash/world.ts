import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { Follower } from './follower.ts'
import { findViolations, readEffects, findMissingEvents, findUnstoredEvents, withReader } from './inspection.ts'
import { findProjectionFaults } from './projection-inspection.ts'
import { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import { Teacher } from './teacher.ts'

const ADMIN_TOKEN = 'crash-admin-token-0123456789'
const USERS = ['ada', 'ben', 'cleo', 'dai', 'eva', 'finn']
const FOLLOWED_USERS = 3
const SETTLE_MS = 30_000

/** One home with its users. Daemons are started and killed on it. */
export class World {
  readonly ledger = new Ledger()
  readonly #home = mkdtempSync(join(tmpdir(), 'apprentice-crash-'))
  readonly #random: Random
  #teachers: Teacher[] = []
  #followers: Follower[] = []
  #program: Program | undefined
  kills = 0
  /** The number of commands that got no reply because of a kill. */
  interrupted = 0

  constructor(random: Random) {
    this.#random = random
    const limits = { requests_per_second: 1e6, request_burst: 1e6 }
    writeFileSync(join(this.#home, 'settings.json'), JSON.stringify({ limits }))
  }

  /** The number of events received over streams. */
  get receivedEvents(): number {
    const streams = this.#followers.flatMap(({ received }) => [...received.values()])
    return streams.reduce((total, { length }) => total + length, 0)
  }

  get isConsistent(): boolean {
    return this.ledger.faults.length === 0
  }

  async open(): Promise<void> {
    const url = await this.#serve()
    this.#teachers = await Promise.all(
      USERS.map(async (user) => {
        const token = await issueToken(url, user)
        return new Teacher({ user, token, random: this.#random, ledger: this.ledger })
      }),
    )
    this.#followers = this.#teachers
      .slice(0, FOLLOWED_USERS)
      .map((teacher) => new Follower(teacher, this.ledger.faults))
    await this.#program?.end('SIGTERM')
  }

  /** Kills a daemon during its start. */
  async killDuringStart(): Promise<void> {
    const program = this.#start()
    await sleep(this.#random.int(50, 900))
    await this.#kill(program)
  }

  /** Starts a daemon, inspects its database, uses it and kills it while it works. */
  async killDuringWork({ projections }: { projections: boolean }): Promise<void> {
    const url = await this.#serve()
    await this.#inspect()
    if (projections) await this.#waitForProjections()
    let stopped = false
    const activities = [
      ...this.#teachers.map((teacher) => teacher.work(url, () => stopped)),
      ...this.#followers.map((follower) => follower.follow(url, () => stopped)),
    ]
    await this.#waitForWork()
    await this.#kill(this.#program)
    stopped = true
    await Promise.all(activities)
    this.interrupted += this.ledger.unanswered.size
  }

  /** Starts a last daemon, repeats the open commands, stops it and checks the final state. */
  async finish(): Promise<void> {
    const url = await this.#serve()
    await this.#inspect()
    await Promise.all(this.#teachers.map((teacher) => teacher.catchUp(url)))
    const open = this.ledger.unanswered.size
    if (open > 0) this.ledger.faults.push(`${open} commands got no reply when repeated`)
    await this.#waitForFollowers(url)
    await this.#inspect()
    const code = await this.#program?.end('SIGTERM')
    if (code !== 0) this.ledger.faults.push(`the last daemon ended with ${String(code)}`)
    this.ledger.faults.push(
      ...(await withReader(this.#home, (reader) => findProjectionFaults(reader, this.#home, { running: false }))),
    )
  }

  close(): void {
    for (const follower of this.#followers) follower.close()
    this.#program?.child.kill('SIGKILL')
    rmSync(this.#home, { recursive: true, force: true })
  }

  #start(): Program {
    this.#program = startProgram([daemonProgram, 'serve'], buildDaemonEnv(this.#home, ADMIN_TOKEN))
    return this.#program
  }

  async #serve(): Promise<string> {
    const { url } = await this.#start().firstLine
    return String(url)
  }

  async #kill(program: Program | undefined): Promise<void> {
    const how = await program?.end('SIGKILL')
    if (how === 'SIGKILL') this.kills += 1
    else this.ledger.faults.push(`a daemon ended by itself with ${String(how)}`)
  }

  /** Waits for some commands and some milliseconds, so that a slow daemon has done something. */
  async #waitForWork(): Promise<void> {
    const enough = this.ledger.acknowledged.length + this.#random.int(0, 40)
    const until = Date.now() + 700
    while (this.ledger.acknowledged.length < enough && Date.now() < until) await sleep(1)
    await sleep(this.#random.int(0, 10))
  }

  async #inspect(): Promise<void> {
    const received = this.#followers.map((follower) => follower.received)
    const faults = await withReader(this.#home, (reader) => [
      ...this.ledger.compare(readEffects(reader)),
      ...findViolations(reader),
      ...received.flatMap((events) => findUnstoredEvents(reader, events)),
    ])
    this.ledger.faults.push(...faults)
  }

  async #waitForProjections(): Promise<void> {
    const until = Date.now() + SETTLE_MS
    for (;;) {
      const faults = await withReader(this.#home, (reader) =>
        findProjectionFaults(reader, this.#home, { running: true }),
      ).catch((error: unknown) => [String(error)])
      if (faults.length === 0) return
      if (Date.now() > until) {
        this.ledger.faults.push(...faults)
        return
      }
      await sleep(150)
    }
  }

  /** Waits until every follower has received the newest event of its session. */
  async #waitForFollowers(url: string): Promise<void> {
    let stopped = false
    const following = this.#followers.map((follower) => follower.follow(url, () => stopped))
    const until = Date.now() + 10_000
    let behind = await this.#findBehind()
    while (behind.length > 0 && Date.now() < until) {
      await sleep(20)
      behind = await this.#findBehind()
    }
    this.ledger.faults.push(...behind)
    stopped = true
    for (const follower of this.#followers) follower.close()
    await Promise.all(following)
  }

  #findBehind(): Promise<string[]> {
    for (const follower of this.#followers) follower.readFrames()
    return withReader(this.#home, (reader) =>
      this.#followers.flatMap(({ current, received }) =>
        current === undefined ? [] : findMissingEvents(reader, current.id, received.get(current.id) ?? []),
      ),
    )
  }
}

async function issueToken(url: string, user: string): Promise<string> {
  const reply = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user, label: 'crash', privilege: 'write' }),
  })
  return ((await reply.json()) as { secret: string }).secret
}
