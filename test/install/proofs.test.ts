import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { provesRecipe } from '../../src/domain/abilities/proofs.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readRoom } from '../runs/installed-recipe.ts'
import { importAndStage, readOutcome, runCommand, runStep } from '../skill-import/import-kit.ts'
import { buildBundle, buildSkillDocument } from '../skill-import/zip-builder.ts'
import { type DraftedProposal, draftProposal, putRecipe, readProposal } from '../validation/drafts.ts'
import { climateRecipe } from '../validation/recipes.ts'
import { ABILITY_ID, install, readAbility, readCode } from './install-kit.ts'

const EXAMPLES = { unit: 'Reception', temperature: '24' }

async function startDrafting(): Promise<{ daemon: Daemon; draft: DraftedProposal }> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: climateRecipe(), examples: EXAMPLES })
  return { daemon, draft }
}

async function validate(daemon: Daemon, { url }: DraftedProposal, selected_tests: readonly string[]): Promise<void> {
  const run = await daemon.post(`${url}/validate`, { selected_tests, wait_ms: 60_000 })
  expect(run.statusCode, run.body).toBe(200)
}

async function allowRehearsal(daemon: Daemon, { session }: DraftedProposal): Promise<void> {
  const test_policy = { policy_id: randomUUID(), mode: 'controlled_live_test' }
  const reply = await daemon.post(`/api/learn/sessions/${session}/set-test-policy`, { test_policy })
  expect(reply.statusCode, reply.body).toBe(200)
}

const lookUp = async (daemon: Daemon, token?: string) =>
  (await daemon.post('/api/abilities/lookup', { user_query: 'share a note as pdf', schema_version: 1 }, token)).json<{
    matches: { ability_id: string; usable_now: boolean; reason_unusable?: string }[]
  }>().matches

const runAbility = (daemon: Daemon, token?: string) =>
  daemon.post(
    `/api/abilities/${ABILITY_ID}/run`,
    { inputs: { unit: 'Kitchen', temperature: 22 }, wait_ms: 60_000 },
    token,
  )

const acceptRisk = (daemon: Daemon, draft_hash: string | undefined, token?: string) =>
  daemon.post(`/api/abilities/${ABILITY_ID}/accept-risk`, { draft_hash, reason: 'A person watches it' }, token)

test('an ability that was only planned is not usable until a verified run of it succeeds', async () => {
  const { daemon, draft } = await startDrafting()
  await validate(daemon, draft, [])
  await install(daemon, draft)
  expect(await lookUp(daemon)).toMatchObject([
    { ability_id: ABILITY_ID, usable_now: false, reason_unusable: 'not_rehearsed' },
  ])
  expect((await runAbility(daemon)).json()).toMatchObject({ run: { state: 'success' } })
  expect(await lookUp(daemon)).toMatchObject([{ ability_id: ABILITY_ID, usable_now: true }])
})

test('an ability whose exact content passed a rehearsal is usable at once, and a changed draft is not', async () => {
  const { daemon, draft } = await startDrafting()
  await allowRehearsal(daemon, draft)
  await validate(daemon, draft, [])
  await install(daemon, draft)
  expect(await lookUp(daemon)).toMatchObject([{ ability_id: ABILITY_ID, usable_now: true }])

  const other = await startDrafting()
  await allowRehearsal(other.daemon, other.draft)
  await validate(other.daemon, other.draft, [])
  const revised = await other.daemon.post(`${other.draft.url}/revise`, {
    edited_fields: { goal_summary: 'One note is a file' },
  })
  expect(revised.statusCode, revised.body).toBe(200)
  await putRecipe(other.daemon, other.draft, { recipe: climateRecipe(), examples: EXAMPLES })
  await validate(other.daemon, other.draft, ['trigger'])
  await install(other.daemon, other.draft)
  expect(readAbility(other.daemon)).toMatchObject({ usable_now: false, reason_unusable: 'not_rehearsed' })
})

test.for([{ selected: ['lint'] }, { selected: ['dry_run'] }, { selected: ['canary'] }, { selected: ['action:set'] }])(
  'a run of the tests $selected is no rehearsal',
  async ({ selected }) => {
    const { daemon, draft } = await startDrafting()
    await allowRehearsal(daemon, draft)
    await validate(daemon, draft, selected)
    await install(daemon, draft)
    expect(readAbility(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'not_rehearsed' })
  },
)

test('a success proves a recipe if it touched something or if the recipe only reads', () => {
  expect([provesRecipe(climateRecipe(), true), provesRecipe(climateRecipe(), false)]).toEqual([true, false])
  expect(provesRecipe(readRoom, false)).toBe(true)
})

