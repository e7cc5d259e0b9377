import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath } from './browser.ts'
import { tapOn } from './live-phone.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 60_000
const folder = join(import.meta.dirname, '..', '..', 'src', 'dashboard')
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })

test('an anonymous visitor gets the login instructions and nothing else', async () => {
  const daemon = await startDaemon()
  const page = await daemon.request({ method: 'GET', url: '/', token: null })
  expect(page.statusCode).toBe(401)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.body).toContain('apprentice token login')
  expect(page.body).not.toContain('<script')
  const script = await daemon.request({ method: 'GET', url: '/assets/main.js', token: null })
  expect(script.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
})

test('every file is served with its type and a policy that allows no other origin', async () => {
  const daemon = await startDaemon()
  const cookie = await logIn(daemon)
  const served = sources.filter((name) => /\.(?:js|css|html|svg)$/.test(name))
  expect(served.length).toBeGreaterThan(15)
  for (const name of [...served, 'event-kinds.js']) {
    const reply = await daemon.request({
      method: 'GET',
      url: `/assets/${name}`,
      token: null,
      headers: { cookie },
    })
    expect(reply.statusCode, name).toBe(200)
    expect(reply.headers['content-type'], name).toBe(TYPES[extname(name)])
    const policy = String(reply.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  }
})

test.each([
  '/assets/../package.json',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/....//package.json',
  '/assets/tsconfig.json',
  '/assets/',
  '/assets/views',
])('%s is not found', async (url) => {
  const daemon = await startDaemon()
  const cookie = await logIn(daemon)
  const reply = await daemon.request({ method: 'GET', url, token: null, headers: { cookie } })
  expect(reply.statusCode).toBe(404)
  expect(reply.body).not.toContain('"devDependencies"')
})

test('pages contain no inline script or style and no forbidden label', () => {
  for (const name of sources.filter((file) => /\.(?:js|html)$/.test(file))) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text, name).not.toMatch(
      /Teach Elnor|Show Elnor|Elnor|Learning Center|Experimental|Private Trial|Observe My Actions/,
    )
    expect(text, name).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(/)
    if (name.endsWith('.html'))
      expect(text, name).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src=)/)
  }
})

test.skipIf(browserPath === undefined)(
  'a person logs in by the link, sees the phone and opens an app by clicking its icon',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, phone, page, problems } = await openDashboard()
    await page.getByText('Daemon ok').waitFor()
    await page.locator('.screen[data-frame]').waitFor()
    expect(await page.locator('.phone .badge').allTextContents()).toContain('simulated')
    await tapOn(page, phone, 'Climate')
    await vi.waitUntil(() => phone.foreground()?.packageName === 'org.apprentice.climate', {
      timeout: 10_000,
    })
    await page.getByText('org.apprentice.climate', { exact: true }).waitFor()
    const { executions } = (await daemon.get('/api/executions')).json<{ executions: object[] }>()
    expect(executions).toHaveLength(1)
    expect(executions[0]).toMatchObject({ source: 'live_screen', state: 'succeeded' })
    await page.getByRole('button', { name: 'Home' }).click()
    await vi.waitUntil(() => phone.foreground()?.packageName === 'com.android.launcher3', {
      timeout: 10_000,
    })
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the phone can be used with the keyboard only, and a failure is displayed',
  { timeout: TIMEOUT_MS },
  async () => {
    const { phone, page, problems } = await openDashboard()
    const target = page.getByRole('button', { name: 'Tap Notes' })
    await target.focus()
    await page.keyboard.press('Enter')
    await vi.waitUntil(() => phone.foreground()?.packageName === 'org.apprentice.notes', {
      timeout: 10_000,
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
    expect(await page.title()).toBe('Ability Learning · Apprentice')
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
    await page.getByRole('button', { name: 'Create session' }).click()
    const banner = page.locator('#banner')
    const controls = page.locator('.controls')
    await controls.getByRole('button', { name: 'Start' }).waitFor()
    expect(await banner.isVisible()).toBe(false)
    await controls.getByRole('button', { name: 'Start' }).click()
    await banner.getByText('Observing').waitFor()
    expect(await banner.textContent()).toContain('wrapper receipt')
    await page.locator('.timeline').getByText('Capture started').waitFor()
    await page.getByLabel('Goal of the workflow').fill('See the rooms')
    await page.getByRole('button', { name: 'Mark goal' }).click()
    await page.locator('.timeline').getByText('See the rooms').waitFor()
    await page.locator('.screen[data-frame]').waitFor()
    await tapOn(page, phone, 'Climate')
    await page.locator('.captured li').first().waitFor()
    await banner.getByRole('button', { name: 'Pause' }).click()
    await banner.getByText('Observation paused').waitFor()
    await banner.getByRole('button', { name: 'Resume' }).click()
    await controls.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.timeline').getByText('Capture stopped').waitFor()
    await vi.waitUntil(async () => !(await banner.isVisible()), { timeout: 5000 })
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
    await page.goto(`${page.url().split('#')[0]}#/learn/active`)
    await page.reload()
    await page.locator('.timeline').getByText('Session created').waitFor()
    await daemon.post(`/api/learn/sessions/${learn_session_id}/start`)
    await page.locator('#banner').getByText('Observing').waitFor()
    expect(problems).toEqual([])
    await page.getByRole('link', { name: 'Learn New Ability' }).click()
    await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
    await page.getByRole('button', { name: 'Create session' }).click()
    await page.locator('.notice').waitFor()
    const refused = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
    const { message } = refused.json<{ error: { message: string } }>().error
    expect(await page.locator('.notice').textContent()).toContain(message)
    expect(problems).toEqual([expect.stringContaining('409')])
  },
)

test.skipIf(browserPath === undefined)('every view fits a narrow screen', { timeout: TIMEOUT_MS }, async () => {
  const { daemon, page, problems } = await openDashboard({ width: 360, height: 740 })
  await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'mixed',
    device_serial: 'SIMULATED01',
  })
  for (const view of ['devices', 'learn/new', 'learn/active', 'learn/pending', 'learn/history', 'skills']) {
    await page.goto(`${page.url().split('#')[0]}#/${view}`)
    await page.locator('h1').waitFor()
    const [wide, all] = await page.evaluate<[number, number]>(
      '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
    )
    expect(all, view).toBeLessThanOrEqual(wide)
  }
  expect(problems).toEqual([])
})

async function logIn(daemon: Daemon): Promise<string> {
  const { code } = (await daemon.post('/api/login-codes')).json<{ code: string }>()
  const reply = await daemon.request({ method: 'GET', url: `/login?code=${code}`, token: null })
  return String(reply.headers['set-cookie']).split(';')[0] ?? ''
}
