import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { findBrowser } from '../../src/setup/system-packages.mjs'

/** A page on a busy machine is late, not wrong. */
const PATIENCE_MS = 120_000

/** The path of an installed browser. */
export const browserPath = findBrowser()

if (browserPath === undefined) {
  process.stderr.write('No Chromium on the PATH: the page tests are SKIPPED.\n')
}

/** The browser of this worker. It ends with the worker. */
let browser: Promise<Browser> | undefined

/** Opens an empty profile of a browser. It is closed when the test finishes. */
export async function openBrowser(): Promise<BrowserContext> {
  browser ??= startBrowser()
  const context = await (await browser).newContext({ reducedMotion: 'reduce' })
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
