import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page, Request } from 'playwright-core'
import type { SceneRunPhase } from '@apprentice/contracts/scenes/run.ts'
import { writeFile } from '../home/private-files.ts'
import { createTargetFilter, normalizeHost, parseServer } from './allowed-targets.ts'
import { type PageEnd, type PageRun, PageRunProblem } from './host-messages.ts'
import type { StorageState } from './login-window.ts'
import { watchPages } from './page-containment.ts'
import type { TraceCollector } from './page-trace.ts'
import { openRequestGate, type RequestGate } from './request-gate.ts'
import { callScript } from './script-call.ts'
import { answerFromStandIn } from './stand-in.ts'

export interface PageRunDeps {
  readonly browser: Browser
  readonly trace: TraceCollector
  readonly signal: AbortSignal
  onPhase(phase: SceneRunPhase): void
}

const MAX_NAVIGATION_MS = 60_000
const MAX_TITLE_WAIT_MS = 5000
/** The part of the time of a run that it may wait for a title. */
const TITLE_SHARE = 0.25
const TITLE_POLL_MS = 100
const MAX_TITLE = 5000
const MAX_SHOWN_TITLE = 200
const CLOSE_MS = 5000
const HTTP_ERROR = 400

/** A page of its own for one run: a context without memory of other runs, behind a gate of its own. */
export class ScenePage {
  readonly #run: PageRun
  readonly #deps: PageRunDeps
  #gate: RequestGate | undefined
  #context: BrowserContext | undefined
  #devtools: CDPSession | undefined
  /** The latest address that the main frame was sent to, also if it was refused. */
  #requested = ''
  #isClosing = false

  constructor(run: PageRun, deps: PageRunDeps) {
    this.#run = run
    this.#deps = deps
  }

