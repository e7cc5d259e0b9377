import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Reader, Store, Tx } from '../../store/db/db.ts'
import { lastEventSeq } from '../../store/command/events.ts'
import {
  deleteMirrorLog,
  listChangesSince,
  type MirrorLog,
  upsertMirrorCursor,
  upsertMirrorLog,
} from '../../store/projections/projection-cursors.ts'
import { ChangeSet } from './changes.ts'
import {
  backoffMs,
  checkSome,
  type Fault,
  markProjectionFailed,
  isBiding,
  type ProjectionState,
  makeProjectionState,
  succeed,
  touch,
} from './projection-state.ts'
import { bringDocumentUp } from './document-file.ts'
import { bringLogUp } from './log-file.ts'
import type { Projection } from './projection.ts'
import { MirrorFiles } from './projection-files.ts'
import { Pace } from './pace.ts'
import { codeOf, prepareLanes } from './preparation.ts'

/** What is gathered into one round of changes before the first of them is written. */
const gatherMs = 5
const eventsPerRead = 500
const eventsPerRound = 20_000
const stopWithinMs = 5000
/** Files of one mirror written side by side; one thread of the pool is left for others. */
const hands = 3

export interface ProjectorParts {
  readonly store: Pick<Store, 'read' | 'write' | 'onCommit'>
  readonly home: string
  readonly mirrors: readonly Projection[]
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export interface ProjectorStatus {
  readonly status: 'ok' | 'degraded'
  readonly detail?: string
  /** Committed events whose effect is not yet on disk, apart from files that are only written now and then. */
  readonly behind: number
}

/** What one round did, put on record only when all of it is on disk. */
interface Round {
  readonly logs: Map<string, MirrorLog>
  readonly done: { lane: ProjectionState; key: string }[]
}

/**
 * Writes the files under `<home>/system` from what is committed. It works in rounds: gather the events since the last
 * one, bring every file they touch up to the rows as they are now, sync, and only then record how far it came.
 * Killed anywhere, the next start does the same work again and gets the same bytes.
 */
export class Projector {
  readonly #store: ProjectorParts['store']
  readonly #reader: Reader
  readonly #log: ProjectorParts['log']
  readonly #files: MirrorFiles
  readonly #lanes: readonly ProjectionState[]
  readonly #pace = new Pace()
  readonly #waiters: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = []
  /** The last event gathered. */
  #seen = 0
  #prepared = false
  #fault: (Fault & { notBefore: number }) | undefined
  #running: Promise<void> | undefined
  #alarm: NodeJS.Timeout | undefined
  #unsubscribe: () => void = () => undefined
  /** On the clock of `performance.now()`; set once it is to stop. */
  #stopBy: number | undefined
  #stopped = false

  constructor({ store, home, mirrors, log }: ProjectorParts) {
    this.#store = store
    this.#reader = store.read((reader) => reader)
    this.#log = log
    this.#files = new MirrorFiles(join(home, 'system'))
    this.#lanes = mirrors.map(makeProjectionState)
  }

  start(): void {
    this.#unsubscribe = this.#store.onCommit(() => this.#wake())
    this.#wake()
  }

  /** Resolves when everything committed before the call is on disk, and every file has been looked at. */
  settled(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('The projector has stopped.'))
    const seq = lastEventSeq(this.#reader)
    if (this.#isSettled(seq)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ seq, resolve, reject })
      this.#pace.hurry(true)
      this.#wake()
    })
  }

