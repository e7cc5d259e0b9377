import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { listUrls } from '@apprentice/contracts/base/route.ts'
import type { Daemon } from '../kit/daemon.ts'
import { CLIMATE, ok } from '../teach/teaching.ts'
import { buildBundle, buildZip } from '../skill-import/zip-builder.ts'
import { AXE, type Finding, findViolations } from './axe.ts'
import { browserPath, openBrowser } from './browser.ts'
import { type FilledHome, fillHome, listViews, UNKNOWN_PATH } from './filled-home.ts'
import { openDashboard } from './open-dashboard.ts'
import { findEnglishTexts } from './page-texts.ts'
import { compareScreenshot, GROSS_CHANGE } from './screenshots.ts'

const TIMEOUT_MS = 600_000
const WIDE = { width: 1280, height: 860 }
const NARROW = { width: 390, height: 844 }
const NARROWEST = { width: 360, height: 740 }
const WIDEST = { width: 1920, height: 1080 }

const SETTINGS = { scenes: { samples: true, roots: [], time_zone: 'UTC' } }

/** One daemon and one home for all tests of this file. The first ones change nothing. */
let home: FilledHome
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath !== undefined) home = await fillHome({ whenOver: (end) => ends.push(end), settings: SETTINGS })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const UNKNOWN_PAGE = 'main .empty:has(> h1)'

/**
 * Opens a view in the loaded page, as a link would: loading the page again for each of them takes most of the time. The
 * unknown page is displayed in between, so that nothing of the view before is taken for the new one. Waits until the view
 * displays its content: a heading, and nothing that is still being read.
 */
async function openView(page: Page, path: string): Promise<void> {
  await page.evaluate(goTo, UNKNOWN_PATH)
  await page.locator(UNKNOWN_PAGE).waitFor()
  await page.evaluate(goTo, path)
  if (path !== UNKNOWN_PATH) await page.locator(UNKNOWN_PAGE).waitFor({ state: 'detached' })
  await page.locator('main').locator('h1, .empty-title').first().waitFor()
  await vi.waitUntil(async () => (await page.locator('main .skeleton').count()) === 0, { timeout: TIMEOUT_MS })
}

/** Runs in the page. */
function goTo(path: string): void {
  // The types of the tests do not include browser APIs.
  const { history, dispatchEvent, PopStateEvent } = globalThis as unknown as {
    history: { pushState(state: null, title: string, url: string): void }
    dispatchEvent: (event: object) => void
    PopStateEvent: new (name: string) => object
  }
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}

const READ_LINKS = "[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))"
/** What people called their lessons, and what agents said. */
const GIVEN_NAMES = ['Change the temperature of a unit', 'See a room', 'The person asked to note the appointment.']
const FORBIDDEN_LABELS = /Elnor|Learning Center|Experimental|Private Trial|Observe My Actions/

const ROUTES = allRoutes.flatMap((contract) =>
  listUrls(contract).map((url) => ({
    method: contract.method,
    pattern: new RegExp(`^${url.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`),
  })),
)

