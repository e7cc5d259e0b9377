import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { findBrowser } from '../../src/browser/find-browser.ts'
import { readSearchPath } from '../../src/config/config.ts'
import type { Daemon } from '../kit/daemon.ts'
import type { Site } from './page-site.ts'

/** The path of an installed browser. Suites that need one are skipped without it. */
export const browserPath = findBrowser(readSearchPath())

if (browserPath === undefined) process.stderr.write('No Chromium on the PATH: the tests of scenes are SKIPPED.\n')

export interface PageScene {
  readonly id: string
  readonly site: Pick<Site, 'url'>
  /** The body of `collect(args)`. */
  readonly collect: string
  readonly path?: string
  readonly domain?: string
}

/** A report of one row, as the source of an expression. */
export const REPORT = `{ type: 'report-artifact', status: 'ok', title: 'A report', period: null,
  columns: [{ key: 'a', label: 'A', type: 'text' }], rows: [{ a: '=1+1' }], warnings: [],
  source: { url: location.href, collected_at: new Date().toISOString() } }`

/** Writes a package into the home and waits until it is registered. Its keyword is its id. */
export async function addScene(daemon: Daemon, scene: PageScene): Promise<void> {
  writeScene(daemon.home, scene)
  await vi.waitFor(
    async () => {
      const { error } = (await daemon.get(`/api/scenes/${scene.id}`)).json<{ error?: object }>()
      if (error !== undefined) throw new Error(JSON.stringify(error))
    },
    { timeout: 20_000, interval: 50 },
  )
}

export function writeScene(home: string, { id, site, collect, path = '/', domain = '127.0.0.1' }: PageScene): void {
  const files = {
    'scene.toml': writeManifest(id, domain, site.url.replace('127.0.0.1', domain) + path),
    'SKILL.toml': `[skill]\nname = "${id}"\nversion = "1.0.0"\ndescription = "A report"\n[[tools]]\nname = "collect"\ndescription = "Collects"\nkind = "browser_script"\ncommand = "scripts/collect.js"\n`,
    'SKILL.md': `# ${id}\n`,
    'scripts/collect.js': `async function collect(args) { ${collect} }\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, 'skills', id, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const writeManifest = (id: string, domain: string, url: string): string => `
[manifest]
schema_version = "1"
[scene]
id = "${id}"
skill = "${id}"
tool = "collect"
kind = "browser_script"
version = "1.0.0"
category = "report_collection"
[bootstrap]
expected_domain = "${domain}"
target_url = "${url}"
[deterministic]
include_keywords = ["${id}"]
[artifact]
type = "report-artifact"
[postprocess]
exporter = "xlsx_report"
`

export interface RunReply {
  readonly run: SceneRun
}

/** Starts a run and waits for its end. */
export async function runScene(daemon: Daemon, body: object): Promise<SceneRun> {
  const reply = await daemon.post('/api/scenes/runs', { wait_ms: 120_000, ...body })
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json<RunReply>().run
}

export async function waitForRun(
  daemon: Daemon,
  runId: string,
  isReached: (run: SceneRun) => boolean,
): Promise<SceneRun> {
  const find = async () => (await daemon.get(`/api/scenes/runs/${runId}`)).json<RunReply>().run
  return vi.waitFor(
    async () => {
      const run = await find()
      if (!isReached(run)) throw new Error(`The run is ${run.state} in ${run.phase ?? 'no phase'}.`)
      return run
    },
    { timeout: 60_000, interval: 30 },
  )
}
