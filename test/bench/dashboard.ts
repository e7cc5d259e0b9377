import { rmSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../src/setup/system-packages.mjs'
import { compareToLimit, type Figure, type Measure, median } from './figure.ts'
import { BENCH_TOKEN, createHome } from './home.ts'
import { measureLessons } from './dashboard-lessons.ts'
import { buildDaemonEnv, daemonProgram, startProgram } from './program.ts'

const TAPS = 40
const SERIAL = 'SIMULATED01'
const SLOW_NETWORK = { offline: false, latency: 400, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 }

/**
 * The dashboard in a browser: from a click on the live phone to the new picture, and the first page with an empty cache,
 * on loopback and on a slow network.
 */
export const dashboard: Figure = {
  name: 'dashboard pages',
  baseline: 'limits: 120 ms from tap to picture, 120 KB and 4 s for the first page on a slow network',
  run: () =>
    withDashboard(async (browser, url) => [
      ...(await measureFirstPage(browser, url)),
      await measureTaps(await logIn(browser, url), url),
    ]),
}

/** Lessons on the page, from the first card to a verified run. They take as long as the person who does them. */
export const dashboardLessons: Figure = {
  name: 'dashboard lessons',
  baseline: 'limit: 2 min per lesson at the pace of a person',
  repeats: 1,
  run: () => withDashboard(async (browser, url) => measureLessons(await logIn(browser, url), url)),
}

async function withDashboard<T>(work: (browser: Browser, url: string) => Promise<T>): Promise<T> {
  const home = createHome()
  const daemon = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
  const browser = await startBrowser()
  try {
    return await work(browser, String((await daemon.firstLine)['url']))
  } finally {
    await browser.close()
    await daemon.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

function startBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium on the PATH.')
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
}

async function send<T>(url: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${BENCH_TOKEN}`, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${url}: ${await reply.text()}`)
  return (await reply.json()) as T
}

/** A page of a new profile, logged in, with nothing of the dashboard in its cache. */
async function logIn(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const { code } = await send<{ code: string }>(`${url}/api/login-codes`, {})
  await context.request.get(`${url}/login?code=${code}`, { maxRedirects: 0 })
  return context.newPage()
}

async function measureFirstPage(browser: Browser, url: string): Promise<Measure[]> {
  const [near, far] = [await logIn(browser, url), await logIn(browser, url)]
  const { bytes, requests, tookMs } = await loadFirstPage(near, url)
  const network = await far.context().newCDPSession(far)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', SLOW_NETWORK)
  const slow = await loadFirstPage(far, url)
  return [
    compareToLimit(120, { what: 'bytes of the first page', ours: bytes / 1024, unit: 'KB' }),
    compareToLimit(30, { what: 'requests of the first page', ours: requests, unit: 'requests' }),
    compareToLimit(1000, { what: 'first page on loopback', ours: tookMs, unit: 'ms' }),
    compareToLimit(4000, { what: 'first page at 400 ms and 50 KB/s', ours: slow.tookMs, unit: 'ms' }),
  ]
}

/** Until the page displays its content and takes clicks. Event streams do not end and have no size. */
async function loadFirstPage(page: Page, url: string) {
  const sizes: Promise<number>[] = []
  let requests = 0
  page.on('request', () => (requests += 1))
  page.on('requestfinished', (request) => {
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize)
    // A request may end after the page was measured and closed.
    size.catch(() => undefined)
    sizes.push(size)
  })
  const startedMs = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
  const tookMs = performance.now() - startedMs
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { bytes, requests, tookMs }
}

/** Runs in the page, before the click: the time from the end of the next click until a new picture is drawn. */
const WATCH_NEXT = `void (window.nextPicture = new Promise((resolve) => {
  const screen = document.querySelector('.screen')
  let started
  screen.addEventListener('pointerup', () => { started = performance.now() }, { once: true, capture: true })
  const observer = new MutationObserver(() => {
    if (started === undefined) return
    observer.disconnect()
    resolve(performance.now() - started)
  })
  observer.observe(screen, { attributeFilter: ['data-frame'] })
  setTimeout(() => resolve(null), 5000)
}))`

async function measureTaps(page: Page, url: string): Promise<Measure> {
  await send(`${url}/api/executions`, {
    execution: {
      commandId: 'bench-open-unit',
      taskId: 'bench',
      source: 'bench',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions: [
        { id: 'open', type: 'open_app', params: { applicationId: 'org.apprentice.climate' } },
        { id: 'unit', type: 'click', params: { matcher: { textEquals: 'Lobby' } } },
        { id: 'shown', type: 'wait_for_node', params: { matcher: { contentDescEquals: 'Warmer' } } },
      ],
    },
    wait_ms: 60_000,
  })
  await page.goto(`${url}/devices/${SERIAL}`)
  await page.locator('.screen[data-frame]').waitFor()
  const places = [/^Tap (?:Warmer|\+)/, /^Tap (?:Colder|[-−–])/].map((name) => page.getByRole('button', { name }))
  const times: number[] = []
  for (let tap = -5; tap < TAPS; tap += 1) {
    const box = await places[Math.abs(tap) % 2]?.boundingBox()
    if (!box) throw new Error('The phone does not show the unit.')
    // The picture of the last tap and its end must have been drawn.
    await page.waitForTimeout(600)
    await page.evaluate(WATCH_NEXT)
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    const tookMs = await page.evaluate<number | null>('window.nextPicture')
    if (tookMs === null) throw new Error('No new picture followed a tap within 5 s.')
    if (tap >= 0) times.push(tookMs)
  }
  return compareToLimit(120, { what: 'from tap to new picture', ours: median(times), unit: 'ms p50' })
}
