import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIMATE, open, tap } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { type FilledHome, fillHome } from './filled-home.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000

let home: FilledHome
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath !== undefined) home = await fillHome({ whenOver: (end) => ends.push(end) })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const goTo = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

async function fillSetup(page: Page, mode: string, goal: string): Promise<Locator> {
  await goTo(page, '/learn/new')
  await page.getByRole('button', { name: mode }).click()
  const form = page.getByRole('form', { name: mode })
  await form.getByLabel('Goal').fill(goal)
  return form
}

/** The places of the visible buttons, by name. */
const READ_PLACES = `Object.fromEntries([...document.querySelectorAll('main button')].flatMap((button) => {
  const { left, top, right, bottom } = button.getBoundingClientRect()
  return right > left ? [[button.textContent.trim(), { left, top, right, bottom }]] : []
}))`

interface Place {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const doOverlap = (a: Place, b: Place): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

test.skipIf(browserPath === undefined)(
  'an installed lesson is neither active nor pending, and its history has one state',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(undefined, home.daemon)
    await goTo(page, '/learn/pending')
    await page.locator('.pending li').first().waitFor()
    expect(await page.locator('.pending strong').allTextContents()).toEqual([expect.stringContaining('room')])
    await goTo(page, '/learn/history')
    const row = page.locator('.history li', { hasText: 'emperature' })
    expect(await row.locator('.badge').allTextContents()).toEqual(['installed privately'])
    await goTo(page, '/learn/active')
    await page.locator('main').locator('.lesson, .empty').first().waitFor()
    expect(await page.locator('main').getByText('emperature of a unit').count()).toBe(0)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a coached lesson and an improvement lead to a review; a lesson under way is named with a link, and cancelling has a place of its own',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(undefined, home.daemon)
    await (await fillSetup(page, 'Coaching Agent', 'Open the lobby')).getByRole('button', { name: 'Start' }).click()
    await page.locator('.stepper [aria-current]', { hasText: 'Show' }).waitFor()
    await page.locator('.lesson-menu summary').click()
    const cancel = await page.getByRole('button', { name: 'Cancel session' }).boundingBox()
    if (cancel === null) throw new Error('the lesson cannot be cancelled')
    const { x, y, width, height } = cancel
    const forbidden = { left: x, top: y, right: x + width, bottom: y + height }
    await page.keyboard.press('Escape')
    await home.act(open(CLIMATE), tap('Lobby'))

    const other = await page.context().newPage()
    await other.goto(new URL('/learn/new?mode=demonstrating_skill', page.url()).href)
    await other.getByRole('link', { name: 'Open that lesson' }).click()
    await other.getByRole('heading', { name: 'Open the lobby' }).waitFor()
    await other.close()

    await page.reload()
    await page.locator('.film-step').first().waitFor()
    const { ['Cancel session']: _, ...places } = await page.evaluate<Record<string, Place>>(READ_PLACES)
    expect(Object.keys(places)).toContain('Done')
    expect(Object.entries(places).filter(([, place]) => doOverlap(place, forbidden))).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await page.locator('dialog.drawer .decisions').waitFor()

    const form = await fillSetup(page, 'Improving Existing Skill', 'Set the temperature of a unit')
    await form.locator('select').first().selectOption(home.ability)
    await form.getByRole('button', { name: 'Start' }).click()
    await page.locator('.stepper [aria-current]', { hasText: 'Show' }).waitFor()
    await home.act(open(CLIMATE), tap('Kitchen'), tap({ contentDescEquals: 'Warmer' }))
    await home.act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    await page.getByRole('button', { name: 'Done' }).click()
    await page.locator('dialog.drawer .decisions').waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'practice searches on the phone and leads to a review; rows of a list have names of their own, and a selector is copied',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(undefined, home.daemon)
    const form = await fillSetup(page, 'Autonomous Agent Practice', 'Open the Battery screen')
    await form.getByText('Choose apps').click()
    await form.locator('.app-list').getByRole('button', { name: 'Settings' }).click()
    await form.getByRole('button', { name: 'Start practising' }).click()
    await page.getByRole('link', { name: 'Review what it found' }).click()
    await page.locator('dialog.drawer .decisions').waitFor()

    await home.act(open(CLIMATE))
    await goTo(page, '/devices')
    await page.getByRole('button', { name: /^Tap Lobby/ }).waitFor()
    const names = await page.locator('.targets button').evaluateAll((all) => all.map((one) => one.ariaLabel))
    expect(names.length).toBeGreaterThan(4)
    expect(new Set(names).size).toBe(names.length)

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Inspect elements' }).click()
    await page.getByLabel('Search the tree').fill('Lobby')
    await page.locator('.tree button').first().click()
    await page.getByRole('button', { name: 'Copy selector' }).click()
    await page.getByText('Copied.').waitFor()
    const selector = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as Record<string, string>
    const [value = '', ...others] = Object.values(selector)
    expect([await page.locator('.attributes dl').textContent(), others]).toEqual([expect.stringContaining(value), []])
    expect(problems).toEqual([])
  },
)
