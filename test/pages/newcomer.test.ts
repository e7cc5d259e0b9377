import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { CLIMATE, startTeaching, type TeachingSetup } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { beginLesson, changeUnit, expectReview, showTemperature } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
/** The whole phone is visible below the captured steps. */
const VIEWPORT = { width: 1280, height: 1500 }
const GOAL = 'Change the temperature of a unit'

test.skipIf(browserPath === undefined)(
  'practice, coaching and improving are begun on their cards and lead to a draft that can be reviewed',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    const ability = await room.install(await room.demonstrate({ goal: GOAL, show: showTemperature }))
    const { page, phone, problems } = await openDashboard(VIEWPORT, room.daemon)

    await beginLesson(page, 'Autonomous Agent Practice', 'Turn on airplane mode', { app: 'Settings' })
    await page.getByRole('link', { name: 'Review what it found' }).click({ timeout: TIMEOUT_MS })
    await expectReview(page)
    await decide(page, 'Reject')

    await beginLesson(page, 'Coaching Agent', 'Make a unit warmer')
    await page.reload()
    await page.getByRole('heading', { name: 'Make a unit warmer' }).waitFor()
    await changeUnit(page, phone)
    await page.reload()
    await page.locator('.film-step').nth(4).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await expectReview(page)
    await decide(page, 'Reject')

    await page.goto(new URL(`/learn/new?mode=improving_existing_skill&ability=${ability}`, page.url()).href)
    await page.getByLabel('Goal').fill(GOAL)
    await page.getByRole('button', { name: 'Start the lesson' }).click()
    await changeUnit(page, phone)
    await page.getByRole('button', { name: 'Done' }).click()
    await expectReview(page)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a lesson needs a goal, blocks a second one with a link to itself, and is found in one list only when it is installed',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    const { page, phone, problems } = await openDashboard(VIEWPORT, room.daemon)
    await page.goto(new URL('/learn/new', page.url()).href)
    await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
    await page.getByRole('button', { name: 'Start the lesson' }).click()
    expect(await page.getByLabel('Goal').evaluate((field) => field.matches(':invalid'))).toBe(true)
    expect(await countSessions(room)).toBe(0)

    await beginLesson(page, 'Demonstrating Skill', GOAL)
    await page.goto(new URL('/learn/new', page.url()).href)
    await page.getByRole('button', { name: 'Coaching Agent' }).click()
    await page.getByRole('link', { name: 'Open that lesson' }).click()
    await page.getByRole('heading', { name: GOAL }).waitFor()
    await changeUnit(page, phone)

    const done = page.getByRole('button', { name: 'Done' })
    const place = await centreOf(done)
    await done.click()
    await expectReview(page)
    // A second press at the same place meets nothing that destroys the work.
    expect(await page.evaluate<string>(`(${READ_BUTTON_AT})(${JSON.stringify(place)})`)).not.toMatch(
      /danger|Cancel|Reject|Delete/,
    )

    const drawer = page.locator('dialog.drawer')
    await page.reload()
    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    await page.goto(new URL('/learn/active', page.url()).href)
    await page.locator('.timeline').getByText('Draft written').waitFor()
    const lines = await page.locator('.timeline li > span').allTextContents()
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line, at) => line === lines[at - 1] && line !== 'State')).toEqual([])
    await page.getByRole('link', { name: 'Open the review' }).click()
    await drawer.getByRole('button', { name: 'Install privately' }).click()
    await drawer.getByRole('link', { name: 'Run it' }).waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Active', exact: true }).click()
    await page.getByText('No lesson is active.').waitFor()
    await page.getByRole('link', { name: 'Pending Abilities' }).click()
    await page.getByRole('link', { name: 'Start' }).first().waitFor()
    expect(await page.locator('.rows.pending > li').count()).toBe(0)
    await page.goto(new URL('/learn/history', page.url()).href)
    const row = page.locator('.rows.history > li', { hasText: 'temperature' })
    await row.getByText('installed private').waitFor()
    expect(await row.textContent()).not.toContain('in progress')
    expect(await row.textContent()).not.toContain(CLIMATE)
    expect(problems).toEqual([])
  },
)

async function decide(page: Page, action: string): Promise<void> {
  await page.locator('dialog.drawer').getByRole('button', { name: 'Test', exact: true }).click()
  await page.locator('dialog.drawer .decisions').getByRole('button', { name: action }).click()
  await page.getByLabel('Reason').fill('Only to see the way.')
  await page.locator('dialog').last().getByRole('button', { name: action }).click()
  await page.locator('dialog.drawer .badge', { hasText: 'rejected' }).first().waitFor()
}

const centreOf = async (target: ReturnType<Page['getByRole']>): Promise<{ x: number; y: number }> => {
  const box = await target.boundingBox()
  if (box === null) throw new Error('the button is not displayed')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Runs in the page. */
const READ_BUTTON_AT = `({ x, y }) => {
  const button = document.elementFromPoint(x, y)?.closest('button')
  return button === null || button === undefined ? '' : button.className + ' ' + button.textContent
}`

const countSessions = async ({ daemon }: Pick<TeachingSetup, 'daemon'>): Promise<number> =>
  (await daemon.get('/api/learn/sessions')).json<{ sessions: unknown[] }>().sessions.length
