import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Browser, CDPSession } from 'playwright-core'
import type { HostMessage, HostRequest, PageOutcome, PageRun } from './host-messages.ts'
import { type LaunchedBrowser, launchBrowser } from './launch.ts'
import { ScenePage } from './page-run.ts'
import { TraceCollector } from './page-trace.ts'

/** A browser that uses more memory between two runs is replaced. */
const MAX_IDLE_BYTES = 1_500_000_000
/** With more than this a run is ended. */
const MAX_BUSY_BYTES = 4_000_000_000
const MEMORY_CHECK_MS = 1000
const PAGE_BYTES = 4096

/**
 * The process between the daemon and the browser. What pages send to it, such as the lines of their consoles, can be large,
 * and it is read here and not in the daemon. It ends with the daemon, and the browser ends with it.
 */
class BrowserProcess {
  readonly #executable: string
  readonly #running = new Map<string, AbortController>()
  #launched: Promise<OpenedBrowser> | undefined

  readonly #folder: string

  constructor(executable: string, folder: string) {
    this.#executable = executable
    this.#folder = folder
  }

  receive(request: HostRequest): void {
    if (request.kind === 'cancel') this.#running.get(request.run_id)?.abort()
    else void this.#run(request.run)
  }

  async #run(run: PageRun): Promise<void> {
    const { run_id } = run
    const controller = new AbortController()
    this.#running.set(run_id, controller)
    const trace = new TraceCollector()
    const { outcome, isUsable } = await this.#execute(run, trace, controller.signal).catch((error: unknown) => ({
      outcome: { ...toLaunchProblem(error), ...trace.read(undefined) },
      isUsable: false,
    }))
    this.#running.delete(run_id)
    send({ kind: 'ended', run_id, outcome, retire: !isUsable })
    await this.#retireIfLarge()
  }

  /** Nobody waits for this. */
  async #retireIfLarge(): Promise<void> {
    const launched = await this.#launched?.catch(() => undefined)
    if (launched !== undefined && (await launched.memory.measure()) > MAX_IDLE_BYTES) send({ kind: 'retire' })
  }

  async #execute(
    run: PageRun,
    trace: TraceCollector,
    signal: AbortSignal,
  ): Promise<{ outcome: PageOutcome; isUsable: boolean }> {
    this.#launched ??= openBrowser(this.#executable, this.#folder)
    const { browser, sandboxed, memory } = await this.#launched
    const page = new ScenePage(run, {
      browser,
      trace,
      signal,
      onPhase: (phase) => send({ kind: 'progress', run_id: run.run_id, phase }),
    })
    const watch = setInterval(() => void endIfTooLarge(memory), MEMORY_CHECK_MS)
    const end = await page.execute()
    clearInterval(watch)
    if (end.kind === 'result') send({ kind: 'collected', run_id: run.run_id })
    const isStuck = end.kind === 'problem' && ['SCENE_TIMED_OUT', 'SCENE_RUN_CANCELLED'].includes(end.code)
    const isClosed = await page.close(isStuck)
    return { outcome: { ...end, ...trace.read(sandboxed) }, isUsable: isClosed && browser.isConnected() }
  }
}

interface OpenedBrowser extends LaunchedBrowser {
  readonly memory: BrowserMemory
}

async function openBrowser(executable: string, folder: string): Promise<OpenedBrowser> {
  const launched = await launchBrowser(executable)
  // After the listener that ends the browser, which uses the folder. The daemon may be gone.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return { ...launched, memory: new BrowserMemory(launched.browser) }
}

/** A page that fills the memory would slow down everything else on this computer. */
async function endIfTooLarge(memory: BrowserMemory): Promise<void> {
  if ((await memory.measure()) > MAX_BUSY_BYTES) process.exit(1)
}

class BrowserMemory {
  readonly #session: Promise<CDPSession | undefined>

  constructor(browser: Browser) {
    this.#session = browser.newBrowserCDPSession().catch(() => undefined)
  }

  /** The resident memory of all processes of the browser. 0 where the system does not tell. */
  async measure(): Promise<number> {
    try {
      const answer = await (await this.#session)?.send('SystemInfo.getProcessInfo')
      const sizes = await Promise.all((answer?.processInfo ?? []).map(({ id }) => readResidentBytes(id)))
      return sizes.reduce((sum, size) => sum + size, 0)
    } catch {
      return 0
    }
  }
}

async function readResidentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  // Size, resident and shared, in pages. Shared pages would be counted once per process.
  const [, resident = 0, shared = 0] = text.split(' ').map(Number)
  return (resident - shared) * PAGE_BYTES
}

const toLaunchProblem = (error: unknown) => ({
  kind: 'problem' as const,
  code: 'SCENE_BROWSER_CRASHED' as const,
  message: `The browser could not be started or ended: ${(error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''}`,
})

const send = (message: HostMessage): void => void process.send?.(message)

const [, , executable = '', folder = ''] = process.argv
const browserProcess = new BrowserProcess(executable, folder)
process.on('message', (request: HostRequest) => browserProcess.receive(request))
process.on('disconnect', () => process.exit())
