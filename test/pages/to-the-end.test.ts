import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { AbilityVersion } from '@apprentice/contracts/abilities/installs.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { ok, readUnits, startTeaching, type TeachingSetup } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { changeUnit, expectReview, showTemperature } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
/** The whole phone is visible below the captured steps. */
const VIEWPORT = { width: 1280, height: 1500 }
const GOAL = 'Change the temperature of a unit'

const goTo = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

async function installAbility(): Promise<{ room: TeachingSetup; ability: string }> {
  const room = await startTeaching()
  return { room, ability: await room.install(await room.demonstrate({ goal: GOAL, show: showTemperature })) }
}

async function runFor(page: Page, unit: string, temperature: string): Promise<void> {
  const form = page.locator('.run-form')
  await form.locator('[name^="unit"]').fill(unit)
  await form.locator('[name^="temperature"]').fill(temperature)
  await form.getByRole('button', { name: 'Run' }).click()
}

test.skipIf(browserPath === undefined)(
  'a failed run is improved by showing it again: a draft, its review, the next version and a run of it',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, ability } = await installAbility()
    const { page, phone, problems } = await openDashboard(VIEWPORT, room.daemon)
    await goTo(page, `/skills/${ability}`)
    await runFor(page, 'Nowhere', '24')
    await page.locator('.run-result .badge', { hasText: 'failed' }).waitFor()
    await page.getByRole('button', { name: 'Improve from this run' }).click()
    await page.getByRole('heading', { name: GOAL }).waitFor()
    await page.locator('.timeline').getByText('failed with').waitFor()
    await page.getByRole('group', { name: 'Session controls' }).getByRole('button', { name: 'Start' }).click()
    await changeUnit(page, phone)
    await page.getByRole('button', { name: 'Done' }).click()
    await expectReview(page)
    const drawer = page.locator('dialog.drawer')
    await drawer.getByText('Stays as it is').waitFor()
    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    await drawer.getByRole('button', { name: 'Install privately' }).click()
    await drawer.getByRole('link', { name: 'Run it' }).click()
    await page.getByText('Version 2').first().waitFor()
    await runFor(page, 'Kitchen', '24')
    await page.locator('.run-result .badge', { hasText: 'success' }).waitFor()
    expect(readUnits(room).find(({ name }) => name === 'Kitchen')?.temperature).toBe(24)
    const { versions } = (await room.daemon.get(`/api/abilities/${ability}/versions`)).json<{
      versions: AbilityVersion[]
    }>()
    expect(new Set(versions.map(({ version }) => version))).toEqual(new Set([1, 2]))
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a rehearsal that breaks its policy puts the draft into quarantine, and revising it leads on',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    const session = await room.demonstrate({ goal: GOAL, show: showTemperature })
    const drafted = await ok<{ proposal_id: string }>(room.daemon, `/api/learn/sessions/${session}/generate-proposal`)
    const proposal = `/api/learn/proposals/${drafted.proposal_id}`
    // The policy check of one step is lost, as if the gate had failed.
    await room.daemon.system.store.write((tx) => {
      tx.db.exec(`CREATE TRIGGER unchecked AFTER INSERT ON policy_checks WHEN NEW.action_id = 'press_save'
        BEGIN DELETE FROM policy_checks WHERE position = NEW.position; END`)
    })
    const { page, problems } = await openDashboard(VIEWPORT, room.daemon)
    await goTo(page, `/learn/pending/${drafted.proposal_id}`)
    const drawer = page.locator('dialog.drawer')
    // Other values than those of the demonstration, so that something is done.
    await drawer.locator('.rehearse').getByLabel('Temperature').fill('25')
    await drawer.getByRole('button', { name: 'Allow a real run and rehearse' }).click()
    await drawer.locator('.review > header .badge', { hasText: 'quarantined' }).waitFor()
    await drawer.getByText('Step press_save was executed without a policy check.').first().waitFor()
    for (const action of ['Install privately', 'Approve', 'Test']) {
      expect(await drawer.getByRole('button', { name: action, exact: true }).count(), action).toBe(0)
    }
    await page.reload()
    await drawer.locator('.review > header .badge', { hasText: 'quarantined' }).waitFor()

    await room.daemon.system.store.write((tx) => {
      tx.db.exec('DROP TRIGGER unchecked')
    })
    await drawer.locator('.decisions').getByRole('button', { name: 'Revise' }).click()
    const form = page.getByRole('dialog', { name: 'Revise the draft' })
    await form.getByLabel('Name').first().fill('Warm a unit')
    await form.getByRole('button', { name: 'Revise' }).click()
    await drawer.getByRole('heading', { name: 'Warm a unit' }).first().waitFor()
    await drawer.locator('.rehearse').getByLabel('Temperature').fill('26')
    await drawer.locator('.rehearse').getByRole('button', { name: 'Rehearse on the phone' }).click()
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    const { proposal: ready } = (await room.daemon.get(`${proposal}/detail`)).json<ProposalDetail>()
    expect(ready.proposal_state).toBe('ready_for_review')
    expect(problems).toEqual([])
  },
)

/** Uploads a bundle and returns its row in the list of imports. */
async function upload(page: Page, file: string) {
  await goTo(page, '/import')
  await page.getByLabel('Bundle').setInputFiles(file)
  const row = page.locator('.imports > li').first()
  await row.locator('.badges').first().waitFor()
  return row
}

test.skipIf(browserPath === undefined)(
  'an exported bundle is imported elsewhere without a warning and runs there, and at home only its names are taken',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, ability } = await installAbility()
    const { page, problems } = await openDashboard(VIEWPORT, room.daemon)
    await goTo(page, `/skills/${ability}/settings`)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as a bundle' }).click()
    const file = await download
    const path = `${await file.path()}.zip`
    await file.saveAs(path)

    const elsewhere = await openDashboard(VIEWPORT)
    const row = await upload(elsewhere.page, path)
    await row.getByText('compatible', { exact: true }).waitFor()
    expect(await row.locator('.findings:is(.error, .warning)').count()).toBe(0)
    await row.getByRole('button', { name: 'Unpack for review' }).click()
    await row.getByRole('button', { name: 'Install privately' }).click()
    await row.locator('> .badge', { hasText: 'installed privately' }).waitFor()
    await row.getByRole('link', { name: 'Open the skill' }).click()
    await runFor(elsewhere.page, 'Kitchen', '24')
    await elsewhere.page.locator('.run-result .badge', { hasText: 'success' }).waitFor()
    expect(readUnits(elsewhere).find(({ name }) => name === 'Kitchen')?.temperature).toBe(24)

    const own = await upload(page, path)
    await own.getByText('not compatible').waitFor()
    const codes = await own.locator('.findings:is(.error, .warning) li > small').allTextContents()
    expect(codes.length).toBeGreaterThan(0)
    expect(codes.filter((code) => !/COLLISION|SHADOWS/.test(code))).toEqual([])
    expect(await own.getByRole('button', { name: 'Unpack for review' }).count()).toBe(0)
    expect([...problems, ...elsewhere.problems]).toEqual([])
  },
)
