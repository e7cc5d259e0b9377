import type { Page } from 'playwright-core'
import type { Phone } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { openBrowser } from './browser.ts'

export interface Opened {
  readonly daemon: Daemon
  readonly phone: Phone
  readonly page: Page
  /** What the console complained of, and every request that left for elsewhere. */
  readonly trouble: string[]
}

/** A browser that is logged in to a daemon, by default one of its own. */
export async function openDashboard(
  viewport = { width: 1280, height: 900 },
  given?: Daemon,
): Promise<Opened> {
  const daemon = given ?? (await startDaemon({ config: { phone: 'simulated' } }))
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  const { url } = await daemon.listen()
  const context = await openBrowser()
  const page = await context.newPage()
  await page.setViewportSize(viewport)
  const trouble: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text())
  })
  page.on('pageerror', (error) => trouble.push(error.message))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) trouble.push(`went to ${request.url()}`)
  })
  const { code } = daemon.system.access.issueLoginCode({ user_id: 'local', privilege: 'admin' })
  await page.goto(`${url}/login?code=${code}`)
  return { daemon, phone, page, trouble }
}
