import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changeSettings, listTemperatures, repeatThreeTimes, startPhone } from '../mining/climate-phone.ts'
import { browserPath } from './browser.ts'
import { expectReview } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const GOAL = 'Set the temperature of a unit'

/** A home with three runs of one workflow, and the page with the cards. */
async function openPastRuns(settings: Record<string, unknown> = {}) {
  const { daemon, phone } = await startPhone()
  await changeSettings(daemon, settings)
  await repeatThreeTimes(daemon)
  const opened = await openDashboard(undefined, daemon)
  await opened.page.goto(new URL('/learn/new', opened.page.url()).href)
  await opened.page.locator('summary', { hasText: 'Past runs' }).click()
  return { ...opened, phone }
}

/** Tests and installs the draft in the drawer, and runs it for a unit that no run was about. */
async function installAndRun(page: Page): Promise<void> {
  const drawer = page.locator('dialog.drawer')
  const test = drawer.getByRole('button', { name: 'Test', exact: true })
  const install = drawer.getByRole('button', { name: 'Install privately' })
  await test.or(install).first().waitFor()
  if (await test.isVisible()) await test.click()
  await install.click()
  await drawer.getByRole('link', { name: 'Run it' }).click()
  const form = page.locator('.run-form')
  await form.locator('[name^="unit"]').fill('Library')
  await form.locator('[name^="temperature"]').fill('24')
  await form.getByRole('button', { name: 'Run' }).click()
  await page.locator('.run-result .badge', { hasText: 'success' }).waitFor()
}

test.skipIf(browserPath === undefined)(
  'chosen past runs become a draft, which is installed and run with other values',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, phone, problems } = await openPastRuns()
    const form = page.locator('.past-runs')
    const learn = form.getByRole('button', { name: 'Learn from the chosen runs' })
    await learn.waitFor()
    expect(await learn.isDisabled()).toBe(true)
    expect(await form.getByRole('checkbox').count()).toBe(3)
    for (const box of await form.getByRole('checkbox').all()) await box.check()
    await form.getByText('3 chosen').waitFor()
    await form.getByLabel('What they have in common').fill(GOAL)
    await learn.click()
    await expectReview(page)
    await installAndRun(page)
    expect(listTemperatures(phone, 'Library')).toEqual([24])
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a repeated workflow is found by a search on the page, and its draft is installed and run',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, phone, problems } = await openPastRuns()
    const found = page.locator('.found-workflows')
    await found.getByRole('button', { name: 'Search now' }).click()
    await page.locator('.notice', { hasText: '1 workflow seen, 1 draft made.' }).waitFor()
    await found.getByText('3 successful runs').waitFor()
    await found.getByRole('link', { name: 'Review the draft' }).click()
    await installAndRun(page)
    expect(listTemperatures(phone, 'Library')).toEqual([24])
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'while the search is switched off the page says so and starts none',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPastRuns({ mode: 'off' })
    const found = page.locator('.found-workflows')
    await found.getByText('The search is switched off.').waitFor()
    expect(await found.getByRole('button', { name: 'Search now' }).isDisabled()).toBe(true)
    expect(problems).toEqual([])
  },
)
