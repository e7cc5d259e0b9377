import type { Page } from 'playwright-core'
import type { Phone } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { openBrowser } from './browser.ts'

export interface OpenDashboard {
  readonly daemon: Daemon
  readonly phone: Phone
  readonly page: Page
  /** Errors of the console, and requests to other servers. */
  readonly problems: string[]
}

interface Viewport {
  readonly width: number
  readonly height: number
}

/** Opens a browser that is logged in to the given daemon, or to a new one. */
export async function openDashboard(viewport?: Viewport, given?: Daemon): Promise<OpenDashboard> {
  const daemon = given ?? (await startDaemon({ config: { phone: 'simulated' } }))
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  return { daemon, phone, ...(await openPage(daemon, viewport === undefined ? {} : { viewport })) }
}

/** Opens a browser that is logged in to a daemon, for the user of a token or the administrator. */
export async function openPage(
  daemon: Daemon,
  { viewport = { width: 1280, height: 900 }, token }: { viewport?: Viewport; token?: string } = {},
): Promise<Pick<OpenDashboard, 'page' | 'problems'>> {
  const { url } = await daemon.listen()
  const context = await openBrowser()
  const page = await context.newPage()
  await page.setViewportSize(viewport)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) problems.push(`requested ${request.url()}`)
  })
  const { code } = (await daemon.post('/api/login-codes', undefined, token)).json<{ code: string }>()
  await page.goto(`${url}/login?code=${code}`)
  return { page, problems }
}
