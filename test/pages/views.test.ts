import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { listUrls } from '@apprentice/contracts/base/route.ts'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { CLIMATE, ok, open, startTeaching, tap } from '../teach/teaching.ts'
import { buildBundle, buildZip } from '../skill-import/zip-builder.ts'
import { browserPath, openBrowser } from './browser.ts'
import { openDashboard } from './open-dashboard.ts'
import { compareScreenshot, GROSS_CHANGE } from './screenshots.ts'

const TIMEOUT_MS = 300_000
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDE = { width: 1280, height: 860 }
const NARROW = { width: 390, height: 844 }

interface Finding {
  readonly id: string
  readonly nodes: readonly string[]
}

/** The rules of accessibility that the page violates, with the elements. Names of rules restrict the check to them. */
const findViolations = (page: Page, rules: readonly string[] = []): Promise<Finding[]> =>
  page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run(only.length === 0 ? {} : { runOnly: only })
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 160)) }))
  }, rules)

/** A home with an ability, runs with both outcomes, a draft, a category, an import and a token. */
async function prepareHome() {
  const room = await startTeaching()
  const { daemon } = room
  const show = async ({ act }: Pick<typeof room, 'act'>) => {
    await act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
    await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  }
  const ability = await room.install(await room.demonstrate({ goal: 'Set the temperature of a unit', show }))
  await room.run(ability, { unit: 'Kitchen', temperature: 23 })
  const failed: AbilityRun = await room.run(ability, { unit: 'Nowhere', temperature: 22 })
  expect(failed.state).toBe('failed')
  const draft = await room.demonstrate({ goal: 'See a room', show: ({ act }) => act(open(CLIMATE), tap('Kitchen')) })
  await ok(daemon, `/api/learn/sessions/${draft}/generate-proposal`)
  const { category_id } = await ok<{ category_id: string }>(daemon, '/api/categories', { title: 'At home' })
  await ok(daemon, `/api/categories/${category_id}/assign`, { item_kind: 'learned_ability', item_id: ability })
  await ok(daemon, '/api/tokens', { user_id: 'agent', label: 'Night agent' })
  return { daemon, ability, failed }
}

function listViews(ability: string, run: string): Readonly<Record<string, string>> {
  return {
    overview: '/',
    skills: '/skills',
    'ability-run': `/skills/${ability}`,
    'ability-runs': `/skills/${ability}/runs`,
    'ability-versions': `/skills/${ability}/versions`,
    'ability-words': `/skills/${ability}/words`,
    'ability-settings': `/skills/${ability}/settings`,
    run: `/runs/${run}`,
    registry: '/registry',
    'learn-new': '/learn/new',
    'learn-pending': '/learn/pending',
    'learn-history': '/learn/history',
    devices: '/devices',
    receipts: '/receipts',
    'receipts-learning': '/receipts/learning',
    'settings-access': '/settings',
    'settings-policy': '/settings/policy',
    'settings-mining': '/settings/mining',
    'settings-retention': '/settings/retention',
    'settings-categories': '/settings/categories',
    import: '/import',
    unknown: '/settings-that-do-not-exist',
  }
}

/** Waits until a view displays its content: a heading, and nothing that is still being read. */
async function openView(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main').locator('h1, .empty-title').first().waitFor()
  await page.waitForFunction("document.querySelector('main .skeleton') === null")
}

const ROUTES = allRoutes.flatMap((contract) =>
  listUrls(contract).map((url) => ({
    method: contract.method,
    pattern: new RegExp(`^${url.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`),
  })),
)

