import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { createHome, serve } from '../commands/program.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { browserPath, REPORT, runScene, type RunReply, writeScene } from './page-scene.ts'
import { openSite, sendPage, type Site } from './page-site.ts'

const KILLER = join(import.meta.dirname, '../install/killer.mjs')
const DAY_MS = 24 * 3_600_000
let site: Site

beforeAll(async () => {
  site = await openSite({ '/': sendPage('page'), '/ran': sendPage('ran') })
})
afterAll(() => site.close())

interface Killed {
  readonly home: string
  /** The folder in which the daemon and its browser put temporary files. */
  readonly temporary: string
}

const authorization = { authorization: `Bearer ${adminToken}` }

/** Starts a daemon as a process. It is killed with the test at the latest. */
async function serveScenes(env: Readonly<Record<string, string>> = {}) {
  const home = createHome()
  const temporary = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }))
  site.requested.length = 0
  writeScene(home, { id: 'endless', site, collect: 'await fetch("/ran"); for (;;) {}' })
  writeScene(home, { id: 'quick', site, collect: `await fetch("/ran"); return ${REPORT}` })
  const { url, child } = await serve(home, { APPRENTICE_TOKEN: adminToken, TMPDIR: temporary, ...env })
  const gone = once(child, 'exit')
  const start = (scene_id: string): Promise<Response> =>
    fetch(`${url}/api/scenes/runs`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ scene_id, wait_ms: 0 }),
    })
  return { home, temporary, url, child, gone, start }
}

/** A file about a process. Empty if the process has ended, or is that of another user. */
function readProcess(pid: number, name: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

const readCommandLine = (pid: number): string => readProcess(pid, 'cmdline')

const listPids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** The command lines of processes that use a folder for their temporary files. */
const listProcesses = (folder: string): string[] =>
  listPids()
    .filter((pid) => readCommandLine(pid).includes(folder) || readProcess(pid, 'environ').includes(folder))
    .map(readCommandLine)

/** The processes that a process started, and those that they started. */
function listDescendants(pid: number): number[] {
  // After the name, which is in brackets, there are the state and the id of the parent.
  const findParent = (one: number): number => Number(/\) \S (\d+)/.exec(readProcess(one, 'stat'))?.[1])
  const children = listPids().filter((one) => findParent(one) === pid)
  return children.flatMap((child) => [child, ...listDescendants(child)])
}

/** The browser ends without its daemon, and takes its files with it. */
async function expectNothingRuns({ temporary }: Killed): Promise<void> {
  await expect.poll(() => listProcesses(temporary), { timeout: 30_000 }).toEqual([])
  await expect.poll(() => readdirSync(temporary), { timeout: 30_000 }).toEqual([])
}

async function readOnlyRun(daemon: Daemon): Promise<SceneRun> {
  const reply = await daemon.get('/api/scenes/runs')
  const { runs } = reply.json<{ runs: SceneRun[] }>()
  expect(runs).toHaveLength(1)
  const [run] = runs
  if (run === undefined) throw new Error(reply.body)
  return run
}

