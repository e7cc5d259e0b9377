import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { asking, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  abilityId,
  install,
  installed,
  projected,
  readied,
  reviewed,
} from '../install/installing.ts'
import { drafted, withRecipe } from '../validation/drafted.ts'
import { noteRecipe } from '../validation/recipes.ts'

const ability = `/api/abilities/${abilityId}`
const capability = { capability_id: abilityId }

const withAbility = (ask: (daemon: Daemon) => ReturnType<Scenario>): Scenario =>
  asking(async (daemon) => {
    await installed(daemon)
    return ask(daemon)
  })

/** A run of an ability that is done on a phone; its id. */
async function aRun(daemon: Daemon): Promise<string> {
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  await install(daemon, await readied(daemon, draft))
  const made = await daemon.post(`${ability}/run`, { inputs: { title: 'Bread' } })
  expect(made.statusCode, made.body).toBe(202)
  return made.json<{ run: { run_id: string } }>().run.run_id
}

export const installedScenarios = {
  ABILITY_UNUSABLE: withAbility(async (daemon) => {
    await daemon.post(`${ability}/deactivate`)
    return daemon.post(`${ability}/run`)
  }),
  ABILITY_VERSION_NOT_FOUND: withAbility((daemon) => daemon.post(`${ability}/rollback`)),
  ABILITY_RUN_NOT_FOUND: asking((daemon) => daemon.get(`/api/abilities/runs/${randomUUID()}`)),
  ABILITY_RUN_WITHOUT_TROUBLE: async () => {
    const daemon = await startDaemon({ config: { phone: 'simulated' } })
    return daemon.post(`/api/abilities/runs/${await aRun(daemon)}/improve`)
  },
  INSTALL_IN_PROGRESS: asking(async (daemon) => {
    const { url } = await reviewed(daemon)
    const [, second] = await Promise.all([
      daemon.post(`${url}/install`),
      daemon.post(`${url}/install`),
    ])
    return second
  }),
  INSTALL_NOT_FOUND: asking((daemon) => daemon.get(`/api/learn/installs/${randomUUID()}`)),
  MATERIALIZATION_FAILED: asking(async (daemon) => {
    const { url } = await reviewed(daemon)
    mkdirSync(dirname(projected(daemon)), { recursive: true })
    writeFileSync(projected(daemon), 'in the way')
    return daemon.post(`${url}/install`)
  }),
  BRIDGE_REBUILD_FAILED: withAbility(async (daemon) => {
    await daemon.system.store.write((tx) => {
      tx.db.exec(`UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')`)
    })
    return daemon.post(`${ability}/deactivate`)
  }),
  CAPABILITY_NOT_FOUND: asking((daemon) => daemon.post('/api/capabilities/explain', capability)),
  CAPABILITY_NOT_QUARANTINED: withAbility((daemon) =>
    daemon.post('/api/capabilities/quarantine/clear', { ...capability, reason: 'Mended' }),
  ),
  PROBE_UNAVAILABLE: withAbility((daemon) => daemon.post('/api/capabilities/reprobe', capability)),
} satisfies Partial<Record<FailureCode, Scenario>>
