import { backoffMs } from '../../timing/backoff.ts'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Reader, Store, Tx } from '../../store/db/db.ts'
import { getLastEventSeq } from '../../store/command/events.ts'
import {
  deleteProjectionLog,
  listChangesSince,
  type ProjectionLog,
  upsertProjectionCursor,
  upsertProjectionLog,
} from '../../store/projections/projection-cursors.ts'
import { ChangeSet } from './changes.ts'
import {
  checkNextKeys,
  type Fault,
  markFailed,
  isDeferred,
  type ProjectionState,
  createProjectionState,
  markWritten,
  markChanged,
  WRITE_BACKOFF,
} from './projection-state.ts'
import { updateDocument } from './document-file.ts'
import { updateLog } from './log-file.ts'
import type { Projection } from './projection.ts'
import { ProjectionFiles } from './projection-files.ts'
import { Pace } from './pace.ts'
import { readErrorCode, prepareProjections } from './preparation.ts'

/** Events within this time are processed in one round. */
const GATHER_MS = 5
const EVENTS_PER_READ = 500
const EVENTS_PER_ROUND = 20_000
/** The number of events after which the progress of a projection is stored although no file changed. */
const EVENTS_PER_PROGRESS = 1000
const STOP_TIMEOUT_MS = 5000
/** Files of one projection that are written in parallel. One thread of the pool remains free. */
const WRITERS = 3
const CHECKED_PER_ROUND = 50
const CHECKED_PER_ROUND_HURRIED = 1000

export interface ProjectorDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'onCommit'>
  readonly home: string
  readonly projections: readonly Projection[]
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export interface ProjectorStatus {
  readonly status: 'ok' | 'degraded'
  readonly detail?: string
  /** The number of committed events whose effect is not yet on disk. Deferred documents are not counted. */
  readonly behind: number
}

/** The results of one round. They are stored when everything is on disk. */
interface Round {
  readonly logs: Map<string, ProjectionLog>
  readonly done: { state: ProjectionState; key: string }[]
}

/**
 * Writes the files under `<home>/system` from committed state. It works in rounds: it gathers the events since the last
 * round, updates every file they affect from the current rows, syncs, and then stores its progress. After a kill at any
 * point, the next start repeats the work and writes the same bytes.
 */
export class Projector {
  readonly #store: ProjectorDeps['store']
  readonly #reader: Reader
  readonly #log: ProjectorDeps['log']
  readonly #files: ProjectionFiles
  readonly #states: readonly ProjectionState[]
  readonly #pace = new Pace()
  readonly #waiters: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = []
  /** The sequence number of the last gathered event. */
  #seen = 0
  #prepared = false
  #fault: (Fault & { notBefore: number }) | undefined
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: () => void = () => undefined
  /** The deadline of a stop on the clock of `performance.now()`. Undefined until `stop` is called. */
  #stopBy: number | undefined
  #stopped = false
  #started = false

  constructor({ store, home, projections, log }: ProjectorDeps) {
    this.#store = store
    this.#reader = store.read((reader) => reader)
    this.#log = log
    this.#files = new ProjectionFiles(join(home, 'system'))
    this.#states = projections.map(createProjectionState)
  }

  /** No-op if it has been started. */
  start(): void {
    if (this.#started) return
    this.#started = true
    this.#unsubscribe = this.#store.onCommit(() => this.#wake())
    this.#wake()
  }

  /** Resolves when everything committed before the call is on disk and every file has been checked. Starts if needed. */
  waitUntilSettled(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('The projector has stopped.'))
    this.start()
    const seq = getLastEventSeq(this.#reader)
    if (this.#isSettled(seq)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ seq, resolve, reject })
      this.#pace.setHurried(true)
      this.#wake()
    })
  }