const listReports = ({ home }: Killed): string[] =>
  readdirSync(home).includes('reports')
    ? readdirSync(join(home, 'reports'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []

/** A next run starts a browser of its own, and its report is stored once per format. */
async function expectNextRunWorks(daemon: Daemon): Promise<void> {
  const run = await runScene(daemon, { scene_id: 'quick' })
  expect(run).toMatchObject({ state: 'succeeded', files: [{ format: 'xlsx' }, { format: 'json' }, { format: 'csv' }] })
}

const readAbilityRun = async (daemon: Daemon, runId: string) =>
  (await daemon.get(`/api/ability-runs/${runId}`)).json<{ run: object }>().run

describe.skipIf(browserPath === undefined || process.platform !== 'linux')('a daemon that is killed', () => {
  test('while a script never stops: the browser ends, and the run is interrupted and not repeated', async () => {
    const killed = await serveScenes()
    const { run } = (await (await killed.start('endless')).json()) as RunReply
    await expect.poll(() => site.requested, { timeout: 60_000 }).toContain('/ran')
    const started = listDescendants(killed.child.pid ?? 0)
    const lines = started.map(readCommandLine)
    expect(lines.filter((line) => line.includes('--type=renderer')).length).toBeGreaterThan(0)
    killed.child.kill('SIGKILL')
    expect(await killed.gone).toEqual([null, 'SIGKILL'])
    await expectNothingRuns(killed)
    // Also the one that the script keeps busy.
    await expect
      .poll(() => started.map(readCommandLine).filter((line) => line !== '' && lines.includes(line)))
      .toEqual([])

    const daemon = await startDaemon({ home: killed.home, now: new Date().toISOString() })
    expect(await readOnlyRun(daemon)).toMatchObject({
      run_id: run.run_id,
      state: 'interrupted',
      outcome: { artifact_status: 'error', problem: { code: 'SCENE_RUN_INTERRUPTED' } },
      files: [],
    })
    expect(await readAbilityRun(daemon, run.run_id)).toMatchObject({ state: 'indeterminate' })
    expect(listReports(killed)).toEqual([])
    await expectNextRunWorks(daemon)
    // The next run fetched it as well; the interrupted one did not again.
    expect(site.requested.filter((path) => path === '/ran')).toHaveLength(2)
  })

  /** What the database has been told of a run, in order. */
  const WRITES = ['queued', 'started', 'opening', 'checking', 'running', 'exporting', 'xlsx', 'csv', 'json', 'settled']
  const atWrite = (name: string): number => WRITES.indexOf(name) + 1

  test.each([
    ['when the script has ended', `inside:${atWrite('exporting')}`, 0],
    ['when the report is exported and not committed', `inside:${atWrite('xlsx')}`, 3],
    ['before the end of the run is committed', `inside:${atWrite('settled')}`, 3],
  ])('%s: the run is interrupted, and its report is neither kept nor made again', async (_when, moment, files) => {
    const killed = await killAt(moment)
    expect(listReports(killed)).toHaveLength(files)
    for (const file of listReports(killed)) makeOld(file)

    const daemon = await startDaemon({ home: killed.home, now: new Date().toISOString() })
    const run = await readOnlyRun(daemon)
    expect(run).toMatchObject({ state: 'interrupted', files: [] })
    expect((await daemon.get(`/api/scenes/runs/${run.run_id}/report`)).json()).toMatchObject({
      error: { code: 'SCENE_REPORT_NOT_FOUND' },
    })
    await expect.poll(() => listReports(killed)).toEqual([])
    expect(readdirSync(join(killed.home, 'scene-results'))).toEqual([])
    await expectNextRunWorks(daemon)
    expect(site.requested.filter((path) => path === '/ran')).toHaveLength(2)
  })

  test('after the end of the run is committed: the run has succeeded and keeps its report', async () => {
    const killed = await killAt(`after:${atWrite('settled')}`)
    const reports = listReports(killed)
    expect(reports).toHaveLength(3)
    for (const file of reports) makeOld(file)

    const daemon = await startDaemon({ home: killed.home, now: new Date().toISOString() })
    const run = await readOnlyRun(daemon)
    expect(run).toMatchObject({
      state: 'succeeded',
      files: [{ format: 'xlsx' }, { format: 'json' }, { format: 'csv' }],
    })
    expect(await readAbilityRun(daemon, run.run_id)).toMatchObject({ state: 'success' })
    expect((await daemon.get(`/api/scenes/runs/${run.run_id}/report?format=csv`)).body).toContain("'=1+1")
    await expectNextRunWorks(daemon)
    expect(reports.filter((file) => !listReports(killed).includes(file))).toEqual([])
    expect(site.requested.filter((path) => path === '/ran')).toHaveLength(2)
  })
})

/** Kills a daemon at a moment of a run of the scene `quick`. */
async function killAt(moment: string): Promise<Killed> {
  const killed = await serveScenes({
    KILL_AT: moment,
    KILL_TABLES: 'scene_runs|scene_run_files',
    NODE_OPTIONS: `--import ${KILLER}`,
  })
  await killed.start('quick')
  expect(await killed.gone).toEqual([null, 'SIGKILL'])
  await expectNothingRuns(killed)
  expect(site.requested.filter((path) => path === '/ran')).toHaveLength(1)
  return killed
}

/** As if it had been stored a day ago. */
function makeOld(file: string): void {
  const time = new Date(Date.now() - DAY_MS)
  utimesSync(file, time, time)
}
