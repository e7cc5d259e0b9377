import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { askToWrite, call, connectTools } from '../connectors/call-kit.ts'
import { readServers } from '../connectors/connector-kit.ts'
import { registerProtected, signIn } from '../connectors/sign-in-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { importAndStage, runStep } from '../skill-import/import-kit.ts'
import { buildBundle } from '../skill-import/zip-builder.ts'
import { browserPath } from './browser.ts'
import { openPage } from './open-dashboard.ts'

const TIMEOUT = { timeout: 600_000 }

/** The clock of the daemon is that of the browser, which counts down. */
const start = (): Promise<Daemon> => startDaemon({ now: new Date().toISOString() })

async function openView(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main h1').first().waitFor()
}

/** The value of a fact in a part of the page. */
const fact = (page: Page, part: string, name: string) =>
  page
    .locator('section.panel')
    .filter({ has: page.getByRole('heading', { name: part, exact: true }) })
    .locator('dl.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

test.skipIf(browserPath === undefined)(
  'the page of a server says which scopes are granted and missing, and a sign-in is refreshed from it',
  TIMEOUT,
  async () => {
    const daemon = await start()
    const profile = { scopes: ['notes.read', 'notes.write', 'offline_access'] }
    const { authority, server_id } = await registerProtected(daemon, { profile })
    authority.allowed = ['openid', 'offline_access', 'notes.read']
    await signIn(daemon, server_id)
    const { page, problems } = await openPage(daemon)
    await openView(page, `/connectors/servers/${server_id}`)
    await fact(page, 'Sign-in', 'Missing scopes').getByText('notes.write').waitFor()
    const granted = await fact(page, 'Sign-in', 'Granted scopes').innerText()
    expect([granted.includes('notes.read'), granted.includes('notes.write')]).toEqual([true, false])
    await page.locator('main').getByText('Sign-in required').waitFor()

    authority.allowed = ['openid', 'offline_access', 'notes.read', 'notes.write']
    await signIn(daemon, server_id)
    await page.reload()
    await page.locator('main').getByText('signed in', { exact: true }).waitFor()
    expect(await fact(page, 'Sign-in', 'Missing scopes').count()).toBe(0)
    expect(await fact(page, 'Sign-in', 'Valid until').count()).toBe(1)
    const grants = authority.grants.length
    await page.getByRole('button', { name: 'Refresh the sign-in: Notes server' }).click()
    await page.getByText('The sign-in is up to date.').waitFor()
    expect(authority.grants.slice(grants)).toEqual(['refresh_token'])
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the page of a server says why it is degraded, how each tool works, and when it is tried again',
  TIMEOUT,
  async () => {
    const daemon = await start()
    const { remote, server_id } = await connectTools(daemon)
    const { page } = await openPage(daemon)
    const tool = (name: string) => page.locator('.tools li').filter({ hasText: name })
    remote.status = 500
    for (let times = 0; times < 3; times += 1) await call(daemon, server_id, 'read_note')
    await openView(page, `/connectors/servers/${server_id}`)
    await fact(page, 'Health', 'Reason').getByText('http 500').waitFor()
    expect(await fact(page, 'Health', 'Failures in ten minutes').innerText()).toBe('3')
    await tool('read_note').getByText('fails', { exact: true }).waitFor()
    await tool('read_note').getByText('HTTP 500').waitFor()
    await tool('write_note').getByText('not tried yet').waitFor()
    expect(await fact(page, 'Health', 'Next try in').count()).toBe(0)

    Object.assign(remote, { status: 503, headers: { 'retry-after': '3000' } })
    await call(daemon, server_id, 'read_note')
    await page.reload()
    await fact(page, 'Health', 'Next try in').getByRole('timer').getByText(/min/).waitFor()
    await fact(page, 'Health', 'Throttling').getByText('The server asked for a pause.').waitFor()
    // The pause changes nothing about why it is degraded.
    await fact(page, 'Health', 'Reason').getByText('http 500').waitFor()
  },
)

test.skipIf(browserPath === undefined)(
  'the card of a server names the skills that use it and its last receipt',
  TIMEOUT,
  async () => {
    const daemon = await start()
    const { server_id } = await connectTools(daemon)
    const [document, ...files] = buildBundle('uses-notes')
    const content = String(document?.content).replace('\n---', `\nconnector_hints: [${server_id}]\n---`)
    const { import_id } = await importAndStage(daemon, [{ name: 'SKILL.md', content }, ...files])
    await runStep(daemon, 'install-private', { import_id })
    const [server] = await readServers(daemon)
    const [linked] = server?.linked_abilities ?? []
    const { page, problems } = await openPage(daemon)
    await openView(page, '/connectors')
    const card = page.locator('.server-card').filter({ hasText: 'Notes server' })
    await card.getByText('Custom server · over HTTP').waitFor()
    await card.getByText('Linked skills').waitFor()
    expect(await card.locator('.linked a').getAttribute('href')).toBe(
      `/skills/${encodeURIComponent(linked?.ability_id ?? '')}`,
    )
    await card.getByRole('link', { name: 'Last receipt' }).click()
    await page.locator('.receipt-open').getByText('Smoke test').first().waitFor()
    expect(new URL(page.url()).searchParams.get('server_id')).toBe(server_id)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'without the policy the page says that it is unavailable, and offers no change of it',
  TIMEOUT,
  async () => {
    const daemon = await start()
    const { server_id } = await connectTools(daemon)
    const { page } = await openPage(daemon)
    const error = { code: 'AUTH_UNAVAILABLE', message: 'The store cannot be read.', retryable: true }
    await page.route('**/api/mcp/policies*', (route) => route.fulfill({ status: 503, json: { error } }))
    for (const path of ['/connectors/policy', `/connectors/servers/${server_id}`]) {
      await openView(page, path)
      await page.getByText('Policy unavailable.').waitFor()
      for (const mode of ['Enabled', 'Ask First', 'Disabled', 'Turn off MCP']) {
        expect(await page.locator('main').getByRole('button', { name: mode }).count(), mode).toBe(0)
      }
    }
    await page.unroute('**/api/mcp/policies*')
    await openView(page, '/connectors/policy')
    await page.getByRole('button', { name: 'Ask First: Notes server' }).waitFor()
  },
)

test.skipIf(browserPath === undefined)(
  'an approval says what is asked for and why, and the receipt of the call names what was used, how and by whom',
  TIMEOUT,
  async () => {
    const daemon = await start()
    const { remote, server_id } = await connectTools(daemon, { display_name: 'Diary' })
    await daemon.request({
      method: 'PATCH',
      url: `/api/mcp/servers/${server_id}`,
      payload: { data_classes: ['confidential'] },
    })
    const dispatch_id = await askToWrite(daemon, server_id, {
      arguments: { body: 'the text of a private note' },
      why_needed: 'To answer Ada.',
      session_ref: 'session-1',
      project_id: 'roof',
    })
    const { page, problems } = await openPage(daemon)
    await openView(page, '/receipts')
    expect(await page.locator('.receipts li').count()).toBe(0)
    await openView(page, '/connectors/approvals')
    const row = page.locator('.approval')
    await row.getByText('write_note of Diary with body.').waitFor()
    const shown = await row.innerText()
    for (const text of ['Custom server · Diary · write_note', 'may change things', 'confidential', 'To answer Ada.']) {
      expect(shown).toContain(text)
    }
    expect(shown).not.toContain('private note')
    const { correlation_id } = (await daemon.get(`/api/capabilities/connectors/calls/${dispatch_id}`)).json<{
      correlation_id: string
    }>()
    expect(shown).toContain(correlation_id)
    for (const name of ['Allow once', 'Allow for session', 'Deny']) {
      expect(await row.getByRole('button', { name, exact: true }).isEnabled(), name).toBe(true)
    }
    await row.getByRole('button', { name: 'Allow for session' }).click()
    await page.getByText('made', { exact: true }).waitFor()
    expect(remote.calls).toEqual(['write_note'])

    await openView(page, '/receipts')
    const receipt = page.locator('.receipts li').filter({ hasText: 'Used Diary MCP' })
    await receipt.locator('summary').click()
    const facts = await receipt.locator('dl.facts').innerText()
    for (const text of [
      `${server_id}.write_note`,
      'mcp connector',
      'ask first',
      'roof',
      'local user',
      correlation_id,
      dispatch_id,
    ]) {
      expect(facts).toContain(text)
    }
    // A call that is made meanwhile appears by itself.
    await call(daemon, server_id, 'read_note')
    await page.locator('.receipts li').filter({ hasText: 'read_note of Diary' }).waitFor()
    expect(problems).toEqual([])
  },
)
