import { findBrowser } from '../../browser/find-browser.ts'
import { type Config, readSearchPath } from '../../config/config.ts'
import { formatRefusal } from '../../knowledge/scenes/scene-entry.ts'
import { openSceneLibrary } from '../../skill-runtime/open-scenes.ts'
import type { Check } from './check.ts'

const ID = 'scenes'
const BROWSER_ID = 'scenes.browser'

/** Warns about scene packages that were refused. */
export async function checkScenes(config: Config): Promise<Check> {
  const library = openSceneLibrary(config, () => undefined)
  try {
    const { scenes, refusals } = await library.catalog()
    if (refusals.length === 0) return { id: ID, status: 'pass', summary: `${scenes.length} registered` }
    return {
      id: ID,
      status: 'warn',
      summary: `${scenes.length} registered; refused: ${refusals.map(formatRefusal).join('; ')}`,
      fix: 'change the files; the running daemon reads them again by itself',
    }
  } finally {
    library.close()
  }
}

/** Whether scenes can run here, and whether the browser contains their pages in a sandbox of its own. */
export function checkSceneBrowser(isRoot = process.getuid?.() === 0): Check {
  const path = findBrowser(readSearchPath())
  if (path === undefined) {
    return {
      id: BROWSER_ID,
      status: 'warn',
      summary: 'no Chromium; scenes cannot run (SCENE_BROWSER_MISSING)',
      fix: 'install chromium-headless-shell or chromium',
    }
  }
  if (!isRoot) return { id: BROWSER_ID, status: 'pass', summary: path }
  return {
    id: BROWSER_ID,
    status: 'warn',
    summary: `${path}; without its sandbox, because Chromium refuses that to the user root`,
    fix: 'run the daemon as an ordinary user',
  }
}
