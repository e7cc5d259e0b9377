import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContainedAttempt } from '@apprentice/contracts/scenes/run.ts'
import type { PageOutcome } from '../../src/browser/host-messages.ts'
import { SceneBrowser } from '../../src/browser/scene-browser.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { browserProgramFile } from '../../src/config/paths.ts'
import { browserPath } from './page-scene.ts'
import { openSite, redirectTo, sendPage, type Site, type SitePage } from './page-site.ts'

const folder = mkdtempSync(join(tmpdir(), 'apprentice-malicious-'))
const browser = new SceneBrowser({
  program: browserProgramFile,
  findExecutable: () => browserPath,
  environment: { PATH: readSearchPath() },
  // It must not be replaced because of its age.
  max_runs: 10_000,
  idle_ms: 600_000,
})
/** A server that no run may use. */
let other: Site
let site: Site
let count = 0

const script = (body: string): SitePage => sendPage(`<script>${body}</script>`)
/** Opens an address that is not the target page, while the script runs. */
const goTo = (address: string): string => `setInterval(() => { if (self.started) location.href = '${address}' }, 20)`
const CLICK = `const link = document.createElement('a'); link.href = '/archive'; link.click()`

/** What a page does by itself, while it is loaded and afterwards. */
const listPages = (): Record<string, SitePage> => ({
  '/': sendPage('fine'),
  '/archive': (reply) => reply.writeHead(200, { 'content-type': 'application/zip' }).end('zip'),
  '/service.js': (reply) => reply.writeHead(200, { 'content-type': 'text/javascript' }).end('onfetch = () => {}'),
  '/loop-while-loading': script('for (;;) {}'),
  '/loop-later': script('setInterval(() => { if (self.started) for (;;) {} }, 20)'),
  '/alerts': script(`alert('a'); confirm('b'); prompt('c')`),
  '/alerts-for-ever': script(`setInterval(() => alert('again'), 50)`),
  '/prints': script('print()'),
  '/stays': script(`onbeforeunload = (event) => { event.preventDefault(); return 'stay' }`),
  '/pop-ups': script(`open('about:blank'); open('${other.url}/pop')`),
  '/pop-ups-for-ever': script(`setInterval(() => open('about:blank'), 5)`),
  '/downloads': script(`onload = () => { ${CLICK} }`),
  '/leaves': script(goTo(`${other.url}/left`)),
  '/leaves-on-the-same-server': script(goTo('/')),
  '/redirects': redirectTo(`${other.url}/redirected`),
  '/refreshes': sendPage(`<meta http-equiv="refresh" content="0;url=${other.url}/refreshed">`),
  '/redirects-to-a-file': redirectTo('file:///etc/passwd'),
  '/service-worker': script(`navigator.serviceWorker.register('/service.js').catch(() => {})`),
  '/file-frame': sendPage('<iframe src="file:///etc/passwd"></iframe>'),
  '/file-fetch': script(`fetch('file:///etc/passwd').catch(() => {})`),
  '/loopback': script(`fetch('${other.url}/loopback', { mode: 'no-cors' }).catch(() => {})`),
  '/loopback-by-name': script(`fetch('http://localhost:${other.port}/name', { mode: 'no-cors' }).catch(() => {})`),
  '/loopback-of-version-6': script(`fetch('http://[::1]:${other.port}/six', { mode: 'no-cors' }).catch(() => {})`),
})

beforeAll(async () => {
  other = await openSite({ '/': sendPage('other', 'Other') })
  site = await openSite(listPages())
})

afterAll(async () => {
  await browser.close()
  site.close()
  other.close()
  rmSync(folder, { recursive: true, force: true })
})

const FOR_EVER = 'self.started = true; await new Promise(() => {})'

const resultFile = (): string => join(folder, `result-${count}`)
const readResult = (): unknown => JSON.parse(readFileSync(resultFile(), 'utf8')) as unknown

function run(path: string, body: string, timeout_ms = 60_000): Promise<PageOutcome> {
  count += 1
  return browser.run({
    run_id: `run-${count}`,
    target_url: site.url + path,
    expected_domain: '127.0.0.1',
    page_title_keywords: ['线损'],
    requires_target_page: true,
    allowed_domains: [],
    script: `async function collect(args) { ${body} }`,
    args: {},
    timeout_ms,
    max_result_bytes: 1_000_000,
    result_file: resultFile(),
  })
}

/** How long a run may take that is to end because its time is over. */
const SHORT_MS = 4000
const chooseTime = (code: string): number => (code === 'SCENE_TIMED_OUT' ? SHORT_MS : 60_000)

/** The next run is as if nothing had been. */
async function expectUsable(): Promise<void> {
  const outcome = await run('/', 'return { fine: document.title }')
  expect(outcome).toMatchObject({ kind: 'result', contained: [], console: [] })
  expect(readResult()).toEqual({ fine: '台区线损' })
}

/** The next run is in the same browser. */
async function expectSameBrowser(before: readonly number[]): Promise<void> {
  await expectUsable()
  expect(browser.processes).toEqual(before)
}

/** Runs a script that ends, and gives the page more and more time until it has tried something. */
async function runUntilTried(path: string, kind: ContainedAttempt['kind']): Promise<readonly string[]> {
  for (const waitMs of [300, 2000, 10_000]) {
    const outcome = await run(path, `await new Promise((end) => setTimeout(end, ${waitMs})); return {}`)
    expect(outcome).toMatchObject({ kind: 'result' })
    const found = outcome.contained.filter((attempt) => attempt.kind === kind).map(({ detail }) => detail)
    if (found.length > 0) return found
  }
  return []
}

