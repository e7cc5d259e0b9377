import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createLoginCode } from '@apprentice/contracts/admin/tokens.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath, openBrowser } from './browser.ts'

const TIMEOUT_MS = 600_000
const COOKIE_NAME = 'apprentice_login'

/** Collects errors and requests to other servers while a page is open. */
function watchPage(page: Page, origin: string) {
  const seen = { foreign: [] as string[], failed: [] as string[], errors: [] as string[] }
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) {
      seen.foreign.push(request.url())
    }
  })
  page.on('requestfailed', (request) => seen.failed.push(request.url()))
  page.on('response', (response) => {
    if (response.status() >= 400) seen.failed.push(`${response.status()} ${response.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') seen.errors.push(message.text())
  })
  page.on('pageerror', (error) => seen.errors.push(error.message))
  return seen
}

async function login(daemon: Daemon, browser: BrowserContext): Promise<{ link: string; page: Page }> {
  const { call } = await daemon.listen()
  const { login_url: link } = await call(createLoginCode, { body: {} })
  const page = await browser.newPage()
  await page.goto(link)
  return { link, page }
}

test.skipIf(browserPath === undefined)(
  'the API reference displays every group of routes without errors or requests to other servers',
  { timeout: TIMEOUT_MS },
  async () => {
    const daemon = await startDaemon()
    const { url } = await daemon.listen()
    const page = await (await openBrowser()).newPage()
    const seen = watchPage(page, url)

    await page.goto(`${url}/docs`, { waitUntil: 'networkidle' })

    await page.getByText('Create a learn session and arm it').waitFor()
    await expectGroups(page, `${url}/docs/teaching.json`)
    // An opened operation renders parts that are not rendered before.
    await page.locator('.opblock-summary').first().click()
    await page.locator('.opblock-body').first().waitFor()
    await page.locator('#select').selectOption({ label: 'Phones and skills' })
    await page.getByText('List known devices, connected ones first').first().waitFor()
    await expectGroups(page, `${url}/docs/phones.json`)
    await page.locator('#select').selectOption({ label: 'Connectors and operation' })
    await page.getByText('Register a server').first().waitFor()
    await expectGroups(page, `${url}/docs/operation.json`)
    expect(seen).toEqual({ foreign: [], failed: [], errors: [] })
  },
)

/** Checks that every group of routes in the document is displayed. */
async function expectGroups(page: Page, document: string): Promise<void> {
  const { paths } = (await (await fetch(document)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>
  }
  const groups = Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags }) => tags))
  expect(new Set(groups).size).toBeGreaterThan(3)
  for (const group of new Set(groups)) {
    expect(await page.locator(`[data-tag="${group}"]`).count(), group).toBe(1)
  }
}

test.skipIf(browserPath === undefined)(
  'a login link sets a cookie that scripts cannot read, and works once',
  { timeout: TIMEOUT_MS },
  async () => {
    const daemon = await startDaemon()
    const browser = await openBrowser()

    const { link, page } = await login(daemon, browser)

    const cookies = await browser.cookies()
    expect(cookies).toMatchObject([{ name: COOKIE_NAME, httpOnly: true, sameSite: 'Strict', path: '/' }])
    const { origin } = new URL(link)
    await page.goto(`${origin}/docs`)
    expect(await page.evaluate('document.cookie')).toBe('')
    const status = (path: string) => page.evaluate(async (where) => (await fetch(where)).status, path)
    expect(await status('/api/learn/sessions')).toBe(200)

    await browser.clearCookies()
    const again = await page.goto(link)
    expect([again?.status(), await browser.cookies()]).toEqual([401, []])
    await page.goto(`${origin}/docs`)
    expect(await status('/api/learn/sessions')).toBe(401)
  },
)

interface ReceivedEvent {
  readonly id: string
  readonly kind: string
}

test.skipIf(browserPath === undefined)(
  'a page follows a session with its cookie and continues after a lost connection',
  { timeout: TIMEOUT_MS },
  async () => {
    const daemon = await startDaemon()
    const { link, page } = await login(daemon, await openBrowser())
    const id = await daemon.aSessionIn('armed')
    const lastEventIds: (string | undefined)[] = []
    daemon.app.server.on('request', ({ url, headers }) => {
      if (url?.endsWith('/events') === true) lastEventIds.push(headers['last-event-id'] as string)
    })
    await page.goto(`${new URL(link).origin}/docs`)
    await page.evaluate(follow, `/api/learn/sessions/${id}/events`)
    const received = () => page.evaluate(() => (globalThis as unknown as { received: ReceivedEvent[] }).received)

    await daemon.post(`/api/learn/sessions/${id}/start`)
    await expect.poll(received, { timeout: 120_000 }).toHaveLength(2)
    daemon.app.server.closeAllConnections()
    await expect.poll(() => daemon.system.hub.subscribers).toBe(0)
    await daemon.post(`/api/learn/sessions/${id}/pause`)
    await expect.poll(received, { timeout: 120_000 }).toHaveLength(4)

    expect(lastEventIds).toEqual([undefined, '3'])
    // The boundaries of the capture are events too, and this page listens to others.
    expect((await received()).map(({ kind }) => kind)).toEqual([
      'learn.session.state_changed',
      'learn.capture.started',
      'learn.session.state_changed',
      'learn.capture.paused',
    ])
  },
)

/** Runs in the page. */
function follow(url: string): void {
  const received: ReceivedEvent[] = []
  Object.assign(globalThis, { received })
  // The types of the tests do not include browser APIs.
  const { EventSource } = globalThis as unknown as {
    EventSource: new (url: string) => {
      addEventListener(kind: string, listener: (event: { lastEventId: string; data: string }) => void): void
    }
  }
  const source = new EventSource(url)
  for (const kind of ['learn.session.state_changed', 'learn.capture.started', 'learn.capture.paused']) {
    source.addEventListener(kind, ({ lastEventId, data }) => {
      const { event_kind } = JSON.parse(data) as { event_kind: string }
      received.push({ id: lastEventId, kind: event_kind })
    })
  }
}
