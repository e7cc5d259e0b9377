import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Request } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { type Daemon, shareDaemon } from '../kit/daemon.ts'
import { browserPath } from './browser.ts'
import { tapOn } from './live-phone.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const ROOT = join(import.meta.dirname, '..', '..')
const SOURCES = join(ROOT, 'src', 'dashboard')
const BUILT = join(ROOT, 'dist', 'dashboard')
const FIRST_PAGE_LIMIT = 120 * 1024
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** For tests that only read. */
const shared = shareDaemon()
const listFiles = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' })

test('a browser without a login gets the login page for every page, and no data', async () => {
  const daemon = shared()
  for (const url of ['/', '/devices', '/learn/active', '/skills/learned.x', '/nonsense', '/login?code=used']) {
    const page = await daemon.request({ method: 'GET', url, token: null, headers: { accept: 'text/html' } })
    expect(page.statusCode, url).toBe(401)
    expect(page.headers['content-type'], url).toBe('text/html; charset=utf-8')
    expect(page.body, url).toContain('apprentice token login')
  }
  const data = await daemon.request({ method: 'GET', url: '/api/devices', token: null })
  expect(data.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
})

test('a browser with a login gets the dashboard for its pages, and a page with status 404 for other paths', async () => {
  const daemon = shared()
  const cookie = await logIn(daemon)
  const get = (url: string, accept: string) =>
    daemon.request({ method: 'GET', url, token: null, headers: { cookie, accept } })
  for (const url of ['/', '/devices/SIM', '/learn/pending', '/skills']) {
    expect((await get(url, 'text/html')).statusCode, url).toBe(200)
  }
  const unknown = await get('/nonsense', 'text/html')
  expect([unknown.statusCode, unknown.body]).toEqual([404, expect.stringContaining('<div id="app">')])
  expect((await get('/nonsense', 'application/json')).json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  const repeated = await get('/login?code=used', 'text/html')
  expect([repeated.statusCode, repeated.headers['location']]).toEqual([303, '/'])
})

test('every built file is served with its type, compressed on request, and a policy that allows no other origin', async () => {
  const daemon = shared()
  const assets = listFiles(BUILT).filter((name) => name.startsWith('assets/') && !/\.(?:br|gz)$/.test(name))
  expect(assets.length).toBeGreaterThan(15)
  for (const name of assets) {
    const request = { method: 'GET', url: `/${name}`, token: null } as const
    const reply = await daemon.request(request)
    expect(reply.statusCode, name).toBe(200)
    expect(reply.headers['content-type'], name).toBe(TYPES[extname(name)])
    expect(reply.headers['cache-control'], name).toContain('immutable')
    const policy = String(reply.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    const packed = await daemon.request({ ...request, headers: { 'accept-encoding': 'gzip, br' } })
    expect(packed.headers['content-encoding'], name).toBe('br')
    expect(brotliDecompressSync(packed.rawPayload).equals(readFileSync(join(BUILT, name)))).toBe(true)
  }
})

test.each([
  '/assets/../package.json',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/....//package.json',
  '/assets/index.html',
  '/assets/',
  '/assets/main.tsx',
])('%s is not found', async (url) => {
  const daemon = shared()
  const cookie = await logIn(daemon)
  const reply = await daemon.request({ method: 'GET', url, token: null, headers: { cookie } })
  expect(reply.statusCode).toBe(404)
  expect(reply.body).not.toContain('"devDependencies"')
})

test('pages contain no inline script or style and no forbidden label', () => {
  const built = listFiles(BUILT).filter((name) => name.endsWith('.html'))
  expect(built).toEqual(expect.arrayContaining(['index.html', 'login.html']))
  for (const name of built) {
    const text = readFileSync(join(BUILT, name), 'utf8')
    expect(text, name).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" crossorigin src=)/)
  }
  for (const name of listFiles(SOURCES).filter((file) => /\.(?:tsx?|html)$/.test(file))) {
    const text = readFileSync(join(SOURCES, name), 'utf8')
    expect(text, name).not.toMatch(
      /Teach Elnor|Show Elnor|Elnor|Learning Center|Experimental|Private Trial|Observe My Actions/,
    )
    expect(text, name).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(/)
    // Every control calls a route of the contracts, because only the typed client sends requests.
    if (name !== join('api', 'client.ts')) {
      expect(text, name).not.toMatch(/\bfetch\(|new (?:EventSource|XMLHttpRequest|WebSocket)|sendBeacon|['"`]\/api\//)
    }
  }
})

test.skipIf(browserPath === undefined)(
  'a person logs in by the link, sees the phone and opens an app by clicking its icon',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, phone, page, problems } = await openDashboard()
    const sizes: Promise<number>[] = []
    const measure = (request: Request): void => {
      if (!request.url().includes('/api/')) sizes.push(request.sizes().then((size) => size.responseBodySize))
    }
    page.on('requestfinished', measure)
    await page.reload()
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
    page.off('requestfinished', measure)
    const loaded = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(loaded).toBeLessThanOrEqual(FIRST_PAGE_LIMIT)
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.locator('.screen[data-frame]').waitFor()
    expect(await page.locator('.phone .badge').allTextContents()).toContain('simulated')
    await tapOn(page, phone, 'Climate')
    await vi.waitUntil(() => phone.foreground()?.packageName === 'org.apprentice.climate', {
      timeout: 120_000,
    })
    await page.getByText('org.apprentice.climate', { exact: true }).waitFor()
    const { executions } = (await daemon.get('/api/executions')).json<{ executions: object[] }>()
    expect(executions).toHaveLength(1)
    expect(executions[0]).toMatchObject({ source: 'live_screen', state: 'succeeded' })
    await page.getByRole('button', { name: 'Home' }).click()
    await vi.waitUntil(() => phone.foreground()?.packageName === 'com.android.launcher3', {
      timeout: 120_000,
    })
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.locator('.screen canvas[width="2400"][height="1080"]').waitFor()
    await tapOn(page, phone, 'Notes')
    await vi.waitUntil(() => phone.foreground()?.packageName === 'org.apprentice.notes', { timeout: 120_000 })
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.locator('.screen canvas[width="1080"][height="2400"]').waitFor()
    await page.getByRole('link', { name: 'Watch My Actions' }).click()
    expect(await page.getByRole('combobox', { name: /^Observe/ }).inputValue()).toBe('outside_agent')
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the phone can be used with the keyboard only, and a failure is displayed',
  { timeout: TIMEOUT_MS },
  async () => {
    const { phone, page, problems } = await openDashboard()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    const target = page.getByRole('button', { name: 'Tap Notes' })
    await target.focus()
    await page.keyboard.press('Enter')
    await vi.waitUntil(() => phone.foreground()?.packageName === 'org.apprentice.notes', {
      timeout: 120_000,
    })
    await page.getByLabel('Text for the field in focus').fill('no focus')
    await page.keyboard.press('Enter')
    await page.locator('.phone-result .badge', { hasText: 'failed' }).waitFor()
    expect(await page.locator('.phone-result').textContent()).toMatch(/failed \S/)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a person demonstrates on the page: the banner is visible during the capture and the timeline follows',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, phone, page, problems } = await openDashboard()
    await page.getByRole('link', { name: 'Learn', exact: true }).click()
    await page.getByRole('heading', { name: 'Create new ability by:' }).waitFor()
    await expect.poll(() => page.title(), { timeout: 120_000 }).toBe('Ability Learning · Apprentice')
    expect(await page.locator('.tabs a').allTextContents()).toEqual([
      'Learn New Ability',
      'Active Capability Learning',
      'Pending Abilities',
      'History',
    ])
    expect(await page.locator('.cards .card strong').allTextContents()).toEqual([
      'Demonstrating Skill',
      'Coaching Agent',
      'Autonomous Agent Practice',
      'Improving Existing Skill',
      'Import Skill',
    ])
    await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
    const start = page.getByRole('button', { name: 'Start the lesson' })
    await start.click()
    expect(await page.locator('form input:invalid').count()).toBe(1)
    await page.getByLabel('Goal').fill('See the rooms')
    const banner = page.locator('#banner')
    expect(await banner.isVisible()).toBe(false)
    await start.click()
    await banner.getByText('Observing').waitFor()
    expect(await banner.textContent()).toContain('actions on the phone')
    await page.getByRole('heading', { name: 'See the rooms' }).waitFor()
    expect(await page.locator('.stepper [aria-current]').textContent()).toContain('Show')
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    await page.locator('.timeline').getByText('Capture started').waitFor()
    await page.locator('.screen[data-frame]').waitFor()
    await tapOn(page, phone, 'Climate')
    await page.locator('.film-step .screen-picture').first().waitFor()
    await page.locator('.understood', { hasText: 'See the rooms' }).waitFor()
    await banner.getByRole('button', { name: 'Pause' }).click()
    await banner.getByText('Observation paused').waitFor()
    await banner.getByRole('button', { name: 'Resume' }).click()
    for (const name of ['Skills', 'Settings', 'Overview']) {
      await page.getByRole('link', { name, exact: true }).first().click()
      await page.locator('h1', { hasText: name }).waitFor()
      expect(await banner.isVisible(), name).toBe(true)
    }
    await page.getByRole('link', { name: 'Active', exact: true }).click()
    // Somebody else stops the capture while this page is about to.
    await page.route('**/stop', async (route) => {
      await daemon.post(new URL(route.request().url()).pathname)
      await route.continue()
    })
    await banner.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.notice', { hasText: 'The session is already stopped.' }).waitFor()
    await page.locator('.timeline').getByText('Capture stopped').waitFor()
    await vi.waitUntil(async () => !(await banner.isVisible()), { timeout: 120_000 })
    expect(problems.splice(0)).toEqual([expect.stringContaining('409')])
    const { sessions } = (await daemon.get('/api/learn/sessions')).json<{ sessions: object[] }>()
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ state: 'stopped', device_serial: phone.serial })
    await page.getByRole('link', { name: 'History' }).click()
    await page.locator('.history li', { hasText: 'Demonstrating Skill' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'changes by other clients are displayed, and a refusal is displayed with the message of the API',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, page, problems } = await openDashboard()
    const created = await daemon.post('/api/learn/sessions', {
      entry_mode: 'coaching_agent',
      observation_mode: 'mixed',
    })
    const { learn_session_id } = created.json<{ session: { learn_session_id: string } }>().session
    await page.getByRole('link', { name: 'Active', exact: true }).click()
    await page.locator('.timeline').getByText('Session created').waitFor()
    await daemon.post(`/api/learn/sessions/${learn_session_id}/start`)
    await page.locator('#banner').getByText('Observing').waitFor()
    expect(problems).toEqual([])
    await page.getByRole('link', { name: 'Learn New Ability' }).click()
    await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
    await page.getByLabel('Goal').fill('Something else')
    await page.getByRole('button', { name: 'Start the lesson' }).click()
    await page.locator('.notice').waitFor()
    const refused = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
    const { message } = refused.json<{ error: { message: string } }>().error
    expect(await page.locator('.notice').textContent()).toContain(message)
    expect(problems).toEqual([expect.stringContaining('409')])
  },
)

async function logIn(daemon: Daemon): Promise<string> {
  const { code } = (await daemon.post('/api/login-codes')).json<{ code: string }>()
  const reply = await daemon.request({ method: 'GET', url: `/login?code=${code}`, token: null })
  return String(reply.headers['set-cookie']).split(';')[0] ?? ''
}
