import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { decide, listPending } from '../connectors/call-kit.ts'
import { patch } from '../connectors/connector-kit.ts'
import { addDocument } from '../documents/document-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath } from './browser.ts'
import { makeOrder } from './order-document.ts'
import { openPage } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const PATIENCE = { timeout: 60_000 }
const OPERATIONS = ['Extract text', 'Extract tables', 'Read text in pictures', 'Propose redactions']

let daemon: Daemon
let pdf: Buffer
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  if (browserPath === undefined) return
  daemon = await startDaemon({ now: new Date().toISOString(), whenOver: (end) => ends.push(end) })
  pdf = await makeOrder()
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function openDocuments(page: Page): Promise<void> {
  await page.goto(new URL('/documents', page.url()).href)
  await page.locator('main h1').first().waitFor()
}

const listEnabled = (page: Page, name: string): Promise<boolean[]> =>
  Promise.all(OPERATIONS.map((operation) => page.getByRole('button', { name: `${operation}: ${name}` }).isEnabled()))

test.skipIf(browserPath === undefined)(
  'acrobat_health_blocks_buttons: an operation can be chosen only if the adapter works and supports it',
  { timeout: TIMEOUT_MS },
  async () => {
    await addDocument(daemon, pdf, { name: 'health.pdf' })
    const { page, problems } = await openPage(daemon)
    await openDocuments(page)
    await page.getByText('All operations can be used.').waitFor()
    expect(await listEnabled(page, 'health.pdf')).toEqual([true, true, true, true])

    const url = '/api/mcp/servers/acrobat'
    await patch(daemon, url, { supported_tools: ['extract_text', 'extract_tables', 'redaction_prep'] })
    await page.getByText('Some operations cannot be used now.').waitFor()
    expect(await listEnabled(page, 'health.pdf')).toEqual([true, true, false, true])
    expect(await page.getByRole('button', { name: /^Read text in pictures/ }).getAttribute('title')).toContain(
      'The adapter cannot do this now.',
    )
    await patch(daemon, url, { enabled: false })
    await page.getByText('An administrator switched it off.').waitFor()
    expect(await listEnabled(page, 'health.pdf')).toEqual([false, false, false, false])

    await patch(daemon, url, {
      enabled: true,
      supported_tools: ['extract_text', 'extract_tables', 'ocr', 'redaction_prep'],
    })
    await page.getByText('All operations can be used.').waitFor()
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a document is uploaded, its text and tables are viewed and downloaded, and redactions wait for an approval',
  { timeout: TIMEOUT_MS },
  async () => {
    const { page, problems } = await openPage(daemon)
    await openDocuments(page)
    await page.getByLabel('Document', { exact: true }).setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('x'),
    })
    await page.getByText('Choose a PDF, PNG, JPEG or TIFF file.').waitFor()
    await page.getByLabel('Data class').selectOption('internal')
    await page
      .getByLabel('Document', { exact: true })
      .setInputFiles({ name: 'order.pdf', mimeType: 'application/pdf', buffer: pdf })
    await page.getByText('order.pdf is uploaded.').waitFor()

    await page.getByRole('button', { name: 'Extract text: order.pdf' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Pages' }).fill('1')
    await dialog.getByRole('button', { name: 'Run it' }).click()
    await page.getByRole('button', { name: 'View: Extract text, order.pdf' }).click()
    await dialog.getByText('Write to ada@example.com').waitFor()
    await page.keyboard.press('Escape')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'TXT: order.pdf.extract_text.txt' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('order.pdf.extract_text.txt')

    await page.getByRole('button', { name: 'Extract tables: order.pdf' }).click()
    await dialog.getByRole('button', { name: 'Run it' }).click()
    await page.getByRole('button', { name: 'View: Extract tables, order.pdf' }).click()
    await dialog.getByRole('cell', { name: 'Blue pen' }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Propose redactions: order.pdf' }).click()
    await dialog.getByLabel('Why it is needed').fill('Before it is sent on.')
    await dialog.getByRole('button', { name: 'Run it' }).click()
    await page.getByText('A person has to allow this first.').waitFor()
    await page.getByText('waits for approval').waitFor()
    expect(await page.getByRole('button', { name: 'View: Propose redactions, order.pdf' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Open the approvals' }).click()
    await page.getByText('Before it is sent on.').waitFor()
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.getByText('made', { exact: true }).waitFor()
    await openDocuments(page)
    await page.getByRole('button', { name: 'View: Propose redactions, order.pdf' }).click()
    await dialog.getByText('1 place to redact').waitFor()
    await dialog.getByText('E-mail address').waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Delete order.pdf' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('order.pdf is deleted.').waitFor()
    // The refused redaction is the only failed request.
    expect(problems.filter((text) => !text.includes('403'))).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'a confidential document is not read before a person allowed it, and not after one denied it',
  { timeout: TIMEOUT_MS },
  async () => {
    await addDocument(daemon, pdf, { name: 'secret.pdf', metadata: { data_class: 'confidential' } })
    const { page } = await openPage(daemon)
    await openDocuments(page)
    await page.getByRole('button', { name: 'Extract text: secret.pdf' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run it' }).click()
    const row = page.locator('.operation').filter({ hasText: 'secret.pdf' })
    await row.getByText('waits for approval').waitFor()
    const [waiting] = await listPending(daemon)
    await decide(daemon, waiting?.dispatch_id ?? '', 'deny')
    await row.getByText('denied').waitFor()
    await vi.waitFor(async () => expect(await row.getByRole('button').count()).toBe(0), PATIENCE)
  },
)
