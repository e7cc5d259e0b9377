import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askToWrite, connectTools, listPending, readCall, waitForEnd } from '../connectors/call-kit.ts'
import { readServers, register } from '../connectors/connector-kit.ts'
import { registerProtected } from '../connectors/sign-in-kit.ts'
import { startToolServer } from '../connectors/tool-server.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath } from './browser.ts'
import { type FilledConnectors, fillConnectors } from './filled-connectors.ts'
import { openPage } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const PATIENCE = { timeout: 60_000 }

/** One daemon for all tests of this file. Its clock is that of the browser, so that times are left to decide. */
let daemon: Daemon
let filled: FilledConnectors
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath === undefined) return
  const whenOver = (end: () => void | Promise<void>): void => void ends.push(end)
  daemon = await startDaemon({ now: new Date().toISOString(), whenOver })
  filled = await fillConnectors(daemon, whenOver)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function openView(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main h1').first().waitFor()
}

const findServer = async (name: string) =>
  (await readServers(daemon)).find(({ registry }) => registry.display_name === name)

test.skipIf(browserPath === undefined)(
  'a server is registered, tested and edited; a throttled server does not look degraded; deleting asks once',
  { timeout: TIMEOUT_MS },
  async () => {
    const remote = await startToolServer()
    const { page, problems } = await openPage(daemon)
    await openView(page, '/connectors')
    const card = (name: string) => page.locator('.server-card').filter({ hasText: name })
    const degraded = card('Broken server')
    const throttled = card('Busy server')
    await degraded.getByText('Degraded').waitFor()
    await throttled.getByText('Throttled').waitFor()
    expect(await throttled.getByText('Degraded').count()).toBe(0)
    expect(await degraded.getByText('Throttled').count()).toBe(0)
    const look = (selector: string) =>
      page.locator(selector).evaluate((element) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle: (this: void, of: unknown) => { borderStyle: string; color: string; borderRadius: string }
        }
        const { borderStyle, color, borderRadius } = getComputedStyle(element)
        return [borderStyle, color, borderRadius, (element as unknown as { innerHTML: string }).innerHTML]
      })
    const [pill, badge] = [await look('.pill.throttled'), await look('.badge.bad:has-text("Degraded")')]
    for (const [at, value] of pill.entries()) expect(value).not.toBe(badge[at])

    await page.getByRole('button', { name: 'Register a server' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name', { exact: true }).fill('Task server')
    await form.getByLabel('Address').fill('https://10.0.0.1/mcp')
    await form.getByRole('button', { name: 'Save' }).click()
    // The refusal stands at its field, and what was typed is still there.
    await form.locator('.field.invalid', { hasText: 'Address' }).locator('.error').waitFor()
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Task server')
    await form.getByLabel('Address').fill(remote.url)
    await form.getByLabel('Tools that may be called').fill('read_note')
    await form.getByRole('button', { name: 'Save' }).click()
    await card('Task server').waitFor()
    expect((await findServer('Task server'))?.registry).toMatchObject({ supported_tools: ['read_note'], enabled: true })

    await page.getByRole('button', { name: 'Smoke test: Task server' }).click()
    await page.getByLabel('Tool to call').selectOption('read_note')
    await page.getByLabel('Arguments').fill('nonsense')
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.getByText('This is not a JSON object.').waitFor()
    expect(remote.calls).toEqual([])
    await page.getByLabel('Arguments').fill('{"id": 7}')
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.getByText('2 tools offered: read_note, write_note').waitFor()
    expect([remote.calls, remote.arguments]).toEqual([['read_note'], [{ id: 7 }]])
    await page.keyboard.press('Escape')
    await card('Task server').getByText('Connected').waitFor()

    await card('Old server').getByRole('button', { name: 'Enable: Old server' }).click()
    await page.getByText('Old server is enabled.').waitFor()
    expect((await findServer('Old server'))?.registry.enabled).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(async () => expect((await findServer('Old server'))?.registry.enabled).toBe(false), PATIENCE)

    await page.getByRole('button', { name: 'Delete: Task server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
    expect(await findServer('Task server')).toBeDefined()
    await page.getByRole('button', { name: 'Delete: Task server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await card('Task server').waitFor({ state: 'detached' })
    expect(await findServer('Task server')).toBeUndefined()
    // The refused address is the only failed request.
    expect(problems.filter((text) => !text.includes('400'))).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a person signs in to a server in a window: refused first, then with success, and signs out',
  { timeout: TIMEOUT_MS },
  async () => {
    const { authority, server_id } = await registerProtected(daemon)
    const { page } = await openPage(daemon)
    await openView(page, `/connectors/servers/${server_id}`)
    await page.getByText('sign-in needed').waitFor()
    await page.getByText('notes.read, offline_access').waitFor()

    authority.refuses = true
    await page.getByRole('button', { name: 'Sign in: Notes server' }).click()
    await page.getByText('Not signed in: access_denied').waitFor()
    await page.getByText('Sign in in the window that opened').waitFor({ state: 'detached' })
    authority.refuses = false
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Sign in: Notes server' }).click()
    await page.getByText('Signed in to Notes server.').waitFor()
    await page.locator('main').getByText('signed in', { exact: true }).waitFor()
    expect((await popup).isClosed()).toBe(true)
    expect(authority.grants).toEqual(['authorization_code'])

    await page.getByRole('button', { name: 'Sign out: Notes server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed out of Notes server.').waitFor()
    await page.locator('main').getByText('signed out', { exact: true }).waitFor()
    const status = (await daemon.get(`/api/mcp/servers/${server_id}/auth/status`)).json<{ auth_state: string }>()
    expect(status.auth_state).toBe('revoked')

    await openView(page, '/connectors/profiles')
    const used = page.locator('.profiles li').filter({ hasText: 'offline_access' })
    await used.getByRole('button', { name: /^Delete/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('It is still used.').waitFor()
    await page.getByRole('dialog').getByRole('link', { name: 'Notes server' }).waitFor()
  },
)

test.skipIf(browserPath === undefined)(
  'a policy is changed for a provider, a server and a tool, explains itself, and is taken back',
  { timeout: TIMEOUT_MS },
  async () => {
    const { server_id } = filled.notes
    const { page, problems } = await openPage(daemon)
    await openView(page, '/connectors/policy')
    await page.getByRole('button', { name: 'Turn off MCP for Custom server' }).click()
    await page.getByText('Custom server: Disabled.').waitFor()
    const read = async () => (await findServer('Busy server'))?.effective_policy
    expect(await read()).toMatchObject({ decision: { mode: 'disabled' }, inherited_from: 'provider' })
    await page.getByText('inherited from: the provider').first().waitFor()
    await openView(page, '/connectors')
    await page.locator('.server-card').filter({ hasText: 'Busy server' }).getByText('Off by policy').waitFor()
    await openView(page, '/connectors/policy')
    await page.getByRole('button', { name: 'Not set: Custom server' }).click()
    await vi.waitFor(async () => expect(await read()).toMatchObject({ decision: { mode: 'enabled' } }), PATIENCE)
    await page.getByRole('button', { name: 'Ask First: Busy server' }).click()
    await page.getByText('Busy server: Ask First.').waitFor()
    expect(await read()).toMatchObject({ decision: { mode: 'ask_first' }, inherited_from: 'none' })
    await page.getByRole('button', { name: 'Not set: Busy server' }).click()
    await vi.waitFor(async () => expect(await read()).toMatchObject({ decision: { mode: 'enabled' } }), PATIENCE)

    await openView(page, `/connectors/servers/${server_id}#policy`)
    const row = page.locator('.tools li').filter({ hasText: 'write_note' })
    await row.getByText('Ask First').last().waitFor()
    await row.getByText('Why?').click()
    await row.getByText('no decision for the tool itself allows that').waitFor()
    expect(await row.getByRole('list', { name: 'Order of precedence' }).innerText()).toContain(
      'default_write_ask_first=ask_first',
    )
    await row.getByRole('button', { name: 'Enabled: write_note' }).click()
    await row.getByText('decided here').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('by default').waitFor()
    expect((await daemon.get('/api/mcp/policies')).json()).toMatchObject({ decisions: [] })
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'an auth profile is created, changed and deleted; a deferred server appears if asked for, and nothing can be done with it',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon)
    await openView(page, '/connectors/profiles')
    await page.getByRole('button', { name: 'New auth profile' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Scopes').fill('tasks.read')
    await form.getByLabel('Client id').fill('task-client')
    await form.getByLabel('Several servers may use it').check()
    await form.getByRole('button', { name: 'Save' }).click()
    const row = page.locator('.profiles li').filter({ hasText: 'task-client' })
    await row.getByText('shared', { exact: true }).waitFor()
    await row.getByRole('button', { name: /^Edit/ }).click()
    await form.getByLabel('Scopes').fill('tasks.read\ntasks.write')
    await form.getByLabel('Refreshing').selectOption('auto_if_refresh_token')
    await form.getByRole('button', { name: 'Save' }).click()
    await row.getByText('tasks.read, tasks.write').waitFor()
    const find = async () =>
      (await daemon.get('/api/mcp/auth-profiles'))
        .json<{ auth_profiles: { client_id?: string }[] }>()
        .auth_profiles.find(({ client_id }) => client_id === 'task-client')
    expect(await find()).toMatchObject({ refresh_policy: 'auto_if_refresh_token', shared_profile: true })
    await row.getByRole('button', { name: /^Delete/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The auth profile is deleted.').waitFor()
    expect(await find()).toBeUndefined()

    await register(daemon, { display_name: 'Later server', transport: 'provider_native', endpoint_url: undefined })
    await openView(page, '/connectors')
    await page.locator('.server-card').filter({ hasText: 'Busy server' }).waitFor()
    const later = page.locator('.server-card').filter({ hasText: 'Later server' })
    expect(await later.count()).toBe(0)
    await page.getByLabel('Show deferred').check()
    await later.getByText('Planned, not in this version.').waitFor()
    // It can be put into a category, and nothing else can be done with it.
    expect(await later.getByRole('button').count()).toBe(1)
    await later.getByRole('button', { name: 'Add Later server to Category…' }).waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'an approval is counted on every page and decided: the tool is called once; denied and expired calls are not made',
  { timeout: TIMEOUT_MS },
  async () => {
    const { remote, server_id } = await connectTools(daemon, { display_name: 'Diary' })
    const first = await askToWrite(daemon, server_id, { arguments: { day: 'Monday' }, turn_ref: 'turn-1' })
    const second = await askToWrite(daemon, server_id, { arguments: { hour: 'nine' } })
    const pending = await listPending(daemon)
    const signIns = (await readServers(daemon)).filter(({ badge_states }) => badge_states.includes('auth_required'))
    const before = pending.length + signIns.length
    const { page, problems } = await openPage(daemon)
    await openView(page, '/')
    await page.getByRole('link', { name: `${before} things wait for you` }).waitFor()
    await page.locator('main').getByRole('link', { name: 'May an agent use “write note” of Diary?' }).first().click()
    const row = (name: string) => page.locator('.approval').filter({ hasText: name })
    await row('with day').getByText('Expires in').waitFor()
    expect(await row('with hour').getByRole('button', { name: 'Allow until end of turn' }).isDisabled()).toBe(true)
    await row('with day').getByLabel('Note for the receipt').fill('agreed on the phone')
    await row('with day').getByRole('button', { name: 'Allow until end of turn' }).click()
    await row('with day').waitFor({ state: 'detached' })
    await page.getByText('made', { exact: true }).waitFor()
    expect((await waitForEnd(daemon, first)).status).toBe('succeeded')
    await row('with hour').getByRole('button', { name: 'Deny' }).click()
    await row('with hour').waitFor({ state: 'detached' })
    expect((await readCall(daemon, second)).status).toBe('denied')
    expect([remote.calls, remote.arguments]).toEqual([['write_note'], [{ day: 'Monday' }]])

    const late = await askToWrite(daemon, server_id, { arguments: { late: true } })
    daemon.clock.advance(16 * 60_000)
    await page.reload()
    await row('with late').getByText('Expired').waitFor()
    expect(await row('with late').getByRole('button', { name: 'Allow once' }).count()).toBe(0)
    expect(remote.calls).toEqual(['write_note'])

    const { correlation_id } = await readCall(daemon, late)
    await openView(page, '/receipts/connectors')
    await page.getByLabel('Correlation id').fill(correlation_id)
    await page.keyboard.press('Enter')
    await vi.waitUntil(async () => (await page.locator('.receipt-open').count()) === 1, PATIENCE)
    await page.getByRole('button', { name: 'write_note of Diary with late.' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText(correlation_id).waitFor()
    await sheet.getByText('user of this daemon').waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a user without privilege sees connectors and changes nothing',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon, { token: await daemon.tokenFor('reader', 'write') })
    await openView(page, '/connectors')
    await page.getByText('Only administrators may change this.').waitFor()
    for (const name of ['Register a server', 'Edit: Notes server', 'Sign in: Mail server', 'Enable: Old server']) {
      expect(await page.getByRole('button', { name }).first().isDisabled(), name).toBe(true)
    }
    expect(await page.getByRole('button', { name: 'Smoke test: Notes server' }).first().isDisabled()).toBe(false)
    for (const view of ['policy', 'profiles']) {
      await openView(page, `/connectors/${view}`)
      await page.getByText('Only administrators may change this.').waitFor()
    }
    expect(await page.locator('main button:not(:disabled)').count()).toBe(0)
    await openView(page, '/connectors/approvals')
    await page.getByText('No call waits for a decision.').waitFor()
    expect(problems).toEqual([])
  },
)
