import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { Phone } from '@apprentice/phone/phone.ts'
import { CLIMATE, open, tap, type TeachingSetup } from '../teach/teaching.ts'
import { tapOn } from './live-phone.ts'

export const showTemperature = async ({ act }: Pick<TeachingSetup, 'act'>): Promise<void> => {
  await act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
  await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
}

export async function beginLesson(
  page: Page,
  card: string,
  goal: string,
  { app }: { app?: string } = {},
): Promise<void> {
  await page.goto(new URL('/learn/new', page.url()).href)
  await page.getByRole('button', { name: card }).click()
  if (app !== undefined) {
    await page.getByText('Choose apps').click()
    await page.locator('.app-list').getByRole('button', { name: app }).click()
  }
  await page.getByLabel('Goal').fill(goal)
  await page.getByRole('button', { name: app === undefined ? 'Start the lesson' : 'Start practising' }).click()
  await page.getByRole('heading', { name: goal }).waitFor()
}

/** Makes a unit warmer on the phone, saves and confirms. */
export async function changeUnit(page: Page, phone: Phone): Promise<void> {
  await page.getByRole('button', { name: 'Home', exact: true }).click()
  await waitForText(phone, 'Notes')
  await tapOn(page, phone, 'Climate')
  await page.getByRole('button', { name: /^Tap Lobby/ }).waitFor()
  const names = await page.locator('.targets button').evaluateAll(READ_NAMES)
  expect(names.length).toBeGreaterThan(8)
  expect(new Set(names).size, names.join(' | ')).toBe(names.length)
  for (const label of ['Lobby', 'Warmer', 'Save']) await tapOn(page, phone, label)
  await waitForText(phone, 'Cancel')
  await tapOn(page, phone, 'Save')
  await page.locator('.film-step').nth(4).waitFor()
}

const waitForText = (phone: Phone, wanted: string): Promise<void> =>
  vi.waitFor(() => expect(phone.screenNodes().map(({ text }) => text)).toContain(wanted), { timeout: 120_000 })

/** The review opens, by way of questions if there are some. */
export async function expectReview(page: Page): Promise<void> {
  const decisions = page.locator('dialog.drawer .decisions')
  const questions = page.locator('form.questions')
  await decisions.or(questions).first().waitFor()
  if (await questions.isVisible()) {
    await questions.locator('input[type=radio]').first().check()
    await questions.getByRole('button', { name: 'Answer and go on' }).click()
  }
  await decisions.waitFor()
}

/** Runs in the page. */
const READ_NAMES = (targets: readonly unknown[]): (string | null)[] =>
  (targets as { getAttribute(name: string): string | null }[]).map((target) => target.getAttribute('aria-label'))
