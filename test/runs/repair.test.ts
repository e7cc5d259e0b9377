import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { CLIMATE, ok, open, readUnits, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

type Detail = ProposalDetail & { readonly recipe: Recipe }

async function teachTemperature(setup: TeachingSetup): Promise<string> {
  return setup.install(
    await setup.demonstrate({
      goal: "Set a unit's temperature",
      show: async ({ act }) => {
        await act(open(CLIMATE), tap('Reception'))
        await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
        await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
      },
    }),
  )
}

const isSave = ({ selector }: RecipeStep): boolean => selector?.resource_id === `${CLIMATE}:id/save`

/** Rewrites the installed recipe as if it had been learned on an older version of the app. Returns the save step. */
async function ageRecipe(
  { daemon }: TeachingSetup,
  abilityId: string,
  age: (step: RecipeStep) => RecipeStep,
): Promise<RecipeStep> {
  let aged: RecipeStep | undefined
  await daemon.system.store.write(({ db }) => {
    const row = db.prepare('SELECT recipe FROM ability_versions WHERE ability_id = ?').pluck().get(abilityId)
    const recipe = JSON.parse(String(row)) as Recipe
    const steps = recipe.steps.map((step) => (isSave(step) ? (aged = age(step)) : step))
    db.prepare('UPDATE ability_versions SET recipe = ? WHERE ability_id = ?').run(
      JSON.stringify({ ...recipe, steps }),
      abilityId,
    )
  })
  if (aged === undefined) throw new Error('The recipe has no step that saves.')
  return aged
}

const listProposals = async ({ daemon }: TeachingSetup): Promise<SkillBundleProposal[]> =>
  (await daemon.get('/api/learn/proposals?page_size=50')).json<{ proposals: SkillBundleProposal[] }>().proposals

/** Waits for the repair that a run caused. */
async function waitForRepair(setup: TeachingSetup, run: AbilityRun): Promise<{ url: string; detail: Detail }> {
  let found: { url: string; detail: Detail } | undefined
  await expect
    .poll(
      async () => {
        for (const { proposal_id } of await listProposals(setup)) {
          const url = `/api/learn/proposals/${proposal_id}`
          const detail = (await setup.daemon.get(`${url}/detail`)).json<Detail>()
          if (detail.repair?.run_id === run.run_id) found = { url, detail }
        }
        return found !== undefined
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  if (found === undefined) throw new Error('no repair')
  return found
}

const readTemperature = (setup: TeachingSetup, unit: string): number | undefined =>
  readUnits(setup).find(({ name }) => name === unit)?.temperature

const countJobs = ({ daemon }: TeachingSetup): number =>
  daemon.system.store.read(({ db }) =>
    Number(
      db
        .prepare("SELECT count(*) FROM jobs WHERE kind = 'learn.repair' AND state IN ('queued', 'running')")
        .pluck()
        .get(),
    ),
  )

test('a run that found its target by another anchor proposes that anchor, and the owner approves it', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const abilityId = await teachTemperature(setup)
  const clean = await setup.run(abilityId, { unit: 'Gym', temperature: 21 })
  expect(clean).toMatchObject({ state: 'success', drift: [] })
  const before = (await listProposals(setup)).length
  const old = await ageRecipe(setup, abilityId, (step) => ({
    ...step,
    selector: { resource_id: `${CLIMATE}:id/store`, annotation: 'STRUCTURAL' },
    fallbacks: [
      { part_equals: 'Save', annotation: 'STRUCTURAL' },
      { resource_id: `${CLIMATE}:id/save`, annotation: 'STRUCTURAL' },
    ],
  }))

  const run = await setup.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(run, JSON.stringify(run.trouble)).toMatchObject({ state: 'success' })
  const used = run.drift.find(({ step_id }) => step_id === old.id)?.used_fallback ?? 0
  expect(used).toBeGreaterThan(0)
  const { url, detail } = await waitForRepair(setup, run)
  expect(detail.repair).toEqual({ run_id: run.run_id, step_ids: [old.id], verified: true })
  expect(detail.proposal).toMatchObject({ proposal_state: 'draft', title: "Set a unit's temperature" })
  const repaired = detail.recipe.steps.find(({ id }) => id === old.id)
  expect(repaired?.selector).toEqual(old.fallbacks?.[used - 1])
  expect(repaired?.fallbacks?.[0]).toEqual(old.selector)
  expect(repaired?.fallbacks).toHaveLength(old.fallbacks?.length ?? 0)
  const changes = detail.improves?.changes.filter(({ change }) => change !== 'kept')
  expect(changes).toEqual([{ path: `steps.${old.id}`, change: 'changed', text: expect.any(String) }])
  const receipts = (await daemon.get(`/api/learn/receipts?proposal_id=${detail.proposal.proposal_id}`)).json<{
    receipts: { receipt_kind: string }[]
  }>().receipts
  expect(receipts.map(({ receipt_kind }) => receipt_kind)).toContain('learn.proposal.created')

  // One repair per version, no slot of the user, and nothing is installed by itself.
  await setup.run(abilityId, { unit: 'Kitchen', temperature: 24 })
  await expect.poll(() => countJobs(setup), { timeout: 20_000 }).toBe(0)
  expect(await listProposals(setup)).toHaveLength(before + 1)
  const free = { entry_mode: 'demonstrating_skill', observation_mode: 'none' }
  const { session } = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', free)
  await ok(daemon, `/api/learn/sessions/${session.learn_session_id}/cancel`)
  const versions = (await daemon.get(`/api/abilities/${abilityId}/versions`)).json<{ versions: unknown[] }>().versions
  expect(versions).toHaveLength(1)

  await ok(daemon, `${url}/revise`, { edited_fields: { use_conditions: ['Somebody is cold'] } })
  const revised = (await daemon.get(`${url}/detail`)).json<Detail>()
  expect(revised.recipe).toEqual(detail.recipe)
  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  expect(await ok(daemon, `${url}/install`)).toMatchObject({ ability_id: abilityId })
  const repairedRun = await setup.run(abilityId, { unit: 'Library', temperature: 22 })
  expect(repairedRun).toMatchObject({ state: 'success', version: 2, drift: [], used_fallbacks: [] })
  expect(readTemperature(setup, 'Library')).toBe(22)
}, 180_000)

test('a failed run whose other anchors agree proposes a repair that must be rehearsed before it is installed', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const abilityId = await teachTemperature(setup)
  const container = { resource_id: `${CLIMATE}:id/old_toolbar` }
  const old = await ageRecipe(setup, abilityId, (step) => ({ ...step, container }))

  const run = await setup.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(run).toMatchObject({ state: 'failed', trouble: { step_id: old.id } })
  expect(run.drift).toContainEqual({ step_id: old.id, agreed_anchor: 0 })
  const { url, detail } = await waitForRepair(setup, run)
  expect(detail.repair).toMatchObject({ step_ids: [old.id], verified: false })
  const repaired = detail.recipe.steps.find(({ id }) => id === old.id)
  expect(repaired?.container).toBeUndefined()
  expect(repaired?.fallbacks?.[0]).toEqual({ ...old.selector, container })

  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  const refused = await daemon.post(`${url}/install`, {})
  expect(refused.json()).toMatchObject({
    error: { code: 'INVALID_LEARN_STATE_TRANSITION', details: { needs: 'rehearsal', step_ids: [old.id] } },
  })
  await ok(daemon, `/api/learn/sessions/${detail.proposal.learn_session_id}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test' },
  })
  const { validation_run } = await ok<{ validation_run: object }>(daemon, `${url}/validate`, { wait_ms: 60_000 })
  expect(validation_run).toMatchObject({ run_kind: 'rehearsal', overall_result: 'passed' })
  await ok(daemon, `${url}/install`)
  const again = await setup.run(abilityId, { unit: 'Kitchen', temperature: 24 })
  expect(again, JSON.stringify(again.trouble)).toMatchObject({ state: 'success', version: 2 })
  expect(readTemperature(setup, 'Kitchen')).toBe(24)
}, 180_000)
