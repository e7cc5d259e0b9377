import { expect, test } from 'vitest'
import { startTeaching } from '../teach/teaching.ts'
import { AXE, findViolations } from './axe.ts'
import { browserPath } from './browser.ts'
import { showTemperature } from './lesson-steps.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000

test.skipIf(browserPath === undefined)(
  'the search opens abilities, phones and pages by the keyboard, on every page',
  { timeout: TIMEOUT_MS },
  async () => {
    const room = await startTeaching()
    await room.install(await room.demonstrate({ goal: 'Change the temperature of a unit', show: showTemperature }))
    const { page, problems } = await openDashboard(undefined, room.daemon)
    await page.addInitScript(AXE)
    await page.goto(new URL('/devices', page.url()).href)
    await page.locator('.screen[data-frame]').waitFor()
    const search = page.getByRole('dialog', { name: 'Search' })
    const find = async (words: string, title: string | RegExp): Promise<void> => {
      await page.keyboard.press('Control+K')
      await search.locator('input:focus').waitFor()
      await page.keyboard.type(words)
      await search.getByRole('option', { name: title, selected: true }).waitFor()
    }
    await find('change temp', /^Change the temperature of a unit/)
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Change the temperature of a unit' }).waitFor()
    await search.waitFor({ state: 'detached' })
    await find('demonstrating', 'Demonstrating Skill')
    await page.keyboard.press('Enter')
    await page.getByLabel('Goal').waitFor()
    await find('set', 'Settings')
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/learn/new')
    await page.getByRole('button', { name: /^Search/ }).click()
    await search.getByRole('combobox').fill('no such thing')
    await search.getByText('Nothing has this name.').waitFor()
    expect(await search.getByRole('option').count()).toBe(0)
    expect(problems).toEqual([])
  },
)
