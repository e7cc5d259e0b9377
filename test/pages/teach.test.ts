import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import type { Phone } from '@apprentice/phone/phone.ts'
import { readUnits } from '../teach/teaching.ts'
import { browserPath } from './browser.ts'
import { tapOn } from './live-phone.ts'
import { type OpenDashboard, openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const NOTES = 'org.apprentice.notes'
const SETTINGS = 'com.android.settings'

test.skipIf(browserPath === undefined)(
  'a note is taught with mouse and keyboard, and a network with a chosen app; both run with other values',
  { timeout: TIMEOUT_MS },
  async () => {
    const opened = await openDashboard()
    const { page, phone, problems } = opened
    await startLesson(page, 'Add a note')
    await tapOn(page, phone, 'Notes')
    await tapOn(page, phone, 'New note')
    await typeInto(page, phone, 'title', 'Dentist')
    await typeInto(page, phone, 'body', 'Tuesday at nine')
    await tapOn(page, phone, 'Save')
    await page.locator('.understood', { hasText: 'Dentist' }).locator('.proof').first().waitFor()
    await page.getByRole('button', { name: 'This proves it' }).click()
    await page.getByText('Now click the element on the phone.').waitFor()
    // The page knows the elements of the list by now, and not only those of the form before it.
    await page.getByRole('button', { name: /^Tap New note/ }).waitFor()
    const before = phone.touches()
    await tapOn(page, phone, 'Dentist')
    await page.locator('.marks li', { hasText: 'Dentist' }).waitFor()
    expect(phone.touches()).toBe(before)
    await page.locator('.film-step').nth(4).waitFor()
    await renameLastStep(page, 'Save the note')
    await finishLesson(page)
    await installAndRun(page, { title: 'Groceries for Friday', body: 'Eggs' })
    const { notes } = phone.state(NOTES).saved as { notes: { title: string; body: string }[] }
    expect(notes).toContainEqual(expect.objectContaining({ title: 'Groceries for Friday', body: 'Eggs' }))

    await page.goto(new URL('/learn/new', page.url()).href)
    await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
    await page.getByText('Choose apps').click()
    await page.locator('.app-list').getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Goal').fill('Connect to a network')
    await page.getByRole('button', { name: 'Start the lesson' }).click()
    await page.locator('#banner', { hasText: SETTINGS }).waitFor()
    await page.getByRole('button', { name: 'Home', exact: true }).click()
    await tapOn(page, phone, 'Settings')
    await tapOn(page, phone, 'Network & internet')
    await tapOn(page, phone, 'Office')
    await page.locator('.understood', { hasText: 'Office' }).waitFor()
    await finishLesson(page)
    await installAndRun(page, { network: 'Cafe Guest' })
    expect(phone.state(SETTINGS).saved).toMatchObject({ network: 'Cafe Guest' })
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the temperature of a unit is taught and run with the keyboard only',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, phone, problems } = await openDashboard()
    await press(page, 'Learn')
    await press(page, (text) => text.startsWith('Demonstrating Skill'))
    await tabTo(page, 'Goal')
    await page.keyboard.type('Set the temperature of a unit')
    await press(page, 'Start the lesson')
    await page.locator('.screen[data-frame]').waitFor()
    for (const name of ['Climate', 'Lobby', '+', 'Save']) await tapByKey(page, phone, name)
    await page.getByRole('button', { name: 'Tap Cancel' }).waitFor()
    await press(page, (text) => text.startsWith('Tap Save'))
    await page.locator('.understood .proof').first().waitFor({ timeout: 120_000 })
    await press(page, 'Done')
    await page.locator('dialog.drawer .decisions').waitFor({ timeout: 120_000 })
    await press(page, 'Test')
    await page.locator('.tests .badge', { hasText: 'passed' }).waitFor({ timeout: 120_000 })
    await press(page, 'Install privately')
    await press(page, 'Run it')
    await tabTo(page, 'unit')
    await page.keyboard.type('Kitchen')
    await tabTo(page, 'temperature')
    await page.keyboard.type('24')
    await page.keyboard.press('Enter')
    await page.locator('.run-result .badge', { hasText: 'success' }).waitFor({ timeout: 120_000 })
    expect(readUnits({ phone }).find(({ name }) => name === 'Kitchen')?.temperature).toBe(24)
    expect(problems).toEqual([])
  },
)

async function startLesson(page: Page, goal: string): Promise<void> {
  await page.getByRole('link', { name: 'Learn', exact: true }).click()
  await page.getByRole('button', { name: 'Demonstrating Skill' }).click()
  await page.getByLabel('Goal').fill(goal)
  await page.getByRole('button', { name: 'Start the lesson' }).click()
  await page.getByRole('heading', { name: goal }).waitFor()
  await page.locator('.screen[data-frame]').waitFor()
}

/** Clicks a field on the phone and types with the keyboard of the computer. */
async function typeInto(page: Page, phone: Phone, id: string, text: string): Promise<void> {
  const find = () => phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(`/${id}`))
  await vi.waitFor(() => expect(find()).toBeDefined(), { timeout: 120_000 })
  const { left, top, right, bottom } = find()?.bounds ?? { left: 0, top: 0, right: 0, bottom: 0 }
  // The canvas has its size from the first picture on.
  await page.locator('.screen[data-frame]').waitFor()
  const canvas = page.locator('.screen canvas')
  const width = Number(await canvas.getAttribute('width'))
  const box = await page.locator('.screen').boundingBox()
  if (box === null) throw new Error('the page shows no phone')
  const scale = box.width / width
  await page.mouse.click(box.x + ((left + right) / 2) * scale, box.y + ((top + bottom) / 2) * scale)
  await vi.waitFor(() => expect(find()?.focused).toBe(true), { timeout: 120_000 })
  await page.keyboard.type(text)
  await vi.waitFor(() => expect(find()?.text).toBe(text), { timeout: 120_000 })
}

