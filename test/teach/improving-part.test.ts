import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ValidationRun, ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from './teaching.ts'

interface Unit {
  name: string
  temperature: number
  mode: string
}

const readUnit = ({ phone }: TeachingSetup, name: string): Unit | undefined =>
  structuredClone((phone.state(CLIMATE).saved as unknown as { units: Unit[] }).units.find((unit) => unit.name === name))

async function readDetail({ daemon }: TeachingSetup, url: string): Promise<ProposalDetail & { recipe: Recipe }> {
  return (await daemon.get(`${url}/detail`)).json()
}

async function draft({ daemon }: TeachingSetup, sessionId: string): Promise<string> {
  const made = await ok<{ proposal_id: string }>(daemon, `/api/learn/sessions/${sessionId}/generate-proposal`)
  return `/api/learn/proposals/${made.proposal_id}`
}

async function validateAndInstall({ daemon }: TeachingSetup, url: string): Promise<string> {
  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  const readRuns = async () =>
    (await daemon.get(`${url}/validation-runs?page_size=100`)).json<{
      runs: ValidationRun[]
      steps: ValidationStepResult[]
    }>()
  // A run that lasts longer than the wait is answered unfinished, with the result `partial`.
  await expect.poll(async () => (await readRuns()).runs[0]?.completed_at, { timeout: 120_000 }).toBeDefined()
  const { runs, steps } = await readRuns()
  expect(steps.filter(({ result }) => result !== 'passed').map(({ label }) => label)).toEqual([])
  expect(runs[0]?.overall_result).toBe('passed')
  return (await ok<{ ability_id: string }>(daemon, `${url}/install`)).ability_id
}

const WORDS = {
  title: 'Adjust the climate of a room',
  trigger_phrases: ['adjust the climate of a room', 'make a room warmer'],
  negative_triggers: ['water temperature'],
  use_conditions: ['Somebody is cold'],
  goal_summary: 'Adjust the climate of a room',
}

/** Teaches how to set a temperature, and changes all words that a person can change. */
async function teachCurated(setup: TeachingSetup): Promise<string> {
  const session = await setup.demonstrate({
    goal: "Set a unit's temperature",
    show: async ({ act }) => {
      await act(open(CLIMATE), tap('Reception'))
      await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
      await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    },
  })
  const url = await draft(setup, session)
  await ok(setup.daemon, `${url}/revise`, {
    edited_fields: {
      ...WORDS,
      inputs: [
        { name: 'unit', rename_to: 'room', summary: 'The room as it is called at our place' },
        { name: 'temperature', rename_to: 'degrees' },
      ],
    },
  })
  return validateAndInstall(setup, url)
}

const listIds = (recipe: Recipe): string[] => recipe.steps.map(({ id }) => id)

test('a demonstration of one part changes that part and keeps steps, checks, inputs and words', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const abilityId = await teachCurated(setup)
  const slug = abilityId.replace('learned.', '')
  const folder = `${daemon.home}/system/learning/installed/${slug}`
  const first = JSON.parse(readFileSync(`${folder}/artifacts/${slug}.recipe.json`, 'utf8')) as Recipe

  const url = await draft(
    setup,
    await setup.demonstrate({
      goal: 'Also set the mode',
      session: { entry_mode: 'improving_existing_skill', target_skill_id: abilityId },
      show: async ({ act }) => {
        await act(open(CLIMATE), tap('Lobby'))
        await act(tap('Heat'))
      },
    }),
  )
  const detail = await readDetail(setup, url)
  expect(detail.proposal).toMatchObject({
    title: WORDS.title,
    trigger_phrases: WORDS.trigger_phrases,
    negative_triggers: WORDS.negative_triggers,
  })
  expect(detail.interpretation).toMatchObject({
    goal_summary: WORDS.goal_summary,
    use_conditions: WORDS.use_conditions,
  })
  expect(detail.recipe.inputs.map(({ name }) => name)).toEqual(['room', 'degrees', 'mode'])
  expect(detail.recipe.inputs[0]).toEqual(first.inputs[0])
  expect(detail.recipe.verification).toEqual(first.verification)
  expect(listIds(detail.recipe).filter((id) => listIds(first).includes(id))).toEqual(listIds(first))
  const added = listIds(detail.recipe).filter((id) => !listIds(first).includes(id))
  expect(added.at(-1)).toMatch(/^select_mode/)
  expect(detail.recipe.skip_if_done).toBeUndefined()
  expect(detail.examples).toMatchObject({ room: 'Lobby', mode: 'Heat', degrees: '23.5' })

  const changes = new Map(detail.improves?.changes.map(({ path, change }) => [path, change]))
  for (const path of [
    'words.title',
    'words.trigger_phrases',
    'words.use_conditions',
    'inputs.room',
    'inputs.degrees',
  ]) {
    expect(changes.get(path), path).toBe('kept')
  }
  for (const id of listIds(first)) expect(changes.get(`steps.${id}`), id).toBe('kept')
  for (const { id } of first.verification ?? []) expect(changes.get(`verification.${id}`), id).toBe('kept')
  expect(changes.get('inputs.mode')).toBe('added')
  for (const id of added) expect(changes.get(`steps.${id}`), id).toBe('added')
  expect([...changes.values()]).not.toContain('removed')

  expect(await validateAndInstall(setup, url)).toBe(abilityId)
  const document = readFileSync(`${folder}/SKILL.md`, 'utf8')
  expect(document).toContain('The room as it is called at our place')
  expect(document).toContain('Somebody is cold')
  const run = await setup.run(abilityId, { room: 'Kitchen', degrees: 24, mode: 'Cool' })
  expect(run, JSON.stringify(run.trouble)).toMatchObject({ state: 'success', version: 2 })
  expect(readUnit(setup, 'Kitchen')).toMatchObject({ temperature: 24, mode: 'cool' })
  // The temperature is there already, but the mode is not.
  const again = await setup.run(abilityId, { room: 'Kitchen', degrees: 24, mode: 'Heat' })
  expect(again.state).toBe('success')
  expect(readUnit(setup, 'Kitchen')).toMatchObject({ temperature: 24, mode: 'heat' })

  // The next improvement of the whole workflow still knows the names, and a reviewer can change them.
  const wholeUrl = await draft(
    setup,
    await setup.demonstrate({
      goal: 'Only the mode',
      session: { entry_mode: 'improving_existing_skill', target_skill_id: abilityId },
      show: async ({ act }) => {
        await act(open(CLIMATE), tap('Lobby'))
        await act(tap('Cool'))
        await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
      },
    }),
  )
  await ok(daemon, `${wholeUrl}/revise`, { edited_fields: { inputs: [{ name: 'room', rename_to: 'place' }] } })
  const whole = await readDetail(setup, wholeUrl)
  expect(whole.proposal).toMatchObject({ title: WORDS.title, trigger_phrases: WORDS.trigger_phrases })
  expect(whole.recipe.inputs.map(({ name }) => name)).toEqual(['place', 'mode'])
  expect(whole.recipe.inputs[0]?.summary).toBe('The room as it is called at our place')
  const gone = whole.improves?.changes.filter(({ change }) => change === 'removed').map(({ path }) => path)
  expect(gone).toContain('inputs.degrees')
  await validateAndInstall(setup, wholeUrl)
  const last = await setup.run(abilityId, { place: 'Library', mode: 'Cool' })
  expect(last, JSON.stringify(last.trouble)).toMatchObject({ state: 'success', version: 3 })
  expect(readUnit(setup, 'Library')).toMatchObject({ mode: 'cool' })
}, 240_000)
