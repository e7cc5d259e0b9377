import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { installRecipe, readRoom } from '../runs/installed-recipe.ts'

const skill_id = 'com.example.app.do-it'
const created = (daemon: Daemon) => daemon.post('/api/skills', { skill_id })

function write(daemon: Daemon, path: string, content: string): void {
  mkdirSync(join(daemon.home, path, '..'), { recursive: true })
  writeFileSync(join(daemon.home, path), content)
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
  ARTIFACT_NOT_FOUND: withDaemon(async (daemon) => {
    await created(daemon)
    return daemon.post(`/api/skills/${skill_id}/compile`, { artifact: 'none' })
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
