import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RehearsalCleanup } from '@apprentice/contracts/learn/cleanups.ts'
import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import { listExecutions } from '../../src/store/devices/executions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, type DraftedProposal, getRuns, putRecipe } from './drafts.ts'
import { climateRecipe } from './recipes.ts'

interface Rig {
  readonly daemon: Daemon
  readonly draft: DraftedProposal
  readonly readTemperature: () => number | undefined
}

async function startRig(recipe: object = climateRecipe(), policy: object = { cleanup_required: true }): Promise<Rig> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe, examples: { unit: 'Reception', temperature: '24' } })
  const reply = await daemon.post(`/api/learn/sessions/${draft.session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test', ...policy },
  })
  expect(reply.statusCode, reply.body).toBe(200)
  const readTemperature = () => {
    const saved = daemon.system.devices.phone.simulated?.state('org.apprentice.climate').saved
    const { units } = saved as unknown as { units: { name: string; temperature: number }[] }
    return units.find(({ name }) => name === 'Reception')?.temperature
  }
  return { daemon, draft, readTemperature }
}

async function rehearse({ daemon, draft }: Rig, body: object = {}): Promise<ValidationRun> {
  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['rehearsal'], wait_ms: 60_000, ...body })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ validation_run: ValidationRun }>().validation_run
}

async function listCleanups({ daemon }: Rig, query = ''): Promise<RehearsalCleanup[]> {
  const reply = await daemon.get(`/api/learn/cleanups${query}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ cleanups: RehearsalCleanup[] }>().cleanups
}

async function listCleanupTests({ daemon, draft }: Rig) {
  const { steps } = await getRuns(daemon, draft)
  return steps.filter(({ test_case_id }) => test_case_id.startsWith('cleanup:'))
}

test('a rehearsal is undone by the recipe with other values, and the device shows it', async () => {
  const rig = await startRig()
  const run = await rehearse(rig, { cleanup_inputs: { temperature: 22.5 } })
  expect(run.overall_result).toBe('passed')
  expect(rig.readTemperature()).toBe(22.5)
  expect(await listCleanupTests(rig)).toMatchObject([{ test_case_id: 'cleanup:device', result: 'passed' }])
  expect(await listCleanups(rig)).toMatchObject([
    { state: 'done', settled_by: 'device', validation_run_id: run.validation_run_id },
  ])
  const { executions } = rig.daemon.system.store.read(
    (reader) => listExecutions(reader, 'local', { page: 1, page_size: 10 }) as never,
  ) as { executions: { payload: { source: string } }[] }
  expect(executions.map(({ payload }) => payload.source).toSorted()).toEqual(['cleanup', 'rehearsal'])
})

test('without values for the clean-up a person gets a task, and settles it once', async () => {
  const rig = await startRig()
  const run = await rehearse(rig)
  expect(run.overall_result).toBe('partial')
  expect(rig.readTemperature()).toBe(24)
  const [task] = await listCleanups(rig, '?state=open')
  expect(task).toMatchObject({ reason: 'no_cleanup_inputs', proposal_id: rig.draft.proposal })
  expect(run.result_refs).toContain(`cleanup:${task?.cleanup_id}`)
  expect(await listCleanupTests(rig)).toMatchObject([
    { test_case_id: 'cleanup:manual', result: 'skipped', details: expect.stringContaining(task?.cleanup_id ?? '?') },
  ])

  const url = `/api/learn/cleanups/${task?.cleanup_id}/complete`
  const stranger = await rig.daemon.tokenFor('ben', 'write')
  expect((await rig.daemon.post(url, { note: 'Mine' }, stranger)).statusCode).toBe(404)
  const done = await rig.daemon.post(url, { note: 'Set it back by hand' })
  expect(done.json()).toMatchObject({ state: 'done', settled_by: 'person', note: 'Set it back by hand' })
  expect((await rig.daemon.post(url, { note: 'Again' })).json()).toMatchObject({ error: { code: 'CLEANUP_NOT_OPEN' } })
  expect(await listCleanups(rig, '?state=open')).toEqual([])
  const receipts = (await rig.daemon.get('/api/learn/receipts?page_size=100')).body
  expect(receipts).toContain('learn.cleanup.opened')
  expect(receipts).toContain('learn.cleanup.done')
})

test('a clean-up that the device does not confirm is left to a person', async () => {
  const recipe = climateRecipe()
  const guarded = {
    ...recipe,
    verification: [{ id: 'set', selector: { text_contains: '24', annotation: 'STRUCTURAL' }, timeout_ms: 800 }],
  }
  const rig = await startRig(guarded)
  const run = await rehearse(rig, { cleanup_inputs: { temperature: 22.5 } })
  expect(run.overall_result).toBe('partial')
  expect(await listCleanups(rig)).toMatchObject([{ state: 'open', reason: 'cleanup_failed' }])
})

test('values that the recipe cannot be run with are refused before anything is touched', async () => {
  const rig = await startRig()
  const reply = await rig.daemon.post(`${rig.draft.url}/validate`, { cleanup_inputs: { temperature: 'warm' } })
  expect(reply.statusCode, reply.body).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: 'cleanup_inputs' } } })
  expect(rig.readTemperature()).toBe(22.5)
  expect(await listCleanups(rig)).toEqual([])
})

test('a rehearsal that is cancelled or killed after it changed something leaves a task', async () => {
  const recipe = climateRecipe()
  const endless = {
    ...recipe,
    verification: [{ id: 'never', selector: { text_equals: 'Nowhere', annotation: 'STRUCTURAL' }, timeout_ms: 60_000 }],
  }
  const rig = await startRig(endless)
  const started = await rig.daemon.post(`${rig.draft.url}/validate`, { selected_tests: ['rehearsal'] })
  const { validation_run } = started.json<{ validation_run: ValidationRun }>()
  await expect.poll(() => rig.readTemperature(), { timeout: 60_000 }).toBe(24)
  expect(await listCleanups(rig)).toMatchObject([{ state: 'pending' }])
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const file of ['apprentice.db', 'apprentice.db-wal']) cpSync(join(rig.daemon.home, file), join(home, file))

  const url = `${rig.draft.url}/validation-runs/${validation_run.validation_run_id}/cancel`
  expect((await rig.daemon.post(url)).statusCode).toBe(200)
  expect(await listCleanups(rig)).toMatchObject([{ state: 'open', reason: 'run_ended' }])
  const next = await startDaemon({ home })
  expect(await listCleanups({ ...rig, daemon: next })).toMatchObject([{ state: 'open', reason: 'run_ended' }])
})

test('a canary leaves nothing to undo', async () => {
  const rig = await startRig()
  await rehearse(rig, { selected_tests: ['canary'] })
  expect(await listCleanups(rig)).toEqual([])
})
