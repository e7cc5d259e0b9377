import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'

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

/** Opens a browser with an empty profile. It is closed when the test finishes. */
export async function openBrowser(): Promise<BrowserContext> {
  if (browserPath === undefined) throw new Error('No browser is installed.')
  const browser: Browser = await chromium.launch({
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
  onTestFinished(() => browser.close())
  return browser.newContext()
}
