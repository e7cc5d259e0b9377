import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { daemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { Follower } from './follower.ts'
import { findBreaches, findMarks, findUntold, findUntrue, withReader } from './inspection.ts'
import { findMirrorFaults } from './mirror-inspection.ts'
import { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import { Teacher } from './teacher.ts'

const adminToken = 'crash-admin-token-0123456789'
const users = ['ada', 'ben', 'cleo', 'dai', 'eva', 'finn']
const followed = 3
const settleMs = 30_000

/** One home with the people who use it. Daemons come and go. */
export class World {
  readonly ledger = new Ledger()
  readonly #home = mkdtempSync(join(tmpdir(), 'apprentice-crash-'))
  readonly #random: Random
  #teachers: Teacher[] = []
  #followers: Follower[] = []
  #program: Program | undefined
  kills = 0
  /** Commands whose answer a kill has prevented. */
  cutOff = 0

  constructor(random: Random) {
    this.#random = random
    const limits = { requests_per_second: 1e6, request_burst: 1e6 }
    writeFileSync(join(this.#home, 'settings.json'), JSON.stringify({ limits }))
  }

  /** Events read from streams. */
  get told(): number {
    const streams = this.#followers.flatMap(({ told }) => [...told.values()])
    return streams.reduce((total, { length }) => total + length, 0)
  }

  get isSound(): boolean {
    return this.ledger.faults.length === 0
  }

  async open(): Promise<void> {
    const url = await this.#serve()
    this.#teachers = await Promise.all(
      users.map(async (user) => {
        const token = await issueToken(url, user)
        return new Teacher({ user, token, random: this.#random, ledger: this.ledger })
      }),
    )
    this.#followers = this.#teachers
      .slice(0, followed)
      .map((teacher) => new Follower(teacher, this.ledger.faults))
    await this.#program?.end('SIGTERM')
  }

  /** A daemon that dies before it says that it listens. */
  async dieStarting(): Promise<void> {
    const program = this.#start()
    await sleep(this.#random.int(50, 900))
    await this.#kill(program)
  }

  /** A daemon that is looked at, used, and killed while it works. */
  async dieWorking({ mirrors }: { mirrors: boolean }): Promise<void> {
    const url = await this.#serve()
    await this.#inspect()
    if (mirrors) await this.#awaitMirrors()
    let stopped = false
    const people = [
      ...this.#teachers.map((teacher) => teacher.work(url, () => stopped)),
      ...this.#followers.map((follower) => follower.follow(url, () => stopped)),
    ]
    await this.#someWork()
    await this.#kill(this.#program)
    stopped = true
    await Promise.all(people)
    this.cutOff += this.ledger.unanswered.size
  }

  /** The last daemon answers what is open, stops by itself, and leaves everything in order. */
  async rest(): Promise<void> {
    const url = await this.#serve()
    await this.#inspect()
    await Promise.all(this.#teachers.map((teacher) => teacher.catchUp(url)))
    const open = this.ledger.unanswered.size
    if (open > 0) this.ledger.faults.push(`${open} commands were not answered when asked again`)
    await this.#awaitFollowers(url)
    await this.#inspect()
    const code = await this.#program?.end('SIGTERM')
    if (code !== 0) this.ledger.faults.push(`the last daemon ended with ${String(code)}`)
    this.ledger.faults.push(
      ...(await withReader(this.#home, (reader) =>
        findMirrorFaults(reader, this.#home, { running: false }),
      )),
    )
  }

  close(): void {
    for (const follower of this.#followers) follower.close()
    this.#program?.child.kill('SIGKILL')
    rmSync(this.#home, { recursive: true, force: true })
  }

  #start(): Program {
    this.#program = startProgram([daemonProgram, 'serve'], daemonEnv(this.#home, adminToken))
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

  /** Some commands and some milliseconds: a cold daemon must not get away with having done nothing. */
  async #someWork(): Promise<void> {
    const enough = this.ledger.acknowledged.length + this.#random.int(0, 40)
    const until = Date.now() + 700
    while (this.ledger.acknowledged.length < enough && Date.now() < until) await sleep(1)
    await sleep(this.#random.int(0, 10))
  }

  async #inspect(): Promise<void> {
    const told = this.#followers.map((follower) => follower.told)
    const faults = await withReader(this.#home, (reader) => [
      ...this.ledger.compare(findMarks(reader)),
      ...findBreaches(reader),
      ...told.flatMap((heard) => findUntrue(reader, heard)),
    ])
    this.ledger.faults.push(...faults)
  }

  async #awaitMirrors(): Promise<void> {
    const until = Date.now() + settleMs
    for (;;) {
      const faults = await withReader(this.#home, (reader) =>
        findMirrorFaults(reader, this.#home, { running: true }),
      ).catch((error: unknown) => [String(error)])
      if (faults.length === 0) return
      if (Date.now() > until) {
        this.ledger.faults.push(...faults)
        return
      }
      await sleep(150)
    }
  }

  /** Whoever reads on gets to the newest event of the session, and no further. */
  async #awaitFollowers(url: string): Promise<void> {
    let stopped = false
    const following = this.#followers.map((follower) => follower.follow(url, () => stopped))
    const until = Date.now() + 10_000
    let behind = await this.#behind()
    while (behind.length > 0 && Date.now() < until) {
      await sleep(20)
      behind = await this.#behind()
    }
    this.ledger.faults.push(...behind)
    stopped = true
    for (const follower of this.#followers) follower.close()
    await Promise.all(following)
  }

  #behind(): Promise<string[]> {
    for (const follower of this.#followers) follower.take()
    return withReader(this.#home, (reader) =>
      this.#followers.flatMap(({ current, told }) =>
        current === undefined ? [] : findUntold(reader, current.id, told.get(current.id) ?? []),
      ),
    )
  }
}

async function issueToken(url: string, user: string): Promise<string> {
  const reply = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user, label: 'crash', privilege: 'write' }),
  })
  return ((await reply.json()) as { secret: string }).secret
}
