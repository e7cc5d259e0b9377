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
