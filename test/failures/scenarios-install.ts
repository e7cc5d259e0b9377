import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  ABILITY_ID,
  install,
  installProposal,
  projectedRoot,
  validateDraft,
  prepareProposal,
} from '../install/install-kit.ts'
import { draftProposal, putRecipe } from '../validation/drafts.ts'
import { noteRecipe } from '../validation/recipes.ts'

const ability = `/api/abilities/${ABILITY_ID}`
const capability = { capability_id: ABILITY_ID }

const withAbility = (send: (daemon: Daemon) => ReturnType<Scenario>): Scenario =>
  withDaemon(async (daemon) => {
    await installProposal(daemon)
    return send(daemon)
  })

/** Runs an ability on a phone. Returns the id of the run. */
async function createRun(daemon: Daemon): Promise<string> {
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  await install(daemon, await validateDraft(daemon, draft))
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
  ABILITY_RUN_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/abilities/runs/${randomUUID()}`)),
  ABILITY_RUN_WITHOUT_TROUBLE: async () => {
    const daemon = await startDaemon({ config: { phone: 'simulated' } })
    return daemon.post(`/api/abilities/runs/${await createRun(daemon)}/improve`)
  },
  INSTALL_IN_PROGRESS: withDaemon(async (daemon) => {
    const { url } = await prepareProposal(daemon)
    const [, second] = await Promise.all([daemon.post(`${url}/install`), daemon.post(`${url}/install`)])
    return second
  }),
  INSTALL_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/learn/installs/${randomUUID()}`)),
  MATERIALIZATION_FAILED: withDaemon(async (daemon) => {
    const { url } = await prepareProposal(daemon)
    mkdirSync(dirname(projectedRoot(daemon)), { recursive: true })
    writeFileSync(projectedRoot(daemon), 'in the way')
    return daemon.post(`${url}/install`)
  }),
  BRIDGE_REBUILD_FAILED: withAbility(async (daemon) => {
    await daemon.system.store.write((tx) => {
      tx.db.exec(`UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')`)
    })
    return daemon.post(`${ability}/deactivate`)
  }),
  CAPABILITY_NOT_FOUND: withDaemon((daemon) => daemon.post('/api/capabilities/explain', capability)),
  CAPABILITY_NOT_QUARANTINED: withAbility((daemon) =>
    daemon.post('/api/capabilities/quarantine/clear', { ...capability, reason: 'Mended' }),
  ),
  PROBE_UNAVAILABLE: withAbility((daemon) => daemon.post('/api/capabilities/reprobe', capability)),
} satisfies Partial<Record<FailureCode, Scenario>>