test('a draft whose recipe does not compile is not installed', async () => {
  const { daemon, draft } = await startDrafting()
  const recipe = climateRecipe()
  const steps = recipe.steps.map((step) => (step.id === 'set' ? { ...step, params: { target: 'warm' } } : step))
  await putRecipe(daemon, draft, { recipe: { ...recipe, steps }, examples: EXAMPLES })
  await validate(daemon, draft, ['lint'])
  const refused = await daemon.post(`${draft.url}/install`, {})
  expect([refused.statusCode, readCode(refused)]).toEqual([400, 'RECIPE_INVALID'])
  expect(readAbility(daemon)).toBeUndefined()
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('ready_for_review')
})

test('an imported skill with lint errors is not approved; installed for its owner, it is not usable', async () => {
  const daemon = await startDaemon()
  const clicks = ['1. Click the File menu', '2. Click Export', '3. Press Enter'].join('\n')
  const content = `${buildSkillDocument('click-through')}\n\n${clicks}\n`
  const bundle = buildBundle('click-through').map((file) => (file.name === 'SKILL.md' ? { ...file, content } : file))
  const { import_id } = await importAndStage(daemon, bundle)
  expect(readOutcome(await runCommand(daemon, 'approve', { import_id }))).toBe('CHECKPOINT_LINT_FAILED')
  expect(readAbility(daemon, 'imported.click-through')).toBeUndefined()
  await runStep(daemon, 'install-private', { import_id })
  expect(readAbility(daemon, 'imported.click-through')).toMatchObject({
    usable_now: false,
    reason_unusable: 'lint_failed',
  })
})

test('the owner accepts the risk of an unrehearsed ability, with a receipt, for this content', async () => {
  const { daemon, draft } = await startDrafting()
  await validate(daemon, draft, [])
  await install(daemon, draft)
  const { draft_hash } = readProposal(daemon, draft.proposal)
  expect(readCode(await acceptRisk(daemon, 'a'.repeat(64)))).toBe('DRAFT_CHANGED')
  expect(readAbility(daemon)?.usable_now).toBe(false)
  const accepted = await acceptRisk(daemon, draft_hash)
  expect(accepted.json()).toMatchObject({ ability_id: ABILITY_ID, usable_now: true })
  const { receipts } = daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
  expect(receipts.find(({ receipt_kind }) => receipt_kind === 'ability.risk_accepted')).toMatchObject({
    receipt_id: accepted.json<{ receipt_id: string }>().receipt_id,
    reason: 'A person watches it',
    details: { draft_hash, install_lane: 'experimental_private' },
  })
})

test('the settings of a lane decide whether a risk may be accepted, and a risk counts in its lane only', async () => {
  const { daemon, draft } = await startDrafting()
  await validate(daemon, draft, [])
  const { draft_hash } = readProposal(daemon, draft.proposal)
  await install(daemon, draft)
  expect(readCode(await acceptRisk(daemon, draft_hash))).toBe('done')
  await daemon.post(`/api/abilities/${ABILITY_ID}/promote-shared`)
  expect(readAbility(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'not_rehearsed' })
  expect(readCode(await acceptRisk(daemon, draft_hash))).toBe('INSTALL_LANE_DENIED')
  const guest = await daemon.tokenFor('guest')
  expect(readCode(await runAbility(daemon, guest))).toBe('ABILITY_UNUSABLE')

  const change = (token?: string) =>
    daemon.request({
      method: 'PUT',
      url: '/api/install-lanes/shared_promoted',
      payload: { accept_unrehearsed: true },
      ...(token === undefined ? {} : { token }),
    })
  expect((await change(guest)).statusCode).toBe(403)
  expect((await daemon.get('/api/install-lanes', guest)).json()).toMatchObject({
    lanes: [
      { install_lane: 'experimental_private', accept_unrehearsed: true },
      { install_lane: 'approved_workspace', accept_unrehearsed: false },
      { install_lane: 'shared_promoted', accept_unrehearsed: false },
    ],
  })
  expect((await change()).json()).toEqual({ install_lane: 'shared_promoted', accept_unrehearsed: true })
  expect(readCode(await acceptRisk(daemon, draft_hash, guest))).toBe('INSTALL_LANE_DENIED')
  expect(readCode(await acceptRisk(daemon, draft_hash))).toBe('done')
  expect(readAbility(daemon)?.usable_now).toBe(true)
})
