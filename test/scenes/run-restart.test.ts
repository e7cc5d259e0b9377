import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { browserPath, REPORT, type RunReply, waitForRun, writeScene } from './page-scene.ts'
import { openSite, sendPage } from './page-site.ts'

test.skipIf(browserPath === undefined)(
  'after a stop a running run is interrupted and not repeated, and a queued one goes on',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const site = await openSite({ '/': sendPage('page'), '/ran': sendPage('ran') })
    onTestFinished(() => site.close())
    writeScene(home, { id: 'waiting', site, collect: 'await fetch("/ran"); await new Promise(() => {})' })
    writeScene(home, { id: 'quick', site, collect: `return ${REPORT}` })
    const daemon = await startDaemon({ home })
    const start = async (scene_id: string) =>
      (await daemon.post('/api/scenes/runs', { scene_id })).json<RunReply>().run.run_id
    const running = await start('waiting')
    const queued = await start('quick')
    await waitForRun(daemon, running, ({ phase }) => phase === 'running_script')
    await expect.poll(() => site.requested).toContain('/ran')
    const processes = daemon.system.sceneRuns.browser.processes
    await daemon.stop()
    expect(processes.filter(isAlive)).toEqual([])

    const next = await startDaemon({ home })
    const done = await waitForRun(next, queued, ({ settled_at }) => settled_at !== undefined)
    expect(done).toMatchObject({ state: 'succeeded' })
    const ended = (await next.get(`/api/scenes/runs/${running}`)).json<RunReply>().run
    expect(ended).toMatchObject({
      state: 'interrupted',
      outcome: { artifact_status: 'error', problem: { code: 'SCENE_RUN_INTERRUPTED' } },
    })
    expect(site.requested.filter((path) => path === '/ran')).toHaveLength(1)
  },
)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
