import { setTimeout as sleep } from 'node:timers/promises'
import { findViolations, readEffects, withReader } from '../crash/inspection.ts'
import { Ledger } from '../crash/ledger.ts'
import { createRandom, type Random } from '../crash/random.ts'
import { Teacher } from '../crash/teacher.ts'
import type { Attack } from './attack.ts'
import { AttackedDaemon } from './attacked-daemon.ts'
import { DocumentWriter } from './document-writer.ts'
import { buildExecution } from './lesson.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'
import { findStuckWork } from './stuck-work.ts'

const USERS = ['ada', 'ben', 'cleo', 'dai']
/** How long the daemon may take to notice that there is room. */
const RECOVERY_MS = 30_000
const POSTPONED_PAUSE_MS = 20

/** Fills the disk of a daemon that works, again and again. Sometimes the daemon is killed meanwhile. */
export async function attackDisk(attack: Attack): Promise<void> {
  const disk = openSmallDisk()
  if (disk === undefined) {
    attack.say('the disk cannot be filled here: neither mount nor prlimit may be used')
    return
  }
  const daemon = new AttackedDaemon({ home: disk.home, probe: attack.probe })
  try {
    await new DiskAttacker(attack, daemon, disk).run()
  } finally {
    await daemon.remove()
    disk.close()
  }
}

class DiskAttacker {
  readonly #attack: Attack
  readonly #daemon: AttackedDaemon
  readonly #disk: SmallDisk
  readonly #random: Random
  readonly #ledger = new Ledger()
  readonly #tokens: Record<string, string> = {}
  #teachers: Teacher[] = []
  #documents: DocumentWriter | undefined
  #refused = 0

  constructor(attack: Attack, daemon: AttackedDaemon, disk: SmallDisk) {
    this.#attack = attack
    this.#daemon = daemon
    this.#disk = disk
    this.#random = createRandom(attack.plan.seed + 1)
  }