test.skipIf(browserPath === undefined)(
  'every view is displayed in light, dark, on a narrow and on a wide screen: accessible, by known routes, without errors',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(WIDE, home.daemon)
    const scaler = await page.context().newPage()
    const unknown = new Set<string>()
    const links = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      const isKnown = ROUTES.some(({ method, pattern }) => method === request.method() && pattern.test(pathname))
      if (pathname.startsWith('/api/') && !isKnown) unknown.add(`${request.method()} ${pathname}`)
    })
    await page.addInitScript(AXE)
    await page.reload()
    const violations: Record<string, Finding[]> = {}
    const changed: Record<string, number> = {}
    const overflows: Record<string, number> = {}
    const look = async (name: string, rules: readonly string[] = []): Promise<void> => {
      const found = await findViolations(page, rules)
      if (found.length > 0) violations[name] = found
      const difference = await compareScreenshot(page, scaler, name)
      if (difference > GROSS_CHANGE) changed[name] = difference
    }
    for (const [name, path] of Object.entries(listViews(home))) {
      await page.setViewportSize(WIDE)
      await openView(page, path)
      for (const href of await page.evaluate<string[]>(READ_LINKS)) links.add(href)
      expect(await page.locator('body').innerText(), name).not.toMatch(FORBIDDEN_LABELS)
      await look(`${name}-light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await look(`${name}-dark`, ['color-contrast'])
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(NARROW)
      await look(`${name}-narrow`, ['color-contrast', 'target-size'])
      for (const size of [NARROWEST, WIDEST]) {
        await page.setViewportSize(size)
        const [wide, all] = await page.evaluate<[number, number]>(
          '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
        )
        if (all > wide) overflows[`${name} at ${size.width}`] = all - wide
      }
    }
    expect(violations).toEqual({})
    expect(overflows).toEqual({})
    expect(changed).toEqual({})
    expect([...unknown]).toEqual([])
    expect(problems.filter((text) => !text.includes('404'))).toEqual([])
    for (const href of [...links].filter((one) => one.startsWith('/'))) {
      const reply = await page.request.get(new URL(href, page.url()).href, { headers: { accept: 'text/html' } })
      expect(reply.status(), href).toBe(200)
    }
  },
)

test.skipIf(browserPath === undefined)(
  'every view is displayed in German without an English text of the catalogue or of the daemon',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(WIDE, home.daemon)
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.locator('html[lang=de]').waitFor()
    const english: Record<string, readonly string[]> = {}
    for (const [name, path] of Object.entries(listViews(home))) {
      await openView(page, path)
      const found = await findEnglishTexts(page, GIVEN_NAMES)
      if (found.length > 0) english[name] = found
    }
    expect(english).toEqual({})
    expect(problems.filter((text) => !text.includes('404'))).toEqual([])
  },
)

async function removeCategories(daemon: Daemon, name: RegExp): Promise<void> {
  const { categories } = (await daemon.get('/api/categories')).json<{ categories: Category[] }>()
  for (const { category_id } of categories.filter(({ title }) => name.test(title))) {
    await daemon.delete(`/api/categories/${category_id}`)
  }
}

test.skipIf(browserPath === undefined)(
  'skills are found, put into categories by menu and keyboard, and changed together',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, ability, failed, category } = home
    // A second try starts with the same categories.
    await removeCategories(daemon, /^(?:Full|Evening) /)
    await ok(daemon, `/api/categories/${category}/assign`, { item_kind: 'learned_ability', item_id: ability })
    const evening = `Evening ${randomUUID().slice(0, 8)}`
    const { page, problems } = await openDashboard(WIDE, daemon)
    await openView(page, '/skills')
    const row = page.locator('.abilities li', { hasText: 'Change the temperature' })
    await page.getByLabel('Search skills').fill('nothing like this')
    await page.getByText('No skills match this filter.').waitFor()
    await page.getByRole('button', { name: 'Show all skills' }).click()
    await row.getByText('At home').waitFor()

    // The menu stays open when the button of the mouse is released, however long it is held.
    await row.hover()
    await page.mouse.down({ button: 'right' })
    await page.locator('.menu').waitFor({ state: 'attached' })
    await page.mouse.up({ button: 'right' })
    const menu = page.getByRole('group', { name: 'Add to Category…' })
    await menu.getByRole('checkbox', { name: 'At home' }).click()
    await vi.waitUntil(async () => (await row.getByText('At home').count()) === 0, { timeout: 60_000 })
    // The menu reports that it was closed after the next one was opened.
    await page.evaluate(
      "document.querySelector('.menu').hidePopover(); document.querySelector('[aria-haspopup]').click()",
    )
    await vi.waitUntil(async () => (await page.locator('.menu').count()) === 1)
    await menu.getByRole('checkbox', { name: 'At home' }).waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await row.getByRole('button', { name: /^Add Change the temperature/ }).focus()
    await page.keyboard.press('Enter')
    await menu.getByRole('button', { name: '+ New Category' }).press('Enter')
    await menu.getByLabel('Name of the category').fill('   ')
    await page.keyboard.press('Enter')
    await page.locator('.notice', { hasText: 'Title must not be blank.' }).waitFor()
    await menu.getByLabel('Name of the category').fill(evening)
    await page.keyboard.press('Enter')
    await row.getByText(evening).waitFor()
    await page.keyboard.press('Escape')

    await row.getByRole('checkbox', { name: /^Select Change the temperature/ }).check()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await row.getByText('disabled').waitFor()
    const readState = async () => (await daemon.get(`/api/abilities/${ability}/availability`)).json<object>()
    expect(await readState()).toMatchObject({ enabled: false })
    await page.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(async () => expect(await readState()).toMatchObject({ enabled: true }), { timeout: 60_000 })

    // The daemon refuses the category that is one too many, and the page lists none that it has not created.
    const { category_id: first } = await ok<{ category_id: string }>(daemon, '/api/categories', { title: 'Full 0' })
    for (let count = 1; ; count += 1) {
      const { statusCode } = await daemon.post('/api/categories', { title: `Full ${count}` })
      if (statusCode !== 201) break
    }
    await openView(page, '/learn/pending')
    await page.locator('.rows.pending > li').click({ button: 'right' })
    await menu.getByRole('checkbox', { name: 'Full 0' }).waitFor()
    await menu.getByRole('button', { name: '+ New Category' }).press('Enter')
    await menu.getByLabel('Name of the category').fill('One too many')
    await page.keyboard.press('Enter')
    await page.locator('.notice', { hasText: 'A user can have at most 100 categories.' }).waitFor()
    expect(await menu.getByRole('checkbox', { name: 'One too many' }).count()).toBe(0)
    await menu.getByRole('checkbox', { name: 'Full 0' }).click()
    await vi.waitFor(async () => {
      const kept = (await daemon.get(`/api/categories/${first}/items`)).json<{ items: object[] }>().items
      expect(kept).toMatchObject([{ item_kind: 'proposal', item_id: home.proposal }])
    }, 60_000)
    await removeCategories(daemon, /^Full /)
    expect(problems.splice(0)).toEqual([expect.stringContaining('400'), expect.stringContaining('409')])

    await openView(page, `/runs/${failed.run_id}`)
    await page.getByText('It stopped at').waitFor()
    await page.getByRole('button', { name: /Open the app/ }).click()
    const evidence = page.getByRole('region', { name: 'Evidence of the step' })
    await evidence.getByText(CLIMATE, { exact: true }).waitFor()
    await evidence.getByRole('img', { name: 'Screen after the step' }).getByText('Lobby').waitFor()
    await page.reload()
    await page.getByText('It stopped at').waitFor()
    await page.getByRole('button', { name: 'Improve from this run' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'shortcuts fill the form of a new ability, and what can be done here is said with the reasons',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, ability, succeeded } = home
    const { page, problems } = await openDashboard(WIDE, daemon)
    await openView(page, `/skills/${ability}`)
    await page.getByRole('link', { name: 'Improve This Skill' }).click()
    await page.getByLabel('Skill to improve').waitFor()
    await vi.waitFor(async () => expect(await page.getByLabel('Skill to improve').inputValue()).toBe(ability), 60_000)

    await openView(page, `/runs/${succeeded.run_id}`)
    await page.getByRole('link', { name: 'Learn From This' }).click()
    await page.locator('.past-runs input:checked').waitFor()
    await openView(page, '/devices')
    await page
      .getByRole('link', { name: /^Use as Example/ })
      .first()
      .click()
    await page.locator('.past-runs input:checked').waitFor()
    expect(await page.locator('.past-runs input:checked').count()).toBe(1)
    // A failed run is no example.
    await openView(page, `/runs/${home.failed.run_id}`)
    expect(await page.getByText('Learn From This').count()).toBe(0)

    await ok(daemon, `/api/abilities/${ability}/deactivate`)
    await page.route('**/api/abilities/availability', async (route) => {
      const reply = await route.fetch()
      await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), stale: true } })
    })
    await openView(page, '/')
    await page.getByText('What can I do here?').click()
    const card = page.locator('.awareness')
    await card.getByText('Refreshing abilities…').waitFor()
    await card.getByRole('button', { name: /^Why Change the temperature/ }).click()
    await card.getByText('disabled').first().waitFor()
    await openView(page, '/skills')
    await page.getByText('Refreshing abilities…').waitFor()
    await ok(daemon, `/api/abilities/${ability}/activate`)

    await openView(page, '/settings/integration')
    await page.getByRole('button', { name: /^Check now: Change the temperature/ }).click()
    await page.locator('.notice', { hasText: 'Change the temperature of a unit works.' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'settings are changed on the page, and a page of a daemon that is away dims and recovers',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon } = home
    const { page, problems } = await openDashboard(WIDE, daemon)
    await openView(page, '/settings')
    await page.getByLabel('User').fill('agent')
    await page.getByLabel('What it is for').fill('Day agent')
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByText('It is displayed only now.').waitFor()
    const revoke = page.getByRole('button', { name: 'Revoke Day agent' })
    await revoke.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await revoke.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Revoke Night agent' }).count()).toBe(1)

    await openView(page, '/settings/policy')
    await page.getByRole('button', { name: 'New profile' }).click()
    await page.locator('dialog input[name="name"]').fill('careful')
    await page.getByLabel('type text').uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('careful', { exact: true }).first().waitFor()
    const { profiles } = (await daemon.get('/api/policy/profiles')).json<{
      profiles: { profile: { name: string; allow_capabilities?: string[] } }[]
    }>()
    const careful = profiles.find(({ profile }) => profile.name === 'careful')?.profile
    expect(careful?.allow_capabilities).toContain('click')
    expect(careful?.allow_capabilities).not.toContain('type_text')

    await openView(page, '/settings/mining')
    await page.getByLabel('Successful runs before a workflow is proposed').fill('7')
    await page.keyboard.press('Tab')
    await page.getByText('Saved.').last().waitFor()
    expect((await daemon.get('/api/learn/mining/settings')).json()).toMatchObject({ min_successful_traces: 7 })

    await openView(page, '/settings/categories')
    await page.getByRole('button', { name: 'Delete the category At home' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The category At home is deleted.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Delete the category At home' }).waitFor()
    expect(problems).toEqual([])

    await page.context().setOffline(true)
    await page.locator('html[data-offline]').waitFor()
    expect(await page.getByRole('heading', { name: 'Settings' }).isVisible()).toBe(true)
    await page.context().setOffline(false)
    await page.locator('html:not([data-offline])').waitFor()
  },
)

test.skipIf(browserPath === undefined)(
  'an import displays findings with their lines, an administrator overrides one, and its trigger is tested',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(WIDE, home.daemon)
    await openView(page, '/import')
    const bundle = page.getByLabel('Bundle')
    await bundle.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await page.getByText('Choose a zip file').waitFor()
    const script = '#!/bin/sh\necho json\nrm -rf /\n'
    const buffer = buildZip([...buildBundle(), { name: 'scripts/clean.sh', content: script }])
    await bundle.setInputFiles({ name: 'clean.zip', mimeType: 'application/zip', buffer })
    await page.getByText('scripts/clean.sh, line 3').waitFor()
    await page.getByText('not compatible').waitFor()
    await page.getByRole('button', { name: 'Do not count SCRIPT_DESTRUCTIVE' }).click()
    await page.getByLabel('Reason').fill('It only removes its own folder.')
    await page.getByRole('dialog').getByRole('button', { name: 'Do not count' }).click()
    await page.getByText('Does not count, decided by').waitFor()
    await page.getByRole('button', { name: 'Unpack for review' }).click()
    await page.getByLabel('What a person might say').fill('something that no skill does')
    await page.getByRole('button', { name: 'Test the trigger' }).click()
    await page.getByText('It would not be used.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Install privately' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the login page copies its command and says that a link has expired',
  { timeout: TIMEOUT_MS },
  async () => {
    const { url: origin } = await home.daemon.listen()
    const context: BrowserContext = await openBrowser()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    const visitor = await context.newPage()
    await visitor.addInitScript(AXE)
    await visitor.goto(`${origin}/login?code=used`)
    await visitor.getByText('This login link was used already or has expired.').waitFor()
    await visitor.getByRole('button', { name: 'Copy' }).click()
    await visitor.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await visitor.evaluate('navigator.clipboard.readText()')).toBe('npx apprentice token login')
    expect(await findViolations(visitor)).toEqual([])
    await visitor.goto(origin)
    expect(await visitor.locator('#used').isVisible()).toBe(false)
    const english = new Set(await visitor.locator('[data-text]').allTextContents())
    await visitor.evaluate("localStorage.setItem('apprentice.language', 'de')")
    await visitor.reload()
    await visitor.getByText('Hole einen neuen.').waitFor({ state: 'attached' })
    const german = await visitor.locator('[data-text]').allTextContents()
    expect(german.filter((text) => english.has(text))).toEqual([])
    expect(await visitor.title()).toBe('Anmelden · Apprentice')
  },
)
