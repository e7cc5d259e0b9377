import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import type { AbilityVersion } from '@apprentice/contracts/abilities/installs.ts'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import type { CapturedStepView } from '@apprentice/contracts/learn/understanding.ts'
import { FAULTS } from '../install/faults.ts'
import { CLIMATE, ok, open, readUnits, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { showTemperature } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const PATIENCE = { timeout: 120_000 }
const GOAL = 'Change the temperature of a unit'

/** One daemon with one ability for all tests of this file. A user has one lesson at a time, so each test ends its own. */
let room: TeachingSetup
let ability: string
let failed: AbilityRun
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath === undefined) return
  room = await startTeaching({ realTime: true, whenOver: (end) => ends.push(end) })
  ability = await room.install(await room.demonstrate({ goal: GOAL, show: showTemperature }))
  failed = await room.run(ability, { unit: 'Nowhere', temperature: 22 })
})
afterEach(async () => {
  if (browserPath === undefined) return
  const { sessions } = (await room.daemon.get('/api/learn/sessions')).json<{ sessions: LearnSession[] }>()
  for (const { learn_session_id, proposal_id, state } of sessions) {
    if (state === 'ready_for_review') {
      await ok(room.daemon, `/api/learn/proposals/${proposal_id}/reject`, { reason: 'The test is over.' })
    } else await room.daemon.post(`/api/learn/sessions/${learn_session_id}/cancel`, {})
  }
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const improving = () => ({
  entry_mode: 'improving_existing_skill',
  target_kind: 'existing_skill',
  target_skill_id: ability,
})

/** Drafts an improvement from a demonstration like the one before. */
async function draftImprovement(): Promise<string> {
  const lesson = await room.demonstrate({ goal: GOAL, show: showTemperature, session: improving() })
  const url = `/api/learn/sessions/${lesson}/generate-proposal`
  return (await ok<{ proposal_id: string }>(room.daemon, url)).proposal_id
}

/** Installs an improvement with these phrases as the newest version. */
async function installWith(trigger_phrases: readonly string[]): Promise<void> {
  const url = `/api/learn/proposals/${await draftImprovement()}`
  await ok(room.daemon, `${url}/revise`, { edited_fields: { trigger_phrases } })
  await ok(room.daemon, `${url}/validate`, { wait_ms: 60_000 })
  const { draft_hash } = (await room.daemon.get(`${url}/detail`)).json<ProposalDetail>()
  await ok(room.daemon, `${url}/approve`, { draft_hash })
}

const readAbility = async () => (await room.daemon.get(`/api/abilities/${ability}/availability`)).json<AbilityDetail>()

const goTo = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

test.skipIf(browserPath === undefined)(
  'a draft is revised, renamed and tested again, compared with what was before it, and tested once more on request',
  { timeout: TIMEOUT_MS },
  async () => {
    const proposal = await draftImprovement()
    const { page, problems } = await openDashboard(undefined, room.daemon)
    await goTo(page, `/learn/pending/${proposal}`)
    const drawer = page.locator('dialog.drawer')

    // A person who asks with the words of the title must find the skill; these phrases have none of them.
    await revise(page, { 'Phrases it is used for': 'make it cosy\nheat everything' })
    await drawer.getByText('Revision 2').waitFor()
    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.locator('.tests .badge', { hasText: 'failed' }).waitFor()
    await drawer.locator('.tests li', { hasText: `Finds the skill: ${GOAL.toLowerCase()} (` }).waitFor()
    expect(await drawer.getByRole('button', { name: 'Install privately' }).count()).toBe(0)
    expect(await drawer.getByRole('button', { name: 'Approve' }).count()).toBe(0)

    await revise(page, {
      Name: 'Warm a unit',
      'Name of the input temperature': 'degrees',
      'What temperature means': 'How warm it will be',
      'Phrases it is used for': `${GOAL}\nwarm a unit\nset the heating of a unit`,
      'Reason for the change': 'People say it like this.',
    })
    await drawer.getByRole('heading', { name: 'Warm a unit' }).first().waitFor()
    const inputs = drawer.locator('.part', { hasText: /^Inputs/ }).locator('li')
    await inputs.filter({ hasText: /degrees.*How warm it will be/ }).waitFor()
    expect(await inputs.filter({ hasText: 'unit' }).count()).toBe(1)
    const third = drawer.locator('.history-part li', { hasText: 'Revision 3' })
    await third.getByText('People say it like this.').waitFor()
    await openFold(third, 'Difference from revision 2: SKILL.md')
    await third.locator('.added', { hasText: 'set the heating of a unit' }).first().waitFor()
    await third.locator('.removed', { hasText: 'make it cosy' }).first().waitFor()
    await openFold(drawer, 'Changes in SKILL.md')
    const changes = drawer.locator('details', { hasText: 'Changes in SKILL.md' })
    await changes.getByText('Difference from version 1').waitFor()
    await changes.locator('.added', { hasText: 'set the heating of a unit' }).first().waitFor()
    expect(await changes.getByText('make it cosy').count()).toBe(0)

    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    const runs = drawer.locator('.history-part > ul > li')
    await vi.waitFor(async () => expect(await runs.count()).toBe(2), PATIENCE)
    await drawer.getByRole('button', { name: 'Request more tests' }).click()
    await vi.waitFor(async () => expect(await runs.count()).toBe(3), PATIENCE)
    await vi.waitFor(
      async () =>
        expect((await runs.locator('.badge').allTextContents()).toSorted()).toEqual(['failed', 'passed', 'passed']),
      PATIENCE,
    )
    expect(await readAbility()).toMatchObject({ title: GOAL, current_version: 1 })
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a rehearsal follows the policy of its form, an installation that stops displays its step and goes on, and is approved',
  { timeout: TIMEOUT_MS },
  async () => {
    const proposal = await draftImprovement()
    const { page, problems } = await openDashboard(undefined, room.daemon)
    await goTo(page, `/learn/pending/${proposal}`)
    const drawer = page.locator('dialog.drawer')
    await drawer.getByText('only checks that touch nothing').waitFor()
    await drawer.locator('.policy').getByRole('button', { name: 'Change' }).click()
    const form = page.getByRole('dialog', { name: 'Test policy' })
    await form.getByLabel('What the test may do').selectOption('controlled_live_test')
    await form.getByLabel('Actions at most').fill('33')
    await form.getByLabel('Forbid deleting').uncheck()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await drawer.getByText('It does the workflow for real, once. At most 33 actions.').waitFor()
    const session = await readSessionOf(proposal)
    expect(session.test_policy).toMatchObject({
      mode: 'controlled_live_test',
      max_actions: 33,
      forbid_destructive_writes: false,
      forbid_external_send: true,
    })
    // The demonstrated values are on the phone already: with others the draft has something to do.
    const shown = readUnits(room)
    const values = drawer.locator('.rehearse form')
    await values.getByLabel('unit').fill('Kitchen')
    await values.getByLabel('temperature').fill('25')
    await drawer.getByRole('button', { name: 'Rehearse on the phone' }).click()
    await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
    const units = shown.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 25 } : unit))
    expect(units).not.toEqual(shown)
    expect(readUnits(room)).toEqual(units)

    const fault = FAULTS.find(({ step }) => step === 'finish')
    if (fault === undefined) throw new Error('no fault at the last step')
    const saga = drawer.locator('.saga')
    const { current_version } = await readAbility()
    await fault.arrange(room.daemon)
    try {
      await drawer.getByRole('button', { name: 'Install privately' }).click()
      await saga.locator('li.failed', { hasText: 'Store the receipts' }).waitFor()
      expect(await saga.locator('li.reached').count()).toBe(4)
      await saga.getByText('It is installed, but a later step failed').waitFor()
      expect(await drawer.getByText('The ability is installed.').count()).toBe(0)
    } finally {
      await fault.repair(room.daemon)
    }
    await drawer.getByRole('button', { name: 'Install privately' }).click()
    await drawer.getByText('The ability is installed.').waitFor()
    await saga.waitFor({ state: 'detached' })
    expect(problems.splice(0)).toEqual([expect.stringContaining(`${proposal}/install`)])

    expect(await readAbility()).toMatchObject({ install_lane: 'experimental_private' })
    await drawer.getByRole('button', { name: 'Approve' }).click()
    await drawer.locator('.review > header .badge', { hasText: 'approved' }).waitFor()
    await vi.waitFor(
      async () => expect(await readAbility()).toMatchObject({ install_lane: 'approved_workspace', usable_now: true }),
      PATIENCE,
    )
    expect((await readAbility()).current_version).toBeGreaterThan(current_version)
    expect(readUnits(room)).toEqual(units)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a failed run leads to a lesson that improves its ability and names the step that failed',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(undefined, room.daemon)
    const { title } = await readAbility()
    expect(failed.state).toBe('failed')
    await goTo(page, `/runs/${failed.run_id}`)
    await page.getByRole('button', { name: 'Improve from this run' }).click()
    await page.waitForURL('**/learn/active')
    await page.locator('.lesson-head').getByRole('heading', { name: title }).waitFor()
    await page.locator('.lesson-head').getByText('Improving Existing Skill').waitFor()
    await page.locator('.timeline').getByText(`Drift: ${failed.trouble?.step_id}`).waitFor()
    const [session] = (await room.daemon.get('/api/learn/sessions')).json<{ sessions: LearnSession[] }>().sessions
    expect(session).toMatchObject({ ...improving(), device_serial: failed.serial })

    await page.getByRole('group', { name: 'Session controls' }).getByRole('button', { name: 'Start' }).click()
    await page.locator('.screen[data-frame]').waitFor()
    await showTemperature(room)
    await page.locator('.film-step').nth(4).waitFor()
    await page.locator('.lesson-menu summary').click()
    await page.getByRole('button', { name: 'Cancel session' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel session' }).click()
    await page.locator('.lesson-head .badge', { hasText: 'cancelled' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a captured step is removed from a lesson once it was confirmed, and the lesson is understood without it',
  { timeout: TIMEOUT_MS },
  async () => {
    const made = { entry_mode: 'demonstrating_skill', observation_mode: 'outside_agent' }
    const { session } = await ok<{ session: { learn_session_id: string } }>(room.daemon, '/api/learn/sessions', {
      ...made,
      device_serial: room.phone.serial,
    })
    const url = `/api/learn/sessions/${session.learn_session_id}`
    await ok(room.daemon, `${url}/start`)
    await ok(room.daemon, `${url}/mark-goal`, { goal_description: GOAL })
    await room.act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
    const readSteps = async () => (await room.daemon.get(`${url}/steps`)).json<{ steps: CapturedStepView[] }>().steps
    const before = await readSteps()
    const words = before.at(-1)?.words ?? ''
    expect(before.filter((step) => step.words === words)).toHaveLength(1)

    const { page, problems } = await openDashboard(undefined, room.daemon)
    await goTo(page, '/learn/active')
    const film = page.locator('.film-step')
    await film.nth(before.length - 1).waitFor()
    await page.locator('.understood', { hasText: 'temperature' }).waitFor()
    const remove = page.getByRole('button', { name: `Remove the step: ${words}`, exact: true })
    await remove.click()
    const dialog = page.getByRole('dialog', { name: 'Remove this step?' })
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await readSteps()).toEqual(before)

    await remove.click()
    await dialog.getByRole('button', { name: 'Remove the step' }).click()
    await remove.waitFor({ state: 'detached' })
    expect((await readSteps()).map(({ event_id }) => event_id)).toEqual(
      before.slice(0, -1).map(({ event_id }) => event_id),
    )
    await page.reload()
    await film.nth(before.length - 2).waitFor()
    expect(await film.count()).toBe(before.length - 1)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'versions are compared, an earlier one is restored, and the ability is exported, quarantined, released and removed',
  { timeout: TIMEOUT_MS },
  async () => {
    const phrase = 'adjust the temperature of a unit'
    // Version 1 is then not the one before the newest.
    await installWith([GOAL, 'alter the temperature of a unit'])
    await installWith([GOAL, phrase])
    const readVersions = async () =>
      (await room.daemon.get(`/api/abilities/${ability}/versions`)).json<{ versions: AbilityVersion[] }>().versions
    const newest = (await readAbility()).current_version
    expect((await readAbility()).trigger_phrases).toContain(phrase)

    const { page, problems } = await openDashboard(undefined, room.daemon)
    await goTo(page, `/skills/${ability}/versions`)
    const row = (version: number) => page.locator('.rows > li', { hasText: `What version ${version} changed` })
    await row(newest).getByText('current').waitFor()
    expect(await row(newest).getByRole('button').count()).toBe(0)
    await row(newest).getByText(`What version ${newest} changed`).click()
    await row(newest).locator('.diff .added', { hasText: phrase }).first().waitFor()
    await row(1).getByText('What version 1 changed').click()
    await row(1).getByText('This is the first version.').waitFor()
    await page.getByRole('button', { name: 'Go back to version 1', exact: true }).click()
    await row(newest + 1)
      .getByText('restored from version 1')
      .waitFor()
    await row(newest + 1)
      .getByText('current')
      .waitFor()
    expect((await readVersions()).find(({ current }) => current)).toMatchObject({
      version: newest + 1,
      restored_from: 1,
    })
    expect((await readAbility()).trigger_phrases).not.toContain(phrase)

    const tabs = page.locator('.ability .tabs')
    await tabs.getByRole('link', { name: 'Settings' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as a bundle' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/\.zip$/)
    const bundle = readFileSync(await file.path(), 'latin1')
    expect(bundle.slice(0, 2)).toBe('PK')
    expect(bundle).toContain('SKILL.md')

    await page.getByRole('button', { name: 'Quarantine', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('It did something strange.')
    await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click()
    await page.locator('.ability .badge', { hasText: 'quarantine' }).first().waitFor()
    expect(await readAbility()).toMatchObject({ install_lane: 'quarantined', usable_now: false })
    await tabs.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Release from quarantine' }).click()
    await page.getByRole('button', { name: 'Quarantine', exact: true }).waitFor()
    expect((await readAbility()).install_lane).not.toBe('quarantined')
    expect(problems).toEqual([])

    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await room.daemon.get(`/api/abilities/${ability}/availability`)).statusCode).toBe(200)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No skills are installed yet.').waitFor()
    expect((await room.daemon.get(`/api/abilities/${ability}/availability`)).statusCode).toBe(404)
    // The page of the ability may read it once more before it is left.
    expect(problems.filter((text) => !text.includes('404'))).toEqual([])
  },
)

async function revise(page: Page, words: Readonly<Record<string, string>>): Promise<void> {
  await page.locator('dialog.drawer .decisions').getByRole('button', { name: 'Revise' }).click()
  const form = page.getByRole('dialog', { name: 'Revise the draft' })
  for (const [label, text] of Object.entries(words)) await form.getByLabel(label).first().fill(text)
  await form.getByRole('button', { name: 'Revise' }).click()
  await form.waitFor({ state: 'detached' })
}

const openFold = (within: Locator, title: string): Promise<void> =>
  within.locator('summary', { hasText: title }).first().click()

async function readSessionOf(proposalId: string): Promise<LearnSessionDetail> {
  const { proposal } = (await room.daemon.get(`/api/learn/proposals/${proposalId}/detail`)).json<ProposalDetail>()
  return (await room.daemon.get(`/api/learn/sessions/${proposal.learn_session_id}/detail`)).json<LearnSessionDetail>()
}
