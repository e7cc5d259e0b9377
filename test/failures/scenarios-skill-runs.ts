import { randomUUID } from 'node:crypto'
import { Settings } from '../../src/config/config.ts'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { startSkillDaemon, type SkillSpec, SKILL_ID } from '../skill-runs/skill-daemon.ts'

const running =
  (skill: SkillSpec): Scenario =>
  async () => {
    const { daemon } = await startSkillDaemon(skill)
    return daemon.post(`/api/skills/${SKILL_ID}/run`, {})
  }

export const skillRunScenarios = {
  SKILL_NOT_FOUND: withDaemon((daemon) => daemon.post('/api/skills/com.test.nothing/run', {})),
  SKILL_VALIDATION_FAILED: running({
    scripts: { 'run.js': '' },
    document: { contract: { inputs: { 'a b': 'string' } } },
  }),
  SKILL_SCRIPT_NOT_FOUND: running({ scripts: {} }),
  SKILL_AGENT_CLI_UNAVAILABLE: running({
    scripts: { 'run.js': '' },
    document: { agent: { cli: 'an-agent-nobody-has' } },
  }),
  SKILL_NOT_CONTAINED: async () => {
    const { PATH } = process.env
    // Without a search path bubblewrap is not found.
    process.env['PATH'] = '/nonexistent'
    // Without user ids of their own scripts cannot be contained either.
    const settings = Settings.parse({ skills: { user_ids: null } })
    const { daemon } = await startSkillDaemon('', { config: { settings } }).finally(() => {
      process.env['PATH'] = PATH
    })
    return daemon.post(`/api/skills/${SKILL_ID}/run`, {})
  },
  SKILL_RUN_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/skills/runs/${randomUUID()}`)),
  SKILL_RUN_SETTLED: async () => {
    const { daemon, run } = await startSkillDaemon('')
    const { run_id } = await run()
    return daemon.post(`/api/skills/runs/${run_id}/cancel`)
  },
} satisfies Partial<Record<FailureCode, Scenario>>
