import { type BrowserContext, chromium, type Page } from 'playwright-core'

export interface LoginWindow {
  /** A browser that can show windows. */
  readonly executable: string
  /** The page to sign in to. */
  readonly address: string
  /** Whether there is no window. For tests. */
  readonly headless?: boolean
  onOpened?(page: Page): void
}

/** Cookies and local storage. */
export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

const READ_EVERY_MS = 2000

/**
 * Opens a browser in which a person signs in, and resolves when its window is closed. The state is read while the window is
 * open, because a browser that a person ends takes its state with it.
 */
export async function openLoginWindow(given: LoginWindow): Promise<StorageState> {
  const { executable, address, headless = false } = given
  const sandboxed = process.getuid?.() !== 0
  const browser = await chromium
    .launch({ executablePath: executable, headless, chromiumSandbox: sandboxed })
    .catch((error: unknown) => {
      // The rest is all that the browser printed.
      const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
      throw new Error(`${executable} could not be opened: ${reason}`, { cause: error })
    })
  const context = await browser.newContext({ viewport: null, acceptDownloads: false })
  let state: StorageState = { cookies: [], origins: [] }
  const read = async (): Promise<void> => {
    state = await context.storageState().catch(() => state)
  }
  const timer = setInterval(() => void read(), READ_EVERY_MS)
  try {
    const page = await context.newPage()
    page.on('load', () => void read())
    const closed = new Promise<void>((resolve) => {
      const endWithLast = (): void => (context.pages().length === 0 ? resolve() : undefined)
      page.on('close', endWithLast)
      context.on('page', (more) => more.on('close', endWithLast))
      browser.on('disconnected', () => resolve())
    })
    given.onOpened?.(page)
    // A page that cannot be loaded says so itself; the person may correct the address.
    await page.goto(address).catch(() => undefined)
    await closed
    await read()
    return state
  } finally {
    clearInterval(timer)
    await browser.close()
  }
}
