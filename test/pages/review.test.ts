import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { CLIMATE, ok, open, startTeaching, tap, readUnits } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000

/** Demonstrates how a unit is set and opens the pending draft. */
async function openDraft() {
  const room = await startTeaching()
  const id = await room.demonstrate({
    goal: 'Set the temperature of a unit',
    show: async ({ act }) => {
      await act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
      await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    },
  })
  await ok(room.daemon, `/api/learn/sessions/${id}/generate-proposal`)
  const opened = await openDashboard(undefined, room.daemon)
  await opened.page.getByRole('link', { name: 'Learn', exact: true }).click()
  await opened.page.getByRole('link', { name: 'Pending Abilities' }).click()
  await opened.page.locator('.pending a').click()
  return { room, row: opened.page.locator('dialog.drawer'), ...opened }
}

test.skipIf(browserPath === undefined)(
  'a draft is reviewed, tested and installed on the page, and then run for another unit',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, row, page, problems } = await openDraft()
    await row.locator('h4', { hasText: 'Inputs' }).waitFor()
    expect(await row.locator('.review').textContent()).toContain('example: “Lobby”')
    await row.locator('.markdown :is(h5, h6)').first().waitFor()
    await row.locator('.reviewed-steps .screen-picture').first().waitFor()
    await row.getByRole('button', { name: 'Source text' }).click()
    await row.locator('pre', { hasText: 'name:' }).waitFor()
    expect(await row.getByRole('button', { name: 'Install privately' }).count()).toBe(0)

    const touches = room.phone.touches()
    await row.getByRole('button', { name: 'Allow a real run and rehearse' }).click()
    await row.locator('.tests .badge', { hasText: 'passed' }).waitFor({ timeout: 120_000 })
    expect(room.phone.touches()).toBeGreaterThan(touches)
    const before = readUnits(room)
    await row.getByRole('button', { name: 'Install privately' }).click()
    await row.getByText('The ability is installed.').waitFor({ timeout: 120_000 })
    expect(await row.locator('.review > header .badge').textContent()).toBe('installed privately')
    expect(readUnits(room)).toEqual(before)
    expect(await row.getByText('Changes in').count()).toBe(0)

    await row.getByRole('link', { name: 'Run it' }).click()
    await runFor(page, { unit: 'Kitchen', temperature: '24' })
    await page.locator('.run-result .badge', { hasText: 'success' }).waitFor({ timeout: 120_000 })
    expect(await page.locator('.run-result').textContent()).toContain('24')
    expect(readUnits(room)).toEqual(
      before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 24 } : unit)),
    )

    await runFor(page, { unit: 'Nowhere', temperature: '24' })
    await page.locator('.run-result .badge', { hasText: 'failed' }).waitFor({ timeout: 120_000 })
    await page.locator('.ability .tabs').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.locator('.ability .badge', { hasText: 'disabled' }).waitFor()
    await page.getByRole('link', { name: 'Skills', exact: true }).first().click()
    await page.getByRole('button', { name: 'Imported' }).click()
    await page.getByText('No skills match this filter.').waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a draft is rejected with a reason and not without one',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, row, page, problems } = await openDraft()
    await row.getByRole('button', { name: 'Test', exact: true }).click()
    await row.getByRole('button', { name: 'Reject' }).click({ timeout: 120_000 })
    const dialog = page.getByRole('dialog', { name: 'Reject this draft?' })
    await dialog.getByRole('button', { name: 'Reject' }).click()
    expect(await dialog.locator('textarea:invalid').count()).toBe(1)
    await dialog.getByLabel('Reason').fill('   ')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await dialog.getByText('Write something here.').waitFor()
    await dialog.getByLabel('Reason').fill('The wrong workflow')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await row.locator('.review > header .badge', { hasText: 'rejected' }).waitFor()
    expect(await row.locator('.decisions').count()).toBe(0)
    expect(problems).toEqual([])
    const { proposals } = (await room.daemon.get('/api/learn/proposals')).json<{
      proposals: object[]
    }>()
    expect(proposals).toMatchObject([{ proposal_state: 'rejected' }])
  },
)

async function runFor(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  const form = page.locator('.run-form')
  for (const [name, value] of Object.entries(values)) {
    await form.locator(`[name^="${name}"]`).fill(value)
  }
  await form.getByRole('button', { name: 'Run' }).click()
}