test.skipIf(browserPath === undefined)(
  'every view is displayed in light, dark and on a narrow screen: accessible, by known routes, without errors',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, ability, failed } = await prepareHome()
    const { page, problems } = await openDashboard(WIDE, daemon)
    const scaler = await page.context().newPage()
    const unknown = new Set<string>()
    const links = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      const isKnown = ROUTES.some(({ method, pattern }) => method === request.method() && pattern.test(pathname))
      if (pathname.startsWith('/api/') && !isKnown) unknown.add(`${request.method()} ${pathname}`)
    })
    await page.addInitScript(AXE)
    const violations: Record<string, Finding[]> = {}
    const changed: Record<string, number> = {}
    const look = async (name: string, rules: readonly string[] = []): Promise<void> => {
      const found = await findViolations(page, rules)
      if (found.length > 0) violations[name] = found
      const difference = await compareScreenshot(page, scaler, name)
      if (difference > GROSS_CHANGE) changed[name] = difference
    }
    const views = Object.entries(listViews(ability, failed.run_id))
    for (const [name, path] of views) {
      await page.setViewportSize(WIDE)
      await openView(page, path)
      for (const link of await page.locator('a[href]').all()) links.add((await link.getAttribute('href')) ?? '')
      await look(`${name}-light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await look(`${name}-dark`, ['color-contrast'])
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(NARROW)
      await look(`${name}-narrow`, ['color-contrast', 'target-size'])
      const [wide, all] = await page.evaluate<[number, number]>(
        '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
      )
      expect(all, name).toBeLessThanOrEqual(wide)
    }
    expect(violations).toEqual({})
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
  'skills are found, put into categories by menu and keyboard, and changed together',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, ability, failed } = await prepareHome()
    const { page, problems } = await openDashboard(WIDE, daemon)
    await openView(page, '/skills')
    const row = page.locator('.abilities li')
    await page.getByLabel('Search skills').fill('nothing like this')
    await page.getByText('No skills match this filter.').waitFor()
    await page.getByRole('button', { name: 'Show all skills' }).click()
    await row.getByText('At home').waitFor()

    await row.click({ button: 'right' })
    const menu = page.getByRole('group', { name: 'Add to Category…' })
    await menu.getByRole('checkbox', { name: 'At home' }).click()
    await vi.waitUntil(async () => (await row.getByText('At home').count()) === 0, { timeout: 10_000 })
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await row.getByRole('button', { name: /^Add Set the temperature/ }).focus()
    await page.keyboard.press('Enter')
    await menu.getByRole('button', { name: '+ New Category' }).press('Enter')
    await menu.getByLabel('Name of the category').fill('Evening')
    await page.keyboard.press('Enter')
    await row.getByText('Evening').waitFor()
    await page.keyboard.press('Escape')

    await row.getByRole('checkbox', { name: /^Select Set the temperature/ }).check()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await row.getByText('disabled').waitFor()
    expect((await daemon.get(`/api/abilities/${ability}/availability`)).json()).toMatchObject({ enabled: false })

    await openView(page, `/runs/${failed.run_id}`)
    await page.getByText('It stopped at').waitFor()
    await page.getByRole('button', { name: /Open the app/ }).click()
    await page.getByRole('region', { name: 'Evidence of the step' }).getByText(CLIMATE, { exact: true }).waitFor()
    await page.reload()
    await page.getByText('It stopped at').waitFor()
    await page.getByRole('button', { name: 'Improve from this run' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'settings are changed on the page, and a page of a daemon that is away dims and recovers',
  { timeout: TIMEOUT_MS },
  async () => {
    const { daemon, page, problems } = await openDashboard(WIDE)
    await openView(page, '/settings')
    await page.getByLabel('User').fill('agent')
    await page.getByLabel('What it is for').fill('Night agent')
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByText('It is displayed only now.').waitFor()
    await page.getByRole('button', { name: 'Revoke Night agent' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('No tokens yet.').waitFor()

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
    await page.getByText('Saved.').waitFor()
    expect((await daemon.get('/api/learn/mining/settings')).json()).toMatchObject({ min_successful_traces: 7 })
    expect(problems).toEqual([])

    await page.context().setOffline(true)
    await page.locator('html[data-offline]').waitFor({ timeout: 30_000 })
    expect(await page.getByLabel('Successful runs before a workflow is proposed').isVisible()).toBe(true)
    await page.context().setOffline(false)
    await page.locator('html:not([data-offline])').waitFor({ timeout: 30_000 })
  },
)

test.skipIf(browserPath === undefined)(
  'an import displays findings with their lines, an administrator overrides one, and its trigger is tested',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openDashboard(WIDE)
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
    const { page } = await openDashboard(WIDE)
    const { origin } = new URL(page.url())
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
  },
)
