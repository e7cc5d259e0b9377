import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import type { SceneRunPhase } from '@apprentice/contracts/scenes/run.ts'
import { makeTemporaryFolderSync } from '../home/private-files.ts'
import type { HostMessage, HostRequest, PageOutcome, PageProblem, PageRun } from './host-messages.ts'

export interface SceneBrowserOptions {
  /** The program of the process that controls the browser. */
  readonly program: string
  /** The browser. Undefined if none is installed. */
  findExecutable(): string | undefined
  /** The environment of the browser. */
  readonly environment: Readonly<Record<string, string>>
  readonly max_runs?: number
  readonly idle_ms?: number
}

export interface PageFollower {
  readonly signal?: AbortSignal | undefined
  onPhase?(phase: SceneRunPhase): void
  /** The result is in its file, and the page is being closed. */
  onCollected?(): void
}

interface OpenRun extends PageFollower {
  readonly run: PageRun
  readonly settle: (outcome: PageOutcome) => void
  timer?: NodeJS.Timeout
}

/** After so many runs the browser is replaced by a new one. */
const MAX_RUNS = 50
const IDLE_MS = 60_000
/** How long a run may take to end after its time is over, before all processes are ended. */
const GRACE_MS = 10_000
/** How long a process may take to end its browser and itself. */
const END_MS = 3000
const HEAP_MEGABYTES = 512

/**
 * Runs scenes in one browser, which starts with the first run and ends when it is idle. It is replaced after a number of
 * runs, when its memory has grown, or when a page could not be closed.
 */
export class SceneBrowser {
  readonly #options: SceneBrowserOptions
  readonly #hosts = new Set<BrowserHost>()
  #isClosed = false

  constructor(options: SceneBrowserOptions) {
    this.#options = options
  }

  /** Whether a browser is installed. */
  get isInstalled(): boolean {
    return this.#options.findExecutable() !== undefined
  }

  /** The ids of the processes that control browsers now. */
  get processes(): readonly number[] {
    return [...this.#hosts].flatMap(({ pid }) => pid ?? [])
  }

  /** Resolves with the end of the run, whatever it is. */
  async run(run: PageRun, follower: PageFollower = {}): Promise<PageOutcome> {
    const executable = this.#options.findExecutable()
    if (executable === undefined) return describeEnd('SCENE_BROWSER_MISSING', 'No Chromium is installed.')
    if (this.#isClosed) return describeEnd('SCENE_RUN_CANCELLED', 'The daemon is stopping.')
    const host = [...this.#hosts].find((one) => one.acceptsRuns) ?? this.#startHost(executable)
    return host.run(run, follower)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#hosts].map((host) => host.end()))
  }

  #startHost(executable: string): BrowserHost {
    const host = new BrowserHost(executable, this.#options, () => this.#hosts.delete(host))
    this.#hosts.add(host)
    return host
  }
}

/** One process that controls one browser. */
class BrowserHost {
  readonly #child: ChildProcess
  /** The temporary files of the browser. */
  readonly #folder = makeTemporaryFolderSync('apprentice-browser-')
  readonly #open = new Map<string, OpenRun>()
  readonly #ended: Promise<void>
  readonly #maxRuns: number
  readonly #idleMs: number
  #runs = 0
  #isRetired = false
  #idle: NodeJS.Timeout | undefined

  constructor(
    executable: string,
    { program, environment, max_runs = MAX_RUNS, idle_ms = IDLE_MS }: SceneBrowserOptions,
    onEnd: () => void,
  ) {
    this.#maxRuns = max_runs
    this.#idleMs = idle_ms
    this.#child = fork(program, [executable, this.#folder], {
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      env: { ...environment, TMPDIR: this.#folder },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message: HostMessage) => this.#receive(message))
    this.#ended = new Promise((resolve) => {
      const finish = (): void => {
        onEnd()
        this.#loseAll()
        // A browser that was not ended in order may still write for a moment.
        resolve(rm(this.#folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined))
      }
      this.#child.on('exit', finish)
      // Without an id it never started.
      this.#child.on('error', () => (this.#child.pid === undefined ? finish() : this.#loseAll()))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get acceptsRuns(): boolean {
    return !this.#isRetired && this.#child.connected
  }

  run(run: PageRun, follower: PageFollower): Promise<PageOutcome> {
    this.#runs += 1
    if (this.#runs >= this.#maxRuns) this.#isRetired = true
    clearTimeout(this.#idle)
    const { signal } = follower
    const cancel = (): void => this.#cancel(run.run_id)
    const working = new Promise<PageOutcome>((settle) => {
      const open: OpenRun = { ...follower, run, settle }
      this.#open.set(run.run_id, open)
      open.timer = this.#arm(run.timeout_ms + GRACE_MS)
      this.#send({ kind: 'run', run })
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted === true) cancel()
    })
    return working.finally(() => signal?.removeEventListener('abort', cancel))
  }

  /** The process ends its browser first. If it is killed the browser ends as well, because the pipe between them is closed. */
  async end(): Promise<void> {
    this.#isRetired = true
    if (this.#child.connected) this.#child.disconnect()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS).unref()
    await this.#ended
    clearTimeout(timer)
  }

  #cancel(runId: string): void {
    const open = this.#open.get(runId)
    if (open === undefined) return
    this.#send({ kind: 'cancel', run_id: runId })
    clearTimeout(open.timer)
    open.timer = this.#arm(GRACE_MS)
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.end(), ms).unref()
  }

  #send(request: HostRequest): void {
    if (!this.#child.connected) return this.#loseAll()
    this.#child.send(request, (error) => {
      if (error !== null) this.#loseAll()
    })
  }

  #receive(message: HostMessage): void {
    if (message.kind === 'progress') return this.#open.get(message.run_id)?.onPhase?.(message.phase)
    if (message.kind === 'collected') return this.#open.get(message.run_id)?.onCollected?.()
    if (message.kind === 'retire' || message.retire) this.#isRetired = true
    if (message.kind === 'ended') this.#settle(message.run_id, message.outcome)
    if (this.#open.size > 0) return
    clearTimeout(this.#idle)
    if (this.#isRetired) void this.end()
    else this.#idle = setTimeout(() => void this.end(), this.#idleMs).unref()
  }

  #settle(runId: string, outcome: PageOutcome): void {
    const open = this.#open.get(runId)
    this.#open.delete(runId)
    clearTimeout(open?.timer)
    open?.settle(outcome)
  }

  #loseAll(): void {
    this.#isRetired = true
    for (const id of this.#open.keys()) {
      this.#settle(id, describeEnd('SCENE_BROWSER_CRASHED', 'The browser ended before the run did.'))
    }
  }
}

const describeEnd = (code: PageProblem['code'], message: string): PageOutcome => ({
  kind: 'problem',
  code,
  message,
  contained: [],
  console: [],
  console_dropped: 0,
  duration_ms: 0,
})
