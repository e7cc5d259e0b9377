import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { readAgentSkill } from '../agent-skills/agent-loader.ts'
import { type TeachingSetup, ok, open, startTeaching, tap } from './teaching.ts'

const CLIMATE = 'org.apprentice.climate'

interface Unit {
  name: string
  temperature: number
  mode: string
}

const readUnit = ({ phone }: TeachingSetup, name: string): Unit | undefined => {
  const { units } = phone.state(CLIMATE).saved as unknown as { units: Unit[] }
  return structuredClone(units.find((unit) => unit.name === name))
}

interface Version {
  version: number
  installed_at: string
}

const readVersions = async ({ daemon }: TeachingSetup, abilityId: string): Promise<Version[]> =>
  (await daemon.get(`/api/abilities/${abilityId}/versions`)).json<{ versions: Version[] }>().versions

const readSkill = ({ daemon }: TeachingSetup, slug: string): string =>
  readFileSync(`${daemon.home}/system/learning/installed/${slug}/SKILL.md`, 'utf8')

test('an improvement becomes version 2 of an ability, has a diff, and can be rolled back', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const abilityId = await setup.install(
    await setup.demonstrate({
      goal: "Set a unit's temperature",
      show: async ({ act }) => {
        await act(open(CLIMATE), tap('Reception'))
        await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
        await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
      },
    }),
  )
  const slug = abilityId.replace(/^learned\./, '')
  const first = readSkill(setup, slug)

  const sessionId = await setup.demonstrate({
    goal: "Set a unit's temperature and mode",
    session: { entry_mode: 'improving_existing_skill', target_skill_id: abilityId },
    show: async ({ act }) => {
      await act(open(CLIMATE), tap('Lobby'))
      await act(tap({ contentDescEquals: 'Warmer' }), tap('Heat'))
      await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    },
  })
  const { proposal_id } = await ok<{ proposal_id: string }>(
    daemon,
    `/api/learn/sessions/${sessionId}/generate-proposal`,
  )
  const url = `/api/learn/proposals/${proposal_id}`
  const detail = (await daemon.get(`${url}/detail`)).json<ProposalDetail>()
  expect(detail.proposal.proposed_skill_slug).toBe(slug)
  expect(detail.improves).toMatchObject({ ability_id: abilityId, version: 1 })
  expect(detail.improves?.diffs.find(({ name }) => name === 'SKILL.md')?.diff).toContain('mode')
  expect(detail.review).toMatchObject({
    diff: {
      summary: expect.arrayContaining([expect.stringMatching(/^The input mode is new$/)]),
      changes: expect.arrayContaining([{ path: 'inputs.mode', change: 'added' }]),
    },
  })
  expect(detail.recipe).toMatchObject({ recipe_version: '1.1.0' })

  const current = await setup.run(abilityId, { unit: 'Library', temperature: 20 })
  expect(current).toMatchObject({ state: 'success', version: 1 })
  expect(readSkill(setup, slug)).toBe(first)
  expect(await readVersions(setup, abilityId)).toHaveLength(1)

  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  const made = await ok<{ ability_id: string }>(daemon, `${url}/install`)
  expect(made.ability_id).toBe(abilityId)
  expect((await readVersions(setup, abilityId)).map(({ version }) => version)).toEqual(expect.arrayContaining([1, 2]))
  expect(readSkill(setup, slug)).not.toBe(first)
  const skill = readAgentSkill(join(daemon.home, 'workspace', 'skills', slug, 'SKILL.md'))
  expect(skill.body).toMatch(/^\n# [^\n]+\n\n## Run\n/)
  expect(skill.body).toMatch(new RegExp(`\`apprentice run ${abilityId} .*temperature=\\d+`))
  expect(skill.body).toContain('**mode** (string,')
  const second = await setup.run(abilityId, { unit: 'Kitchen', temperature: 24, mode: 'Cool' })
  expect(second).toMatchObject({ state: 'success', version: 2 })
  expect(readUnit(setup, 'Kitchen')).toMatchObject({ temperature: 24, mode: 'cool' })

  await ok(daemon, `/api/abilities/${abilityId}/rollback`)
  expect(readSkill(setup, slug)).toBe(first)
  const back = await setup.run(abilityId, { unit: 'Kitchen', temperature: 21 })
  expect(back.state).toBe('success')
  expect(readUnit(setup, 'Kitchen')).toMatchObject({ temperature: 21, mode: 'cool' })
}, 180_000)

test('an improving session requires an existing ability', async () => {
  const { daemon } = await startTeaching()
  const none = await daemon.post('/api/learn/sessions', { entry_mode: 'improving_existing_skill' })
  expect(none.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  const unknown = await daemon.post('/api/learn/sessions', {
    entry_mode: 'improving_existing_skill',
    target_skill_id: 'learned.nothing',
  })
  expect(unknown.json()).toMatchObject({ error: { code: 'ABILITY_NOT_FOUND' } })
})