async function findProcesses(): Promise<readonly number[]> {
  await run('/', 'return {}')
  expect(browser.processes).toHaveLength(1)
  return browser.processes
}

describe.skipIf(browserPath === undefined)('a page that misbehaves is contained, and the browser goes on', () => {
  test.each([
    ['/loop-while-loading', 'SCENE_TIMED_OUT'],
    ['/loop-later', 'SCENE_TIMED_OUT'],
    ['/leaves', 'SCENE_NAVIGATED_AWAY'],
    ['/leaves-on-the-same-server', 'SCENE_NAVIGATED_AWAY'],
    ['/redirects', 'SCENE_WRONG_DOMAIN'],
    ['/refreshes', 'SCENE_WRONG_DOMAIN'],
    ['/redirects-to-a-file', 'SCENE_PAGE_UNREACHABLE'],
    ['/archive', 'SCENE_PAGE_UNREACHABLE'],
  ])('%s ends the run with %s', async (path, code) => {
    const before = await findProcesses()
    const outcome = await run(path, FOR_EVER, chooseTime(code))
    expect(outcome).toMatchObject({ kind: 'problem', code })
    expect(existsSync(resultFile())).toBe(false)
    expect(other.requested).toEqual([])
    await expectSameBrowser(before)
  })

  test.each([
    ['/alerts', 'dialog', ['alert: a', 'confirm: b', 'prompt: c']],
    ['/prints', 'dialog', ['Printing prevented']],
    ['/pop-ups', 'pop_up', ['about:blank', '/pop']],
    ['/downloads', 'download', ['/archive']],
    ['/service-worker', 'service_worker', ['Service Worker registration blocked']],
    ['/file-frame', 'file', ['file:///etc/passwd']],
    ['/file-fetch', 'file', ['file:///etc/passwd']],
    ['/loopback', 'request', ['127.0.0.1:']],
    ['/loopback-by-name', 'request', ['localhost:']],
    ['/loopback-of-version-6', 'request', ['::1:']],
  ] as const)('%s is refused as %s, and the script still ends', async (path, kind, details) => {
    const before = await findProcesses()
    const found = await runUntilTried(path, kind)
    for (const detail of details) expect(found).toContainEqual(expect.stringContaining(detail))
    expect(other.requested).toEqual([])
    await expectSameBrowser(before)
  })

  test.each([
    ['/alerts-for-ever', 'dialog'],
    ['/pop-ups-for-ever', 'pop_up'],
  ] as const)('%s: none is shown, and the next run succeeds', async (path, kind) => {
    expect((await runUntilTried(path, kind)).length).toBeGreaterThan(0)
    await expectUsable()
  })

  test('a page that does not want to be left is closed', async () => {
    const before = await findProcesses()
    expect(await run('/stays', 'return {}')).toMatchObject({ kind: 'result' })
    await expectSameBrowser(before)
  })
})

describe.skipIf(browserPath === undefined)('a script that misbehaves is contained, and the browser goes on', () => {
  test.each([
    ['an endless loop', 'SCENE_TIMED_OUT', 'for (;;) {}'],
    ['an endless loop in its result', 'SCENE_TIMED_OUT', 'return { get rows() { for (;;) {} } }'],
    ['a result of 200 MB', 'SCENE_RESULT_TOO_LARGE', 'return { text: "x".repeat(200_000_000) }'],
    ['an error of 200 MB', 'SCENE_SCRIPT_THREW', 'throw new Error("x".repeat(200_000_000))'],
    ['a form that is sent elsewhere', 'SCENE_NAVIGATED_AWAY', `FORM; await new Promise(() => {})`],
    ['going back', 'SCENE_NAVIGATED_AWAY', 'history.back(); await new Promise(() => {})'],
  ])('%s ends the run with %s', async (_what, code, body) => {
    const before = await findProcesses()
    const form = `const form = document.body.appendChild(document.createElement('form')); form.method = 'post'
      form.action = '${other.url}/form'; form.submit()`
    const outcome = await run('/', body.replace('FORM', form), chooseTime(code))
    expect(outcome).toMatchObject({ kind: 'problem', code })
    expect(existsSync(resultFile())).toBe(false)
    expect(other.requested).toEqual([])
    await expectSameBrowser(before)
  })

  test('endless dialogs end with the time of the run, and the next run succeeds', async () => {
    const outcome = await run('/', 'for (;;) alert(1)', SHORT_MS)
    expect(outcome).toMatchObject({ kind: 'problem', code: 'SCENE_TIMED_OUT', contained: [{ kind: 'dialog' }] })
    await expectUsable()
  })

  test.each([
    ['file', `fetch('file:///etc/passwd')`],
    [
      'file',
      `new Promise((end, fail) => { const read = new XMLHttpRequest(); read.onload = end; read.onerror = fail
        read.open('GET', 'file:///etc/passwd'); read.send() })`,
    ],
    ['request', `fetch('http://0.0.0.0:PORT/zero')`],
    ['request', `fetch('http://2130706433:PORT/number')`],
    ['request', `fetch('https://127.0.0.1:PORT/secure')`],
  ])('%s: %s', async (kind, call) => {
    const before = await findProcesses()
    const asked = call.replace('PORT', String(other.port))
    const outcome = await run('/', `return { end: await ${asked}.then(() => 'reached', () => 'refused') }`)
    expect(readResult()).toEqual({ end: 'refused' })
    expect(outcome.contained.map((attempt) => attempt.kind)).toContain(kind)
    expect(other.requested).toEqual([])
    await expectSameBrowser(before)
  })
})