  /** Writes what is committed and still missing, as far as that goes in a few seconds. */
  async stop(): Promise<void> {
    if (this.#stopBy !== undefined) return await this.#running
    this.#stopBy = performance.now() + stopWithinMs
    this.#unsubscribe()
    this.#pace.hurry(true)
    this.#wake()
    await this.#running
    this.#stopped = true
    for (const { reject } of this.#waiters) reject(new Error('The projector has stopped.'))
  }

  status(): ProjectorStatus {
    const faults = this.#lanes.flatMap(({ mirror, fault }) =>
      fault === undefined ? [] : [`${mirror.path}: ${fault.code}`],
    )
    if (this.#fault !== undefined) faults.push(this.#fault.code)
    const now = performance.now()
    const cursors = this.#lanes.filter((lane) => !isBiding(lane, now)).map(({ cursor }) => cursor)
    const behind = lastEventSeq(this.#reader) - Math.min(...cursors)
    return faults.length === 0
      ? { status: 'ok', behind }
      : { status: 'degraded', detail: faults.join('; '), behind }
  }

  /** Files written since the start. */
  get written(): number {
    return this.#files.written
  }

  #wake(): void {
    clearTimeout(this.#alarm)
    if (!this.#stopped) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    await this.#pace.pause(gatherMs)
    this.#pace.begin()
    let wait = 0
    while (wait <= 0) {
      try {
        wait = this.#waitMs()
        if (wait <= 0) await this.#work()
      } catch (error) {
        this.#noteFault(error)
      }
    }
    if (Number.isFinite(wait)) this.#alarm = setTimeout(() => this.#wake(), wait)
    this.#running = undefined
  }

  async #work(): Promise<void> {
    if (!this.#prepared) {
      const parts = { store: this.#store, files: this.#files, log: this.#log }
      this.#seen = await prepareLanes(this.#lanes, parts)
      this.#prepared = true
    }
    await this.#round()
    this.#fault = undefined
    this.#answerWaiters()
    await this.#pace.rest()
  }

  /** Something that is no single mirror's trouble, such as the database's. */
  #noteFault(error: unknown): void {
    const code = codeOf(error)
    const tries = (this.#fault?.tries ?? 0) + 1
    if (this.#fault?.code !== code) this.#log.warn({ code }, 'mirrors could not be written')
    this.#fault = { code, tries, notBefore: performance.now() + backoffMs(tries) }
  }

  /** How long until there is something to do: 0 now, infinite when there is nothing. */
  #waitMs(): number {
    const now = performance.now()
    const stopping = this.#stopBy !== undefined
    if (this.#fault !== undefined) return stopping ? Infinity : this.#fault.notBefore - now
    if (!this.#prepared) return 0
    if (lastEventSeq(this.#reader) > this.#seen && !this.#isLate()) return 0
    const waits = this.#lanes.map((lane) => {
      if (lane.dirty.size === 0 && (stopping || lane.unchecked.length === 0)) return Infinity
      if (stopping) return lane.fault === undefined && !this.#isLate() ? 0 : Infinity
      return this.#isDue(lane, now) ? 0 : lane.notBefore - now
    })
    return Math.min(...waits)
  }

  /** Somebody who waits does not wait for a lane that only takes its time. */
  #isDue(lane: ProjectionState, now: number): boolean {
    const hurried = this.#waiters.length > 0 || this.#stopBy !== undefined
    return now >= lane.notBefore || (hurried && lane.fault === undefined)
  }

  #isLate(): boolean {
    return this.#stopBy !== undefined && performance.now() >= this.#stopBy
  }

  async #round(): Promise<void> {
    await this.#gather()
    const round: Round = { logs: new Map(), done: [] }
    for (const lane of this.#lanes) {
      if (lane.dirty.size > 0 && this.#isDue(lane, performance.now()))
        await this.#bringUp(lane, round)
    }
    await this.#files.syncFolders()
    const finished = this.#finish(round)
    const seen = this.#seen
    if (finished.length > 0 || round.logs.size > 0) {
      await this.#store.write((tx) => record(tx, round, { finished, seen }))
    }
    for (const { lane, key } of round.done) lane.dirty.delete(key)
    for (const lane of finished) lane.cursor = seen
  }

  async #gather(): Promise<void> {
    const changes = new ChangeSet()
    let seen = this.#seen
    while (seen - this.#seen < eventsPerRound) {
      const rows = listChangesSince(this.#reader, seen, eventsPerRead)
      for (const row of rows) changes.add(row)
      seen = rows.at(-1)?.seq ?? seen
      if (rows.length < eventsPerRead) break
      await this.#pace.breathe()
    }
    if (changes.kinds.size > 0) {
      for (const lane of this.#lanes) touch(lane, changes, this.#reader)
    }
    this.#seen = seen
    if (this.#stopBy !== undefined) return
    for (const lane of this.#lanes) checkSome(lane, this.#waiters.length > 0 ? 1000 : 50)
  }

  async #bringUp(lane: ProjectionState, round: Round): Promise<void> {
    const before = lane.fault
    let failed = false
    const hand = async (keys: Iterable<[string, boolean]>): Promise<void> => {
      for (const [key, suspect] of keys) {
        if (failed || this.#isLate()) return
        try {
          await this.#bringKeyUp(lane, { key, suspect }, round)
          round.done.push({ lane, key })
        } catch (error) {
          if (!failed)
            markProjectionFailed(lane, { key, code: codeOf(error), now: performance.now() })
          failed = true
        }
        await this.#pace.breathe()
      }
    }
    const shared = lane.dirty.entries()
    await Promise.all(Array.from({ length: hands }, () => hand(shared)))
    this.#tell(lane, { before, failed })
    if (!failed) succeed(lane, performance.now())
  }

  /** Once when a mirror begins to fail, or fails otherwise than before, and once when it is well again. */
  #tell(
    { mirror, fault }: ProjectionState,
    { before, failed }: { before: Fault | undefined; failed: boolean },
  ) {
    if (failed && fault?.code !== before?.code) {
      this.#log.warn({ mirror: mirror.path, code: fault?.code }, 'a mirror could not be written')
    } else if (!failed && before !== undefined) {
      this.#log.info({ mirror: mirror.path }, 'a mirror can be written again')
    }
  }

  async #bringKeyUp(
    { mirror, keep }: ProjectionState,
    { key, suspect }: { key: string; suspect: boolean },
    { logs }: Round,
  ): Promise<void> {
    const file = mirror.file(key)
    if (file === undefined) {
      this.#log.warn({ mirror: mirror.path }, 'an id cannot name a file and has no mirror')
      return
    }
    const tools = {
      reader: this.#reader,
      files: this.#files,
      breathe: () => this.#pace.breathe(),
      forget: (path: string) => this.#store.write((tx) => deleteMirrorLog(tx, path)),
      record: (path: string, log: MirrorLog) => logs.set(path, log),
    }
    if (mirror.form === 'document') await bringDocumentUp({ mirror, key, file, keep }, tools)
    else await bringLogUp({ mirror, key, file, keep, suspect }, tools)
  }

  /** Lanes with nothing left to write stand where the gathering stands. */
  #finish({ done }: Round): ProjectionState[] {
    const written = new Map<ProjectionState, number>()
    for (const { lane } of done) written.set(lane, (written.get(lane) ?? 0) + 1)
    return this.#lanes.filter(
      (lane) => lane.cursor < this.#seen && lane.dirty.size === (written.get(lane) ?? 0),
    )
  }

  #isSettled(seq: number): boolean {
    return (
      this.#prepared &&
      this.#lanes.every(
        ({ cursor, dirty, unchecked }) =>
          cursor >= seq && dirty.size === 0 && unchecked.length === 0,
      )
    )
  }

  #answerWaiters(): void {
    const waiting = this.#waiters.splice(0)
    for (const waiter of waiting) {
      if (this.#isSettled(waiter.seq)) waiter.resolve()
      else this.#waiters.push(waiter)
    }
    this.#pace.hurry(this.#waiters.length > 0 || this.#stopBy !== undefined)
  }
}

function record(
  tx: Tx,
  { logs }: Round,
  { finished, seen }: { finished: readonly ProjectionState[]; seen: number },
): void {
  for (const [path, log] of logs) upsertMirrorLog(tx, path, log)
  for (const { name } of finished) upsertMirrorCursor(tx, name, seen)
}
