import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** A page on a busy machine is late, not wrong. */
const PATIENCE_MS = 120_000

/** The path of an installed browser. */
export const browserPath = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, name)))
  .find(isProgram)

if (browserPath === undefined) {
  process.stderr.write('No Chromium on the PATH: the page tests are SKIPPED.\n')
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser of this worker. It ends with the worker. */
let browser: Promise<Browser> | undefined

/** Opens an empty profile of a browser. It is closed when the test finishes. */
export async function openBrowser(): Promise<BrowserContext> {
  browser ??= startBrowser()
  const context = await (await browser).newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  onTestFinished(() => context.close())
  return context
}

function startBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error('No browser is installed.')
  return chromium.launch({
    executablePath: browserPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
