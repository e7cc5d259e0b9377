import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import type { SceneConsoleLine } from '@apprentice/contracts/scenes/run.ts'
import type { TraceCollector } from './page-trace.ts'

const LEVELS: Readonly<Record<string, SceneConsoleLine['level']>> = {
  debug: 'debug',
  error: 'error',
  assert: 'error',
  warning: 'warning',
}

const PRINTING = 'Printing prevented'

/** What the console says if a page tried something that was prevented before it began. */
const PREVENTED = [
  { text: PRINTING, kind: 'dialog' },
  { text: 'Service Worker registration blocked', kind: 'service_worker' },
  { text: 'Not allowed to load local resource', kind: 'file' },
  { text: 'Fetch API cannot load file:', kind: 'file' },
] as const

/** Refuses what opens a window, a dialog or a file, and collects what the page prints. */
export async function watchPages(context: BrowserContext, own: Page, trace: TraceCollector): Promise<void> {
  // Printing would open a dialog in a browser with windows.
  await context.addInitScript(`window.print = () => console.debug(${JSON.stringify(PRINTING)})`)
  context.on('page', (page) => {
    if (page === own) return
    trace.contain('pop_up', withoutQuery(page.url()))
    void page.close().catch(() => undefined)
  })
  own.on('dialog', (dialog) => {
    trace.contain('dialog', `${dialog.type()}: ${dialog.message()}`)
    void dialog.dismiss().catch(() => undefined)
  })
  own.on('download', (download) => {
    trace.contain('download', withoutQuery(download.url()))
    void download.cancel().catch(() => undefined)
  })
  own.on('console', (message) => readConsole(message, trace))
  own.on('pageerror', (error) => trace.print('error', error.message))
}

function readConsole(message: ConsoleMessage, trace: TraceCollector): void {
  const text = message.text()
  const prevented = PREVENTED.find((one) => text.startsWith(one.text))
  if (prevented === undefined) trace.print(LEVELS[message.type()] ?? 'info', text)
  else trace.contain(prevented.kind, text)
}

const withoutQuery = (url: string): string => (url.startsWith('data:') ? 'data:' : (url.split(/[?#]/, 1)[0] ?? ''))
