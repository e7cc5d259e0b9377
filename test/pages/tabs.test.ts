import { expect, test } from 'vitest'
import { browserPath } from './browser.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const TABS = 5

test.skipIf(browserPath === undefined)(
  'five tabs share one stream of events, and all display a change by another client',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, page, problems } = await openDashboard()
    const others = await Promise.all(
      Array.from({ length: TABS - 1 }, async () => {
        const tab = await page.context().newPage()
        await tab.goto(new URL('/learn/active', page.url()).href)
        return tab
      }),
    )
    await page.goto(new URL('/learn/active', page.url()).href)
    for (const tab of [page, ...others]) await tab.getByText('No lesson is active.').waitFor()
    await expect.poll(() => daemon.system.hub.subscribers, { timeout: 120_000 }).toBe(1)
    const created = await daemon.post('/api/learn/sessions', {
      entry_mode: 'coaching_agent',
      observation_mode: 'mixed',
    })
    const { learn_session_id } = created.json<{ session: { learn_session_id: string } }>().session
    for (const tab of [page, ...others]) await tab.getByRole('heading', { name: 'Coaching Agent' }).waitFor()
    await daemon.post(`/api/learn/sessions/${learn_session_id}/start`)
    for (const tab of [page, ...others]) await tab.locator('#banner').getByText('Observing').waitFor()
    expect(daemon.system.hub.subscribers).toBe(1)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'without shared workers a tab has a stream of its own, and a hidden tab follows no screen',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, phone, page, problems } = await openDashboard()
    await page.context().addInitScript('delete globalThis.SharedWorker')
    await page.goto(new URL('/learn/active', page.url()).href)
    await page.getByText('No lesson is active.').waitFor()
    await expect.poll(() => daemon.system.hub.subscribers, { timeout: 120_000 }).toBe(1)
    await daemon.post('/api/learn/sessions', { entry_mode: 'coaching_agent', observation_mode: 'mixed' })
    await page.getByRole('heading', { name: 'Coaching Agent' }).waitFor()

    const isScreen = (url: string): boolean => new URL(url).pathname === `/api/devices/${phone.serial}/screen`
    const opened: string[] = []
    page.on('request', (request) => isScreen(request.url()) && opened.push(request.url()))
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.locator('.screen[data-frame]').waitFor()
    const ended = page.waitForEvent('requestfailed', (request) => isScreen(request.url()))
    await page.evaluate(setHidden, true)
    await ended
    expect(opened).toHaveLength(1)
    await page.evaluate(setHidden, false)
    await expect.poll(() => opened.length, { timeout: 120_000 }).toBe(2)
    await page.getByRole('button', { name: 'Tap Climate' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('org.apprentice.climate', { exact: true }).waitFor()
    expect(problems).toEqual([])
  },
)

/** Runs in the page: the browser hides no tab by itself while it has no window. */
function setHidden(isHidden: boolean): void {
  // The types of the tests do not include browser APIs.
  const { document, Event } = globalThis as unknown as {
    document: { dispatchEvent: (event: object) => void }
    Event: new (name: string) => object
  }
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden })
  document.dispatchEvent(new Event('visibilitychange'))
}