async function renameLastStep(page: Page, words: string): Promise<void> {
  await page
    .getByRole('button', { name: /^Rename the step/ })
    .last()
    .click()
  await page.getByLabel('Words of this step').fill(words)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('.film-step', { hasText: words }).waitFor()
}

/** Done leads to the review, by way of questions if there are some. */
async function finishLesson(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Done' }).click()
  const drawer = page.locator('dialog.drawer .decisions')
  const questions = page.locator('form.questions')
  await drawer.or(questions).first().waitFor({ timeout: 120_000 })
  if (await questions.isVisible()) {
    await questions.locator('input[type=radio]').first().check()
    await questions.getByRole('button', { name: 'Answer and go on' }).click()
  }
  await drawer.waitFor({ timeout: 120_000 })
}

async function installAndRun(page: OpenDashboard['page'], values: Readonly<Record<string, string>>): Promise<void> {
  const drawer = page.locator('dialog.drawer')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor({ timeout: 120_000 })
  await drawer.getByRole('button', { name: 'Install privately' }).click()
  await drawer.getByRole('link', { name: 'Run it' }).click({ timeout: 120_000 })
  const form = page.locator('.run-form')
  for (const [name, value] of Object.entries(values)) {
    const field = form.locator(`[name^="${name}"]`)
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
    else await field.fill(value)
  }
  await form.getByRole('button', { name: 'Run' }).click()
  await page.locator('.run-result .badge', { hasText: 'success' }).waitFor({ timeout: 120_000 })
}

const MAX_TABS = 150
const READ_FOCUS = `(() => {
  const focused = document.activeElement
  return focused.getAttribute('aria-label') ?? focused.labels?.[0]?.querySelector('.field-label')?.textContent ?? focused.textContent.trim()
})()`

type Name = string | ((text: string) => boolean)

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: Name): Promise<void> {
  const isMeant = typeof name === 'string' ? (text: string) => text === name : name
  await vi.waitFor(
    async () => {
      for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
        if (isMeant(await page.evaluate<string>(READ_FOCUS))) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not lead to ${String(name)}`)
    },
    { timeout: 120_000, interval: 250 },
  )
}

async function press(page: Page, name: Name): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Taps an element of the phone by its button over the picture, once the phone shows it. */
async function tapByKey(page: Page, phone: Phone, name: string): Promise<void> {
  await vi.waitFor(
    () =>
      expect(
        phone.screenNodes().some(({ text }) => text === name),
        name,
      ).toBe(true),
    {
      timeout: 120_000,
    },
  )
  await press(page, (text) => text.startsWith(`Tap ${name}`))
}
