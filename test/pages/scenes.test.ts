import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addScene, waitForRun } from '../scenes/page-scene.ts'
import { openSite, sendPage, type Site } from '../scenes/page-site.ts'
import { browserPath } from './browser.ts'
import { openPage } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const PATIENCE = { timeout: 120_000 }
const REPORT = `{ type: 'report-artifact', status: 'ok', title: 'Stock', period: '2026', warnings: ['Two shelves are empty.'],
  columns: [{ key: 'shelf', label: 'Shelf', type: 'text' }, { key: 'filled', label: 'Filled', type: 'percent' }],
  rows: [{ shelf: 'North', filled: 97.5 }], totals: { shelf: 'All', filled: 97.5 },
  source: { url: location.href, collected_at: new Date().toISOString() } }`

/** One daemon for all tests of this file, with the sample scenes, one that waits, and one that is refused. */
let daemon: Daemon
let site: Site
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath === undefined) return
  const settings = { scenes: { samples: true, roots: [], time_zone: 'UTC' } }
  daemon = await startDaemon({ settings, whenOver: (end) => ends.push(end) })
  site = await openSite({ '/': sendPage('shelves'), '/wait': sendPage('wait') })
  ends.push(() => site.close())
  const broken = join(daemon.home, 'skills', 'broken')
  mkdirSync(broken, { recursive: true })
  writeFileSync(join(broken, 'scene.toml'), '[manifest]\nschema_version = "9"\n')
  await addScene(daemon, { id: 'waiting', site, collect: 'await new Promise(() => {})' })
  await addScene(daemon, {
    id: 'stock',
    site,
    collect: `console.log('counting shelves'); await fetch('http://10.1.2.3/').catch(() => {}); return ${REPORT}`,
  })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function openView(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main h1').first().waitFor()
}

const listRuns = async (): Promise<SceneRun[]> =>
  (await daemon.get('/api/scenes/runs')).json<{ runs: SceneRun[] }>().runs

test.skipIf(browserPath === undefined)(
  'an instruction shows its plan while it is typed, asks for what is missing, and runs only when told to',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon)
    let dispatches = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/scenes/dispatch')) dispatches += 1
    })
    await openView(page, '/scenes')
    await page.getByText(/packages? (?:was|were) refused/).waitFor()
    await page.getByText('is "9", and this daemon reads "1"').waitFor()
    const run = page.getByRole('button', { name: 'Run it' })
    const meaning = page.getByRole('region', { name: 'What it means' })
    const box = page.getByRole('textbox', { name: 'Instruction' })
    const words = 'river levels please'
    await box.pressSequentially(words)
    await meaning.getByText('No scene is asked for').waitFor()
    expect(dispatches).toBeLessThan(words.length / 2)
    await page.getByRole('button', { name: 'Add 。。。' }).click()
    await meaning.getByText('Something is missing').waitFor()
    await meaning.getByText('River levels need a day').waitFor()
    expect(await run.isDisabled()).toBe(true)
    await box.fill('river levels 2026-03-14。。。')
    await meaning.getByText('The scene is certain').waitFor()
    await meaning.getByText('https://hydro.example/hydro/portal').waitFor()
    await meaning.getByRole('list', { name: 'Why' }).getByText('river levels').waitFor()
    expect(await listRuns()).toEqual([])
    await run.click()
    await page.getByRole('heading', { name: 'River levels' }).waitFor()
    await page.getByRole('columnheader').first().waitFor()
    const [done] = await listRuns()
    expect(done).toMatchObject({ scene_id: 'river-level-report', state: 'succeeded' })
    const rows = done?.outcome?.report?.row_count ?? 0
    expect(await page.locator('tbody tr').count()).toBe(rows)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^XLSX/ }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/\.xlsx$/)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'each scene shows whether it can be used now, and leads to its ability',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon)
    await openView(page, '/scenes')
    const row = page.getByRole('listitem').filter({ hasText: 'Collects the refuellings' })
    await row.getByText('usable', { exact: true }).waitFor()
    await daemon.post('/api/abilities/scene.fleet-fuel-report/deactivate')
    await row.getByText('disabled', { exact: true }).waitFor()
    expect(await row.getByText('usable', { exact: true }).count()).toBe(0)
    const others = page.getByRole('listitem').filter({ hasText: 'levels of all gauges' })
    await others.getByText('usable', { exact: true }).waitFor()
    await daemon.post('/api/abilities/scene.fleet-fuel-report/activate')
    await row.getByText('usable', { exact: true }).waitFor()
    await row.getByRole('link', { name: 'Fuel report' }).click()
    await page.waitForURL('**/skills/scene.fleet-fuel-report')
    await page.getByRole('heading', { name: 'Fuel report' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a run shows its table, its console and what its page was not allowed; a run that waits is cancelled',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon)
    await openView(page, '/scenes')
    await page.getByRole('button', { name: 'Write an instruction for stock' }).click()
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.getByRole('heading', { name: 'Stock' }).waitFor()
    await page.getByText('Two shelves are empty.').waitFor()
    await page.getByRole('row', { name: 'North 97.5 %' }).waitFor()
    await page.getByRole('row', { name: 'All 97.5 %' }).waitFor()
    await page.getByText('counting shelves').waitFor()
    await page.getByText('Request to another server').waitFor()
    expect(problems).toEqual([])

    await openView(page, '/scenes')
    await page.getByRole('button', { name: 'Write an instruction for waiting' }).click()
    await page.getByRole('button', { name: 'Run it' }).click()
    const [waiting] = await vi.waitUntil(async () => {
      const runs = (await listRuns()).filter(({ scene_id }) => scene_id === 'waiting')
      return runs.length === 1 ? runs : undefined
    }, PATIENCE)
    const runId = waiting?.run_id ?? ''
    await waitForRun(daemon, runId, ({ phase }) => phase === 'running_script')
    await page.locator('.wizard .current').getByText('Run the script').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('main').getByText('cancelled', { exact: true }).waitFor()
    await waitForRun(daemon, runId, ({ state }) => state === 'cancelled')
    await openView(page, '/scenes/runs')
    await page.getByRole('link', { name: 'Stock' }).waitFor()
  },
)

test.skipIf(browserPath === undefined)(
  'sign-ins to pages are listed without their content and deleted after one question',
  { timeout: TIMEOUT_MS },
  async () => {
    const cookie = { name: 'session', value: 'hidden-value', domain: 'hydro.example', path: '/' }
    const storage_state = { cookies: [cookie], origins: [] }
    const url = '/api/scenes/profiles'
    await daemon.request({ method: 'PUT', url, payload: { domain: 'hydro.example', storage_state } })
    const { page, problems } = await openPage(daemon)
    await openView(page, '/scenes/profiles')
    await page.getByText('1 cookie').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('hidden-value')
    const remove = page.getByRole('button', { name: 'Delete the sign-in default to hydro.example' })
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No sign-ins are stored.').waitFor()
    expect((await daemon.get(url)).json()).toMatchObject({ profiles: [] })
    expect(problems).toEqual([])
  },
)
