import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addScene, browserPath, REPORT, type RunReply, runScene } from './page-scene.ts'
import { openSite, sendPage, type Site } from './page-site.ts'

const ABILITY = 'scene.watched'
/** The script does what its page says. */
const COLLECT = `const wanted = document.querySelector('p').textContent
  if (wanted === 'throw') throw new Error('no table')
  if (wanted === 'shape') return { ...${REPORT}, columns: 5 }
  if (wanted === 'blocked') return { ...${REPORT}, status: 'blocked' }
  return ${REPORT}`
let site: Site
let shown = 'fine'

beforeAll(async () => {
  site = await openSite({
    '/': (reply) => (shown === 'down' ? reply.writeHead(503).end() : sendPage(`<p>${shown}</p>`)(reply)),
  })
})
afterAll(() => site.close())

async function startWatched(): Promise<Daemon> {
  const daemon = await startDaemon()
  await addScene(daemon, { id: 'watched', site, collect: COLLECT })
  await daemon.system.scenesStored()
  return daemon
}

async function run(daemon: Daemon, page: string, token?: string) {
  shown = page
  const reply = await daemon.post('/api/scenes/runs', { scene_id: 'watched', wait_ms: 60_000 }, token)
  return reply.json<RunReply>().run
}

interface Health {
  readonly health_status: string
  readonly reason_codes: string[]
}

async function readHealth(daemon: Daemon): Promise<Health> {
  const reply = await daemon.get('/api/capabilities/health')
  const found = reply.json<{ capabilities: (Health & { capability_id: string })[] }>().capabilities
  const one = found.find(({ capability_id }) => capability_id === ABILITY)
  if (one === undefined) throw new Error(reply.body)
  return one
}

async function readStats(daemon: Daemon) {
  const reply = await daemon.get('/api/capabilities/stats')
  return reply.json<{ stats: object[] }>().stats
}

const readAvailability = async (daemon: Daemon) => (await daemon.get(`/api/abilities/${ABILITY}/availability`)).json()

describe.skipIf(browserPath === undefined)('the health of a scene', () => {
  test('is that of its runs: a success proves it, and only failures of its package count', async () => {
    const daemon = await startWatched()
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'unknown' })
    await run(daemon, 'fine')
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy' })
    expect(await readStats(daemon)).toMatchObject([{ capability_id: ABILITY, uses: 1, successes: 1 }])

    // The system is down, or says that nobody is signed in: not the fault of the package.
    const others = [...Array.from({ length: 4 }, () => 'down'), 'blocked', 'blocked', 'blocked']
    for (const page of others) expect(await run(daemon, page)).toMatchObject({ state: 'failed' })
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy' })
    expect(await readStats(daemon)).toMatchObject([{ uses: 8, successes: 1, failures: 7 }])

    // Failures of several users, because all of them share the scene.
    const tokens = [undefined, await daemon.tokenFor('ann'), await daemon.tokenFor('ben')]
    for (const token of tokens) await run(daemon, 'throw', token)
    expect(await readHealth(daemon)).toMatchObject({
      health_status: 'degraded',
      reason_codes: ['repeated_failures'],
    })
    for (const token of tokens) await run(daemon, 'shape', token)
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'quarantined' })
    await vi.waitFor(
      async () => {
        daemon.clock.advance(1000)
        daemon.system.jobs.dispatchDue()
        expect(await readAvailability(daemon)).toMatchObject({
          usable_now: false,
          reason_unusable: 'capability_quarantined',
        })
      },
      { timeout: 20_000, interval: 50 },
    )
    const refused = await daemon.post('/api/scenes/runs', { scene_id: 'watched' })
    expect(refused.json()).toMatchObject({ error: { code: 'ABILITY_UNUSABLE' } })

    // An administrator may clear it, and a mended package starts anew.
    const cleared = await daemon.post('/api/capabilities/quarantine/clear', {
      capability_id: ABILITY,
      reason: 'mended',
    })
    expect(cleared.statusCode).toBe(200)
    expect(await readAvailability(daemon)).toMatchObject({ usable_now: true })
    const script = join(daemon.home, 'skills/watched/scripts/collect.js')
    writeFileSync(script, `async function collect(args) { ${COLLECT} } // mended\n`)
    await vi.waitFor(
      async () => expect(await readAvailability(daemon)).toMatchObject({ current_version: 2, usable_now: true }),
      { timeout: 20_000, interval: 50 },
    )
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'unknown', reason_codes: [] })
    expect(await run(daemon, 'fine')).toMatchObject({ state: 'succeeded' })
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy' })
  })

  test('does not know of a run that was cancelled', async () => {
    const daemon = await startDaemon()
    await addScene(daemon, { id: 'watched', site, collect: 'await new Promise(() => {})' })
    shown = 'fine'
    const started = (await daemon.post('/api/scenes/runs', { scene_id: 'watched' })).json<RunReply>().run
    await daemon.post(`/api/scenes/runs/${started.run_id}/cancel`)
    expect(await readStats(daemon)).toEqual([])
    await expect(runScene(daemon, { scene_id: 'watched', timeout_ms: 1500 })).resolves.toMatchObject({
      outcome: { problem: { code: 'SCENE_TIMED_OUT' } },
    })
    // A use, and no reason to trust the scene less: the caller chose the time.
    expect(await readStats(daemon)).toMatchObject([{ uses: 1, failures: 1 }])
    expect(await readHealth(daemon)).toMatchObject({ health_status: 'unknown' })
  })
})
