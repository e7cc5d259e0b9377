import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { CLIMATE, open, startTeaching, tap } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { showTemperature } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'
import { findEnglishTexts } from './page-texts.ts'

const TIMEOUT_MS = 600_000
const GOAL = 'Change the temperature of a unit'

async function openGermanDashboard() {
  const room = await startTeaching()
  const opened = await openDashboard({ width: 1280, height: 1500 }, room.daemon)
  await opened.page.getByRole('button', { name: 'Deutsch' }).click()
  await opened.page.locator('html[lang=de]').waitFor()
  return { room, ...opened }
}

/** Opens everything that is folded, and expects no words of the daemon in English. */
async function expectGerman(page: Page, where: string): Promise<void> {
  await page.evaluate("document.querySelectorAll('main details, dialog details').forEach((one) => { one.open = true })")
  expect(await findEnglishTexts(page, [GOAL, GOAL.toLowerCase(), 'the temperature of a unit']), where).toEqual([])
}

test.skipIf(browserPath === undefined)(
  'in German a lesson, its timeline, its review, its tests and its runs say nothing in English',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, page, problems } = await openGermanDashboard()
    await page.goto(new URL('/learn/new', page.url()).href)
    await page.getByRole('button', { name: /^Vorführen/ }).click()
    await page.getByLabel('Ziel').fill(GOAL)
    await page.getByRole('button', { name: 'Lektion beginnen' }).click()
    await page.getByRole('heading', { name: GOAL }).waitFor()
    await showTemperature(room)
    await page.locator('.film-step').nth(4).waitFor()
    await page.locator('.film-words', { hasText: '„Lobby“ antippen' }).waitFor()
    await page.locator('.understood').getByText('„unit“ wie angegeben wählen').waitFor()
    await page.locator('.understood').getByText('„unit“ zeigt „temperature“ wie angegeben').waitFor()
    await expectGerman(page, 'lesson')

    await page.getByRole('button', { name: 'Fertig' }).click()
    const drawer = page.locator('dialog.drawer')
    await drawer.getByRole('button', { name: 'Testen', exact: true }).click()
    await drawer.locator('.tests .badge', { hasText: 'bestanden' }).waitFor()
    await expectGerman(page, 'review')
    await drawer.getByRole('button', { name: 'Privat installieren' }).click()
    await drawer.getByRole('link', { name: 'Ausführen' }).click()

    const form = page.locator('.run-form')
    await form.getByText('Der Name in der Liste: unit').waitFor()
    await form.locator('[name^="unit"]').fill('Nowhere')
    await form.locator('[name^="temperature"]').fill('24')
    await form.getByRole('button', { name: 'Ausführen' }).click()
    await page.locator('.run-result .badge', { hasText: 'fehlgeschlagen' }).waitFor()
    await expectGerman(page, 'run')
    await page.goto(new URL('/learn/history', page.url()).href)
    await page.locator('.rows.history > li').first().waitFor()
    await expectGerman(page, 'history')
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'in German a refusal names its field, and a failure of the daemon is said by its code',
  { timeout: TIMEOUT_MS },
  async () => {
    const { room, page } = await openGermanDashboard()
    const notice = page.locator('.notice').last()
    await page.goto(new URL('/settings/categories', page.url()).href)
    await page.getByRole('button', { name: '+ Neue Kategorie' }).click()
    await page.getByLabel('Name der Kategorie').fill('   ')
    await page.keyboard.press('Enter')
    await notice.getByText('Titel darf nicht leer sein.').waitFor()

    // The session ends behind the back of the page.
    const lesson = await room.demonstrate({ goal: GOAL, show: ({ act }) => act(open(CLIMATE), tap('Lobby')) })
    await page.goto(new URL('/learn/active', page.url()).href)
    const draft = page.getByRole('button', { name: 'Fähigkeit entwerfen' })
    await draft.waitFor()
    await page.route('**/generate-proposal', async (route) => {
      const json = { error: { code: 'DRAFT_CHANGED', message: 'The draft has changed.', retryable: false } }
      await route.fulfill({ status: 409, json })
    })
    await draft.click()
    await notice.getByText('Der Entwurf hat sich geändert, seit du ihn gelesen hast.').waitFor()
    await page.unroute('**/generate-proposal')
    await page.route('**/generate-proposal', async (route) => {
      const json = { error: { code: 'NOT_IN_THE_CATALOGUE', message: 'Something new happened.', retryable: false } }
      await route.fulfill({ status: 409, json })
    })
    await draft.click()
    await notice.getByText('Something new happened.').waitFor()
    expect((await room.daemon.post(`/api/learn/sessions/${lesson}/cancel`, {})).statusCode).toBe(200)
  },
)
