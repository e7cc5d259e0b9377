import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROBE_COOLDOWN_MS } from '../../src/domain/capabilities/probe.ts'
import { startDaemon } from '../kit/daemon.ts'
import { runPractice } from '../practice/practice-session.ts'
import { ok, startTeaching } from '../teach/teaching.ts'
import { listClusters, scan } from './climate-phone.ts'
import { insertPastExecution } from './past-executions.ts'

const HUB_APP = 'org.example.hub'
const SIM_APPS_FOLDER = join(import.meta.dirname, '../practice/apps')

test('practice, tests of a draft and health checks are no workflows of the user', async () => {
  const { daemon } = await startTeaching({ config: { simApps: SIM_APPS_FOLDER } })
  const { practice } = await runPractice(daemon, { goal: 'Enable quiet hours', app: HUB_APP })
  expect(practice.outcome).toBe('proven')
  const proposal = `/api/learn/proposals/${practice.proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  for (let probes = 0; probes < 3; probes += 1) {
    await ok(daemon, '/api/capabilities/reprobe', { capability_id: ability_id })
    daemon.clock.advance(PROBE_COOLDOWN_MS + 1000)
  }
  const { executions } = (await daemon.get('/api/executions?page_size=100')).json<{
    executions: { source: string }[]
  }>()
  const sources = new Set(executions.map(({ source }) => source))
  expect([...sources]).toEqual(expect.arrayContaining(['practice', 'probe']))
  expect(await scan(daemon)).toMatchObject({ clusters_seen: 0, proposals_created: [], gate_failures: [] })
}, 120_000)

test.each(['probe', 'rehearsal', 'canary', 'practice', 'validation', 'verification', 'skill_test'])(
  'executions of the source %s are left out; those of a caller with that name are not',
  async (source) => {
    const daemon = await startDaemon()
    for (let count = 0; count < 3; count += 1) await insertPastExecution(daemon, { source, command: `${source}-` })
    expect(await scan(daemon)).toMatchObject({ clusters_seen: 0, proposals_created: [] })
    await insertPastExecution(daemon, { source })
    expect(await scan(daemon)).toMatchObject({ clusters_seen: 1 })
    expect((await listClusters(daemon))[0]?.successful_trace_ids).toHaveLength(1)
  },
)