  /** Writes the pending changes for a few seconds at most, then stops. */
  async stop(): Promise<void> {
    if (this.#stopBy !== undefined) return await this.#running
    this.#stopBy = performance.now() + STOP_TIMEOUT_MS
    this.#unsubscribe()
    if (this.#started) {
      this.#pace.setHurried(true)
      this.#wake()
      await this.#running
    }
    this.#stopped = true
    for (const { reject } of this.#waiters) reject(new Error('The projector has stopped.'))
  }

  status(): ProjectorStatus {
    const faults = this.#states.flatMap(({ projection, fault }) =>
      fault === undefined ? [] : [`${projection.path}: ${fault.code}`],
    )
    if (this.#fault !== undefined) faults.push(this.#fault.code)
    const now = performance.now()
    const cursors = this.#states.filter((state) => !isDeferred(state, now)).map(({ cursor }) => cursor)
    const behind = getLastEventSeq(this.#reader) - Math.min(...cursors)
    return faults.length === 0 ? { status: 'ok', behind } : { status: 'degraded', detail: faults.join('; '), behind }
  }

  /** Files written since the start. */
  get writeCount(): number {
    return this.#files.writeCount
  }

  #wake(): void {
    clearTimeout(this.#timer)
    if (!this.#stopped) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    await this.#pace.pause(GATHER_MS)
    this.#pace.begin()
    let wait = 0
    while (wait <= 0) {
      try {
        wait = this.#waitMs()
        if (wait <= 0) await this.#work()
      } catch (error) {
        this.#recordFault(error)
      }
    }
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#wake(), wait)
    this.#running = undefined
  }

  async #work(): Promise<void> {
    if (!this.#prepared) {
      const parts = { store: this.#store, files: this.#files, log: this.#log }
      this.#seen = await prepareProjections(this.#states, parts)
      this.#prepared = true
    }
    await this.#round()
    this.#fault = undefined
    this.#resolveWaiters()
    await this.#pace.rest()
  }

  /** Handles an error that concerns all projections, such as one of the database. */
  #recordFault(error: unknown): void {
    const code = readErrorCode(error)
    const tries = (this.#fault?.tries ?? 0) + 1
    if (this.#fault?.code !== code) this.#log.warn({ code }, 'projections could not be written')
    this.#fault = { code, tries, notBefore: performance.now() + backoffMs(WRITE_BACKOFF, tries) }
  }

  /** Returns the time until there is work: 0 for now, `Infinity` if there is none. */
  #waitMs(): number {
    const now = performance.now()
    const stopping = this.#stopBy !== undefined
    if (this.#fault !== undefined) return stopping ? Infinity : this.#fault.notBefore - now
    if (!this.#prepared) return 0
    if (getLastEventSeq(this.#reader) > this.#seen && !this.#isLate()) return 0
    const waits = this.#states.map((state) => {
      if (state.dirty.size === 0 && (stopping || state.unchecked.length === 0)) return Infinity
      if (stopping) return state.fault === undefined && !this.#isLate() ? 0 : Infinity
      return this.#isDue(state, now) ? 0 : state.notBefore - now
    })
    return Math.min(...waits)
  }

  /** Deferred documents are due at once while a caller waits or the projector stops. */
  #isDue(state: ProjectionState, now: number): boolean {
    const hurried = this.#waiters.length > 0 || this.#stopBy !== undefined
    return now >= state.notBefore || (hurried && state.fault === undefined)
  }

  #isLate(): boolean {
    return this.#stopBy !== undefined && performance.now() >= this.#stopBy
  }

  async #round(): Promise<void> {
    await this.#gather()
    const round: Round = { logs: new Map(), done: [] }
    for (const state of this.#states) {
      if (state.dirty.size > 0 && this.#isDue(state, performance.now())) await this.#updateFiles(state, round)
    }
    await this.#files.syncFolders()
    const finished = this.#listFinished(round)
    const seen = this.#seen
    if (round.logs.size > 0 || this.#isWorthStoring(finished)) {
      await this.#store.write((tx) => storeProgress(tx, round, { finished, seen }))
      for (const state of finished) state.storedCursor = seen
    }
    for (const { state, key } of round.done) state.dirty.delete(key)
    for (const state of finished) state.cursor = seen
  }

  async #gather(): Promise<void> {
    const changes = new ChangeSet()
    let seen = this.#seen
    while (seen - this.#seen < EVENTS_PER_ROUND) {
      const rows = listChangesSince(this.#reader, seen, EVENTS_PER_READ)
      for (const row of rows) changes.add(row)
      seen = rows.at(-1)?.seq ?? seen
      if (rows.length < EVENTS_PER_READ) break
      await this.#pace.restIfDue()
    }
    if (changes.kinds.size > 0) {
      for (const state of this.#states) markChanged(state, changes, this.#reader)
    }
    this.#seen = seen
    if (this.#stopBy !== undefined) return
    const count = this.#waiters.length > 0 ? CHECKED_PER_ROUND_HURRIED : CHECKED_PER_ROUND
    for (const state of this.#states) checkNextKeys(state, count)
  }

  async #updateFiles(state: ProjectionState, round: Round): Promise<void> {
    const before = state.fault
    let failed = false
    const writeKeys = async (keys: Iterable<[string, boolean]>): Promise<void> => {
      for (const [key, mayHaveLostRows] of keys) {
        if (failed || this.#isLate()) return
        try {
          await this.#updateFile(state, { key, mayHaveLostRows }, round)
          round.done.push({ state, key })
        } catch (error) {
          if (!failed) markFailed(state, { key, code: readErrorCode(error), now: performance.now() })
          failed = true
        }
        await this.#pace.restIfDue()
      }
    }
    const shared = state.dirty.entries()
    await Promise.all(Array.from({ length: WRITERS }, () => writeKeys(shared)))
    this.#logOutcome(state, { before, failed })
    if (!failed) markWritten(state, performance.now())
  }

  /** Logs the first failure, a failure with another code, and the first success after a failure. */
  #logOutcome(
    { projection, fault }: ProjectionState,
    { before, failed }: { before: Fault | undefined; failed: boolean },
  ) {
    if (failed && fault?.code !== before?.code) {
      this.#log.warn({ projection: projection.path, code: fault?.code }, 'a projection could not be written')
    } else if (!failed && before !== undefined) {
      this.#log.info({ projection: projection.path }, 'a projection can be written again')
    }
  }

  async #updateFile(
    { projection, keep }: ProjectionState,
    { key, mayHaveLostRows }: { key: string; mayHaveLostRows: boolean },
    { logs }: Round,
  ): Promise<void> {
    const file = projection.file(key)
    if (file === undefined) {
      this.#log.warn({ projection: projection.path }, 'an id cannot be a file name, so it has no projection')
      return
    }
    const tools = {
      reader: this.#reader,
      files: this.#files,
      restIfDue: () => this.#pace.restIfDue(),
      deleteProgress: (path: string) => this.#store.write((tx) => deleteProjectionLog(tx, path)),
      addProgress: (path: string, log: ProjectionLog) => logs.set(path, log),
    }
    if (projection.form === 'document') await updateDocument({ projection, key, file, keep }, tools)
    else await updateLog({ projection, key, file, keep, mayHaveLostRows }, tools)
  }

  /** Events that change no file are read again by the next start, so their number is stored from time to time only. */
  #isWorthStoring(finished: readonly ProjectionState[]): boolean {
    const isStopping = this.#stopBy !== undefined
    return finished.some(({ storedCursor }) => isStopping || this.#seen - storedCursor >= EVENTS_PER_PROGRESS)
  }

  /** Lists the projections that have written everything up to the last gathered event. */
  #listFinished({ done }: Round): ProjectionState[] {
    const written = new Map<ProjectionState, number>()
    for (const { state } of done) written.set(state, (written.get(state) ?? 0) + 1)
    return this.#states.filter((state) => state.cursor < this.#seen && state.dirty.size === (written.get(state) ?? 0))
  }

  #isSettled(seq: number): boolean {
    return (
      this.#prepared &&
      this.#states.every(({ cursor, dirty, unchecked }) => cursor >= seq && dirty.size === 0 && unchecked.length === 0)
    )
  }

  #resolveWaiters(): void {
    const waiting = this.#waiters.splice(0)
    for (const waiter of waiting) {
      if (this.#isSettled(waiter.seq)) waiter.resolve()
      else this.#waiters.push(waiter)
    }
    this.#pace.setHurried(this.#waiters.length > 0 || this.#stopBy !== undefined)
  }
}

function storeProgress(
  tx: Tx,
  { logs }: Round,
  { finished, seen }: { finished: readonly ProjectionState[]; seen: number },
): void {
  for (const [path, log] of logs) upsertProjectionLog(tx, path, log)
  for (const { name } of finished) upsertProjectionCursor(tx, name, seen)
}
