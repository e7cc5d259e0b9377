import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { buildBundle, buildZip } from '../skill-import/zip-builder.ts'
import { ok, startTeaching } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { beginLesson, expectReview, showTemperature } from './lesson-steps.ts'
import { tapOn } from './live-phone.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const VIEWPORT = { width: 1280, height: 1300 }
const GOAL = 'Change the temperature of a unit'

test.skipIf(browserPath === undefined)(
  'a lesson goes on after the page is loaded again: while it is captured, paused, asked about, reviewed and practised',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    const { page, phone, problems } = await openDashboard(VIEWPORT, room.daemon)
    await beginLesson(page, 'Demonstrating Skill', 'Look after the units')
    await page.getByRole('button', { name: 'Home', exact: true }).click()
    await tapOn(page, phone, 'Climate')
    await page.locator('.film-step .screen-picture').first().waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Look after the units' }).waitFor()
    await page.locator('.film-step .screen-picture').first().waitFor()
    const banner = page.locator('#banner')
    await banner.getByRole('button', { name: 'Pause' }).click()
    await banner.getByText('Observation paused').waitFor()
    await page.reload()
    await banner.getByText('Observation paused').waitFor()
    await banner.getByRole('button', { name: 'Resume' }).click()
    await banner.getByText('Observing', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const questions = page.locator('form.questions')
    await questions.waitFor()
    await page.reload()
    await questions.waitFor()
    expect(await banner.isVisible()).toBe(false)
    await answer(page)
    await expectReview(page)
    await page.reload()
    await expectReview(page)
    await reject(page)

    await beginLesson(page, 'Autonomous Agent Practice', 'Turn on airplane mode', { app: 'Settings' })
    await page.reload()
    await page.getByRole('heading', { name: 'Turn on airplane mode' }).waitFor()
    await page.getByRole('link', { name: 'Review what it found' }).click({ timeout: TIMEOUT_MS })
    await expectReview(page)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'tests, an installation, a run and an import go on after the page is loaded again, and their results are displayed',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    const session = await room.demonstrate({ goal: GOAL, show: showTemperature })
    const { proposal_id } = await ok<{ proposal_id: string }>(
      room.daemon,
      `/api/learn/sessions/${session}/generate-proposal`,
    )
    const { page, problems } = await openDashboard(VIEWPORT, room.daemon)
    await page.goto(new URL(`/learn/pending/${proposal_id}`, page.url()).href)
    const drawer = page.locator('dialog.drawer')
    await pressAndReload(page, drawer.getByRole('button', { name: 'Test', exact: true }), '**/validate')
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    await pressAndReload(page, drawer.getByRole('button', { name: 'Install privately' }), '**/install')
    await drawer.getByRole('link', { name: 'Run it' }).click()

    const form = page.locator('.run-form')
    await form.locator('[name^="unit"]').fill('Kitchen')
    await form.locator('[name^="temperature"]').fill('24')
    await pressAndReload(page, form.getByRole('button', { name: 'Run', exact: true }), '**/run')
    await form.locator('.badge', { hasText: 'success' }).waitFor()

    await page.goto(new URL('/import', page.url()).href)
    const upload = { name: 'tidy-notes.zip', mimeType: 'application/zip', buffer: buildZip(buildBundle()) }
    await page.getByLabel('Bundle').setInputFiles(upload)
    const row = page.locator('.imports > li').first()
    await row.getByText('compatible', { exact: true }).waitFor()
    await pressAndReload(page, row.getByRole('button', { name: 'Unpack for review' }), '**/stage')
    await pressAndReload(page, row.getByRole('button', { name: 'Install privately' }), '**/install-private')
    await row.locator('> .badge', { hasText: 'installed privately' }).waitFor()
    expect(problems).toEqual([])
  },
)

/** Presses a button and loads the page again once the daemon has accepted the request, before its work is done. */
async function pressAndReload(page: Page, button: ReturnType<Page['locator']>, url: string): Promise<void> {
  const arrived = page.waitForRequest(url)
  await button.click()
  await (await arrived).response()
  await page.reload()
}

async function answer(page: Page): Promise<void> {
  const questions = page.locator('form.questions')
  const field = questions.locator('input').first()
  const name = await field.getAttribute('name')
  const choice = questions.locator('input[type=radio]').first()
  if ((await choice.count()) > 0) await choice.check()
  else await field.fill('The list shows every unit')
  await questions.getByRole('button', { name: 'Answer and go on' }).click()
  // The form stays until the daemon has taken the answer.
  await questions.locator(`[name="${name}"]`).first().waitFor({ state: 'detached' })
}

async function reject(page: Page): Promise<void> {
  const drawer = page.locator('dialog.drawer')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.locator('.decisions').getByRole('button', { name: 'Reject' }).click()
  await page.getByLabel('Reason').fill('Only to see the way.')
  await page.locator('dialog').last().getByRole('button', { name: 'Reject' }).click()
  await drawer.locator('.badge', { hasText: 'rejected' }).first().waitFor()
}
