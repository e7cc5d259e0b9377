import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { insertSceneRun } from '../../src/store/scenes/scene-runs.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { upload } from '../skill-import/import-kit.ts'
import { installRecipe, readRoom } from '../runs/installed-recipe.ts'

const skill_id = 'com.example.app.do-it'
const created = (daemon: Daemon) => daemon.post('/api/skills', { skill_id })

function write(daemon: Daemon, path: string, content: string): void {
  mkdirSync(join(daemon.home, path, '..'), { recursive: true })
  writeFileSync(join(daemon.home, path), content)
}

const SAMPLES = { settings: { scenes: { samples: true, roots: [] } } }
const instruction = '兰州公司 2026年3月 台区线损 月累计。。。'

/** A run that was cancelled before it began. */
async function addCancelledRun({ system, clock }: Daemon): Promise<string> {
  const plan = await system.sceneRuns.plan({ instruction })
  const [run_id, now] = [randomUUID(), clock.now.toISOString()]
  const row = { run_id, plan, scene_id: plan.scene_id, owner_user_id: 'local', timeout_ms: 1000, created_at: now }
  await system.store.write((tx) => insertSceneRun(tx, { ...row, state: 'cancelled', settled_at: now }))
  return run_id
}

export const skillScenarios = {
  RECIPE_COMPAT_OUT_OF_RANGE: async () => {
    const daemon = await startDaemon({ config: { phone: 'simulated' } })
    const recipe = { ...readRoom, compatibility: { max_version_code: 1 } }
    const ability = await installRecipe(daemon, recipe)
    const body = { inputs: { room: 'Lobby' }, strict_compat: true }
    return daemon.post(`/api/abilities/${ability}/run`, body)
  },
  REGISTRY_READ_FAILED: withDaemon((daemon) => {
    write(daemon, 'skills/skills-registry.json', 'no JSON')
    return created(daemon)
  }),
  SKILL_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/skills/${skill_id}`)),
  SKILL_ID_INVALID: withDaemon((daemon) => daemon.post('/api/skills', { skill_id: 'nodot' })),
  SKILL_ALREADY_EXISTS: withDaemon(async (daemon) => {
    await created(daemon)
    return created(daemon)
  }),
  SKILLS_SCAFFOLD_FAILED: withDaemon((daemon) => daemon.post('/api/skills', { skill_id, recording_context: '{}' })),
  SKILL_VALIDATION_FAILED: withDaemon(async (daemon) => {
    await created(daemon)
    write(daemon, `skills/${skill_id}/skill.json`, '{}')
    return daemon.post(`/api/skills/${skill_id}/validate`)
  }),
  SCENE_GENERATION_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/scenes/generations/${randomUUID()}`)),
  SCENE_GENERATION_NOT_SETTLED: withDaemon(async (daemon) => {
    const { temp_artifact } = await upload(daemon, [{ name: 'a.txt', content: 'no page' }])
    const { temp_artifact_ref } = temp_artifact
    await daemon.system.bundles.removeUpload(temp_artifact_ref)
    const reply = await daemon.post('/api/scenes/generate', { temp_artifact_ref })
    const { generation_id } = reply.json<{ generation: { generation_id: string } }>().generation
    await daemon.system.jobs.waitUntilSettled(generation_id, 60_000)
    return daemon.get(`/api/scenes/generations/${generation_id}/package`)
  }),
  SCENE_NOT_FOUND: withDaemon((daemon) => daemon.get('/api/scenes/none')),
  SCENE_REFUSED: withDaemon(async (daemon) => {
    write(daemon, 'skills/later/scene.toml', '[manifest]\nschema_version = "9"\n[scene]\nid = "later"\n')
    await vi.waitUntil(async () => (await daemon.system.scenes.catalog()).refusals.length > 0, { timeout: 60_000 })
    return daemon.get('/api/scenes/later')
  }),
  SCENE_NOT_PLANNED: withDaemon((daemon) => daemon.post('/api/scenes/runs', { instruction: 'hello' })),
  SCENE_BROWSER_MISSING: async () => {
    const daemon = await startDaemon(SAMPLES)
    const { PATH } = process.env
    process.env['PATH'] = '/nonexistent'
    return daemon.post('/api/scenes/runs', { instruction }).finally(() => {
      process.env['PATH'] = PATH
    })
  },
  SCENE_RUN_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/scenes/runs/${randomUUID()}`)),
  SCENE_RUN_SETTLED: async () => {
    const daemon = await startDaemon(SAMPLES)
    return daemon.post(`/api/scenes/runs/${await addCancelledRun(daemon)}/cancel`)
  },
  SCENE_REPORT_NOT_FOUND: async () => {
    const daemon = await startDaemon(SAMPLES)
    return daemon.get(`/api/scenes/runs/${await addCancelledRun(daemon)}/report`)
  },
  SCENE_PROFILE_NOT_FOUND: withDaemon((daemon) => daemon.delete(`/api/scenes/profiles/${randomUUID()}`)),
  ARTIFACT_NOT_FOUND: withDaemon(async (daemon) => {
    await created(daemon)
    return daemon.post(`/api/skills/${skill_id}/compile`, { artifact: 'none' })
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