  async run(): Promise<void> {
    await this.#daemon.start()
    for (const user of USERS) this.#tokens[user] = await this.#daemon.issueToken(user, 'write')
    this.#teachers = USERS.map((user) => {
      const onPostponed = async () => {
        this.#refused += 1
        await sleep(POSTPONED_PAUSE_MS)
      }
      return new Teacher({
        user,
        token: this.#tokens[user] ?? '',
        random: this.#random,
        ledger: this.#ledger,
        onPostponed,
      })
    })
    this.#documents = new DocumentWriter(this.#daemon, this.#tokens['ada'] ?? '', this.#random)
    for (let moment = 1; moment <= this.#attack.plan.disk_full && !this.#attack.isOver; moment += 1) {
      await this.#fillOnce(moment)
      this.#attack.progress('moments with a full disk', moment)
    }
    await this.#finish()
  }

  async #fillOnce(moment: number): Promise<void> {
    let stopped = false
    const isStopped = () => stopped
    const work = [
      ...this.#teachers.map((teacher) => teacher.work(this.#daemon.url, isStopped)),
      this.#documents?.work(isStopped) ?? Promise.resolve(),
    ]
    const enough = this.#ledger.acknowledged.length + this.#random.int(1, 20)
    await this.#waitUntil(() => this.#ledger.acknowledged.length >= enough, 'commands are executed')
    const running = await this.#startExecution()
    const refusedBefore = this.#refused
    this.#disk.fill(this.#daemon.pid)
    await this.#waitUntil(
      () => this.#refused > refusedBefore + 3,
      'commands are refused while the disk is full',
      () =>
        // The log may have room of its own at first.
        this.#disk.fill(this.#daemon.pid),
    )
    await this.#expectDegraded()
    this.#attack.figures.count('disk_full_moments')
    await this.#daemon.call('POST', `/api/executions/${running}/cancel`, {}, { token: this.#tokens['ada'] })
    const restarted = moment % 2 === 0
    if (restarted) await this.#restart(moment % 4 === 0 ? 'SIGKILL' : 'SIGTERM')
    else {
      this.#disk.makeRoom(this.#daemon.pid)
      await this.#waitUntil(async () => (await this.#readStore()) === 'ok', 'the store is writable again')
    }
    const after = this.#ledger.acknowledged.length
    if (!restarted) await this.#waitUntil(() => this.#ledger.acknowledged.length > after, 'commands are executed again')
    stopped = true
    await Promise.all(work)
    for (const teacher of this.#teachers) await teacher.catchUp(this.#daemon.url)
    await this.#waitUntil(() => this.#isSettled(running), 'the execution that ended on a full disk is settled')
    await this.#inspect()
  }

  /** Ends the daemon while the disk is full, tries a start, and starts it when there is room. */
  async #restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const how = await this.#daemon.stop(signal)
    if (how !== (signal === 'SIGKILL' ? 'SIGKILL' : 0)) {
      this.#attack.figures.fault(`on a full disk the daemon ended with ${String(how)} after ${signal}`)
    }
    this.#attack.figures.count(`ended_by_${signal}_with_full_disk`)
    try {
      await this.#daemon.start()
      await this.#daemon.stop('SIGKILL')
      this.#attack.figures.count('starts_with_full_disk')
    } catch (error) {
      this.#attack.figures.count('starts_refused_with_full_disk')
      if (!/disk is full|cannot write/.test(String(error)))
        this.#attack.figures.fault(`a start on a full disk: ${String(error)}`)
    }
    this.#disk.makeRoom(this.#daemon.pid)
    await this.#daemon.start()
  }

  async #startExecution(): Promise<string> {
    const { body } = await this.#daemon.call(
      'POST',
      '/api/executions',
      { execution: buildExecution([{ type: 'sleep', params: { durationMs: 60_000 } }], 90_000) },
      { token: this.#tokens['ada'] },
    )
    return body.execution?.execution_id ?? ''
  }

  async #isSettled(execution: string): Promise<boolean> {
    const [job] = await this.#daemon.query(`SELECT state FROM jobs WHERE job_id = '${execution}'`)
    return job?.['state'] !== 'running' && job?.['state'] !== 'queued'
  }

  async #readStore(): Promise<string> {
    return (await this.#daemon.call('GET', '/readyz')).body.store?.status ?? ''
  }

  async #expectDegraded(): Promise<void> {
    // A small write may have found room between two refusals.
    await this.#waitUntil(
      async () => (await this.#readStore()) === 'degraded',
      'readyz says that the store is degraded',
    )
  }

  async #inspect(): Promise<void> {
    const faults = await withReader(this.#daemon.home, (reader) => [
      ...this.#ledger.compare(readEffects(reader)),
      ...findViolations(reader),
    ])
    const documents = (await this.#documents?.findLost()) ?? []
    for (const fault of [...faults, ...documents, ...this.#ledger.faults.splice(0)])
      this.#attack.lost(`full disk: ${fault}`)
  }

  async #finish(): Promise<void> {
    this.#attack.figures.count('writes_acknowledged', this.#ledger.acknowledged.length)
    this.#attack.figures.count('writes_refused_on_full_disk', this.#refused)
    this.#attack.figures.count('documents_acknowledged', this.#documents?.uploaded)
    this.#attack.figures.count('documents_refused_on_full_disk', this.#documents?.refused)
    this.#attack.figures.counts[`disk_full_by_${this.#disk.kind.replaceAll(' ', '_')}`] = 1
    for (const fault of await findStuckWork(this.#daemon, this.#tokens)) this.#attack.stuck(`full disk: ${fault}`)
    const code = await this.#daemon.stop()
    if (code !== 0) this.#attack.figures.fault(`after full disks the daemon stopped with ${String(code)}`)
  }

  async #waitUntil(
    check: () => boolean | Promise<boolean>,
    what: string,
    meanwhile: () => void = () => {},
  ): Promise<void> {
    const until = Date.now() + RECOVERY_MS
    while (!(await check())) {
      if (!this.#daemon.isRunning) throw new Error(`The daemon ended before ${what}.`)
      if (Date.now() > until) {
        this.#attack.figures.fault(`not within ${RECOVERY_MS} ms: ${what}`)
        return
      }
      meanwhile()
      await sleep(20)
    }
  }
}