  /** Never throws for what a page or a script can do. */
  async execute(): Promise<PageEnd> {
    let timer: NodeJS.Timeout | undefined
    const { signal } = this.#deps
    const stopped = new Promise<never>((_, reject) => {
      const timedOut = new PageRunProblem('SCENE_TIMED_OUT', `The run took longer than ${this.#run.timeout_ms} ms.`)
      timer = setTimeout(() => reject(timedOut), this.#run.timeout_ms)
      const cancelled = new PageRunProblem('SCENE_RUN_CANCELLED', 'The run was cancelled.')
      signal.addEventListener('abort', () => reject(cancelled), { once: true })
    })
    const work = this.#work()
    // It goes on after a timeout until its page is closed.
    work.catch(() => undefined)
    try {
      return await Promise.race([work, stopped])
    } catch (error) {
      if (error instanceof PageRunProblem) return { kind: 'problem', code: error.code, message: error.message }
      return { kind: 'problem', ...this.#explain(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the page whatever it does. Returns false if the browser no longer answers, and must be ended as a whole. */
  async close(isStuck: boolean): Promise<boolean> {
    this.#isClosing = true
    // A page in an endless loop does not close itself: its process is ended.
    if (isStuck) this.#devtools?.send('Page.crash').catch(() => undefined)
    const closed = this.#context?.close().then(
      () => true,
      () => true,
    )
    const ended = closed === undefined ? true : await Promise.race([closed, waitFor(CLOSE_MS)])
    this.#gate?.close()
    return ended
  }

  async #work(): Promise<PageEnd> {
    const { trace } = this.#deps
    this.#deps.onPhase('opening_page')
    const page = await this.#open()
    await this.#navigate(page)
    this.#deps.onPhase('checking_page')
    await this.#check(page)
    this.#deps.onPhase('running_script')
    const left = new Promise<never>((_, reject) => {
      page.on('framenavigated', (frame) => {
        if (frame !== page.mainFrame() || this.#isClosing) return
        // The script may change the part after the path, as single pages do; a new document ends it.
        if (isSameDocument(frame.url(), this.#run.target_url)) return
        reject(new PageRunProblem('SCENE_NAVIGATED_AWAY', `The page was left for ${describeUrl(frame.url())}.`))
      })
      page.on('crash', () => reject(new PageRunProblem('SCENE_BROWSER_CRASHED', 'The page crashed.')))
    })
    left.catch(() => undefined)
    const before = trace.listBlockedServers().length
    const { script, args, max_result_bytes, result_file } = this.#run
    const text = await Promise.race([callScript(page, script, args, max_result_bytes), left]).catch(
      (error: unknown) => {
        const [server] = trace.listBlockedServers().slice(before)
        if (server === undefined || !(error instanceof PageRunProblem) || error.code !== 'SCENE_SCRIPT_THREW')
          throw error
        throw new PageRunProblem('SCENE_REQUEST_BLOCKED', `A request to ${server} is not allowed. ${error.message}`)
      },
    )
    const content = Buffer.from(text)
    await writeFile(result_file, content).catch(() => {
      // The disk may be full, which is no fault of the script.
      throw new PageRunProblem('SCENE_EXPORT_FAILED', 'The result could not be stored.')
    })
    return { kind: 'result', bytes: content.length }
  }

  async #open(): Promise<Page> {
    const { browser, trace } = this.#deps
    const { stand_in_folder, storage_state } = this.#run
    const isAllowed = stand_in_folder === undefined ? createTargetFilter(this.#run) : () => false
    this.#gate = await openRequestGate({ isAllowed, onBlocked: (server) => trace.contain('request', server) })
    this.#context = await browser.newContext({
      proxy: { server: this.#gate.proxy },
      serviceWorkers: 'block',
      acceptDownloads: false,
      ...(storage_state === undefined ? {} : { storageState: parseState(storage_state) }),
    })
    if (stand_in_folder !== undefined) await this.#routeToStandIn(this.#context, stand_in_folder)
    const page = await this.#context.newPage()
    page.on('request', (request) => this.#follow(page, request))
    const [devtools] = await Promise.all([this.#context.newCDPSession(page), watchPages(this.#context, page, trace)])
    this.#devtools = devtools
    return page
  }

  async #routeToStandIn(context: BrowserContext, folder: string): Promise<void> {
    const { trace } = this.#deps
    await context.route('**/*', async (route) => {
      const url = route.request().url()
      const { hostname, port } = new URL(url)
      if (normalizeHost(hostname) !== normalizeHost(this.#run.expected_domain)) {
        trace.contain('request', port === '' ? hostname : `${hostname}:${port}`)
        return route.abort('blockedbyclient')
      }
      const { status, content_type, body } = await answerFromStandIn(folder, url)
      return route.fulfill({ status, contentType: content_type, body })
    })
  }

  #follow(page: Page, request: Request): void {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) this.#requested = request.url()
  }

  async #navigate(page: Page): Promise<void> {
    const { target_url, timeout_ms } = this.#run
    try {
      const timeout = Math.min(timeout_ms, MAX_NAVIGATION_MS)
      const response = await page.goto(target_url, { waitUntil: 'load', timeout })
      this.#assertDomain(page.url())
      const status = response?.status() ?? 0
      if (status < HTTP_ERROR) return
      throw new PageRunProblem('SCENE_PAGE_UNREACHABLE', `The page answered with the status ${status}.`)
    } catch (error) {
      if (error instanceof PageRunProblem) throw error
      this.#assertDomain(this.#requested === '' ? target_url : this.#requested)
      const reason = /net::[A-Z_]+/.exec(String(error))?.[0] ?? 'no answer in time'
      throw new PageRunProblem('SCENE_PAGE_UNREACHABLE', `The page could not be loaded: ${reason}.`)
    }
  }

  async #check(page: Page): Promise<void> {
    const { page_title_keywords: keywords, requires_target_page } = this.#run
    if (requires_target_page && keywords.length > 0) await this.#awaitTitle(page, keywords)
    this.#assertDomain(page.url())
  }

  /** Pages that build themselves set their title late. */
  async #awaitTitle(page: Page, keywords: readonly string[]): Promise<void> {
    const deadline = performance.now() + Math.min(MAX_TITLE_WAIT_MS, this.#run.timeout_ms * TITLE_SHARE)
    for (;;) {
      const title = await readTitle(page)
      if (keywords.some((word) => title.includes(word))) return
      if (performance.now() > deadline) {
        this.#assertDomain(page.url())
        const shown = title.slice(0, MAX_SHOWN_TITLE)
        throw new PageRunProblem(
          'SCENE_TITLE_MISMATCH',
          `The title "${shown}" contains none of: ${keywords.join(', ')}.`,
        )
      }
      await pause(TITLE_POLL_MS)
    }
  }

  #assertDomain(url: string): void {
    const { expected_domain } = this.#run
    const server = URL.canParse(url) ? parseServer(new URL(url)) : undefined
    // A stand-in answers for all ports.
    const allows = this.#run.stand_in_folder === undefined ? createTargetFilter(this.#run) : () => true
    if (server !== undefined && allows(server) && server.host === normalizeHost(expected_domain)) return
    throw new PageRunProblem('SCENE_WRONG_DOMAIN', `The page is on ${describeUrl(url)} instead of ${expected_domain}.`)
  }

  /** What ended a run that no check ended. */
  #explain(error: unknown): { code: PageRunProblem['code']; message: string } {
    const text = error instanceof Error ? error.message : String(error)
    if (/context was destroyed|navigat/i.test(text)) {
      return { code: 'SCENE_NAVIGATED_AWAY', message: `The page was left for ${describeUrl(this.#requested)}.` }
    }
    if (/crash|closed|disconnected/i.test(text)) return { code: 'SCENE_BROWSER_CRASHED', message: 'The browser ended.' }
    const [line = ''] = text.split('\n')
    return { code: 'SCENE_SCRIPT_THREW', message: line.slice(0, 800) }
  }
}

function parseState(text: string): StorageState {
  try {
    return JSON.parse(text) as StorageState
  } catch {
    throw new PageRunProblem('SCENE_PROFILE_UNREADABLE', 'The stored sign-in is not readable. Sign in again.')
  }
}

function isSameDocument(url: string, target: string): boolean {
  if (!URL.canParse(url)) return false
  return new URL(url).origin === new URL(target).origin
}

/** Without the query, which may contain secrets. */
function describeUrl(url: string): string {
  if (!URL.canParse(url)) return 'another page'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`.slice(0, 300)
}

/**
 * Reads the title in the world of the page, where the script is called next: the first call in a world is the expensive one.
 * Empty while the page replaces its document.
 */
const readTitle = async (page: Page): Promise<string> =>
  String(await page.evaluate(`String(document.title).slice(0, ${MAX_TITLE})`).catch(() => ''))

const waitFor = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms))
