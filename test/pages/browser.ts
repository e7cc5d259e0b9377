import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** A browser somebody installed, if there is one. */
export const browserPath = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, name)))
  .find(isProgram)

if (browserPath === undefined) {
  process.stderr.write('No Chromium on the PATH: the tests of pages are SKIPPED.\n')
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A fresh browser with nothing remembered; it is closed with the test. */
export async function openBrowser(): Promise<BrowserContext> {
  if (browserPath === undefined) throw new Error('There is no browser.')
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
