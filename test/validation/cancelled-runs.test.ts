import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import { findExecution } from '../../src/store/devices/executions.ts'
import { findJob } from '../../src/store/command/jobs.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { postRepeatedly } from '../kit/repeated-request.ts'
import { draftProposal, type DraftedProposal, getRuns, readProposal, putRecipe } from './drafts.ts'
import { climateRecipe } from './recipes.ts'

const SIMULATED = { config: { phone: 'simulated' as const } }

/** A rehearsal that waits because its phone is busy. */
async function startWaitingRun(options: Parameters<typeof startDaemon>[0] = SIMULATED) {
  const daemon = await startDaemon(options)
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await draftProposal(daemon)
  const examples = { unit: 'Reception', temperature: '24' }
  await putRecipe(daemon, draft, { recipe: climateRecipe(), examples })
  await daemon.post(`/api/learn/sessions/${draft.session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test' },
  })
  const busy = await occupy(daemon)
  const started = await daemon.post(`${draft.url}/validate`)
  expect(started.statusCode, started.body).toBe(202)
  const run = started.json<{ validation_run: ValidationRun }>().validation_run.validation_run_id
  await expect.poll(async () => readExecutionId(await getRuns(daemon, draft))).toBeDefined()
  const execution = readExecutionId(await getRuns(daemon, draft)) ?? ''
  return { daemon, draft, run, execution, busy }
}

const readExecutionId = ({ runs }: { runs: ValidationRun[] }): string | undefined =>
  runs[0]?.result_refs[0]?.replace(/^execution:/, '')

async function occupy(daemon: Daemon): Promise<string> {
  const reply = await daemon.post('/api/executions', {
    execution: {
      commandId: randomUUID(),
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions: [{ id: 'rest', type: 'sleep', params: { durationMs: 50_000 } }],
    },
  })
  return reply.json<{ execution: { execution_id: string } }>().execution.execution_id
}

function expectCancelled(daemon: Daemon, { draft, execution }: { draft: DraftedProposal; execution: string }) {
  expect(readProposal(daemon, draft.proposal)).toMatchObject({ proposal_state: 'draft' })
  expect(readProposal(daemon, draft.proposal).active_validation_run_id).toBeUndefined()
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  const row = daemon.system.store.read((reader) => findExecution(reader, execution))
  expect(row).toMatchObject({ state: 'cancelled', step_results: [] })
}

test('a cancelled run keeps its results and cancels its execution', async () => {
  const { daemon, draft, run, execution } = await startWaitingRun()

  const reply = await postRepeatedly(daemon, `${draft.url}/validation-runs/${run}/cancel`)

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    validation_run: { overall_result: 'cancelled', reason: 'cancelled_by_user' },
  })
  expectCancelled(daemon, { draft, execution })
  const { steps } = await getRuns(daemon, draft)
  expect(steps.map(({ test_case_id }) => test_case_id)).toContain('plan:compile')
  expect(daemon.eventsOf(draft.session).at(-2)).toBe('learn.validation.completed')

  const twice = await daemon.post(`${draft.url}/validation-runs/${run}/cancel`)
  expect(twice.json()).toMatchObject({ error: { code: 'VALIDATION_SETTLED' } })
  const never = await daemon.post(`${draft.url}/validation-runs/${randomUUID()}/cancel`)
  expect(never.json()).toMatchObject({ error: { code: 'VALIDATION_RUN_NOT_FOUND' } })
})

test('a running rehearsal is cancelled', async () => {
  const { daemon, draft, run, execution, busy } = await startWaitingRun()
  await daemon.post(`/api/executions/${busy}/cancel`)
  const state = () => daemon.system.store.read((reader) => findExecution(reader, execution)?.state ?? '')
  await expect.poll(state).toBe('running')

  const reply = await daemon.post(`${draft.url}/validation-runs/${run}/cancel`)

  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'cancelled' } })
  expect(state()).toBe('cancelled')
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
})

test('cancelling a session cancels its validation run', async () => {
  const { daemon, draft, run, execution } = await startWaitingRun()

  await daemon.post(`/api/learn/sessions/${draft.session}/cancel`)

  await daemon.system.jobs.waitUntilSettled(run, 10_000)
  const { runs } = await getRuns(daemon, draft)
  expect(runs).toMatchObject([{ overall_result: 'cancelled', reason: 'session_cancelled' }])
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('cancelled')
  const row = daemon.system.store.read((reader) => findExecution(reader, execution))
  expect(row?.state).toBe('cancelled')
  expect(daemon.eventsOf(draft.session).at(-1)).toBe('learn.session.cancelled')
})

test('during a validation run other commands are refused and change nothing', async () => {
  const { daemon, draft } = await startWaitingRun()
  const before = [readProposal(daemon, draft.proposal), daemon.session(draft.session)]
  for (const [path, body] of [
    ['validate', {}],
    ['request-more-tests', {}],
    ['revise', { edited_fields: { title: 'Another name' } }],
    ['reject', { reason: 'No' }],
  ] as const) {
    const reply = await daemon.post(`${draft.url}/${path}`, body)
    expect(reply.statusCode, path).toBe(409)
    expect(reply.json()).toMatchObject({
      error: { code: 'VALIDATION_IN_PROGRESS', retryable: true },
    })
  }
  expect((await getRuns(daemon, draft)).total).toBe(1)
  expect([readProposal(daemon, draft.proposal), daemon.session(draft.session)]).toEqual(before)
})

test('a run that is open when the daemon stops is cancelled, not resumed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { daemon, draft, execution } = await startWaitingRun({ ...SIMULATED, home })
  await daemon.stop()

  const next = await startDaemon({ home })

  const { runs } = await getRuns(next, draft)
  expect(runs).toMatchObject([{ overall_result: 'cancelled' }])
  expectCancelled(next, { draft, execution })
})

test('runs of a killed daemon are cancelled, and their queued executions are not executed', async () => {
  const { daemon, draft, run, execution } = await startWaitingRun()
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const file of ['apprentice.db', 'apprentice.db-wal']) {
    cpSync(join(daemon.home, file), join(home, file))
  }

  const next = await startDaemon({ home })

  const { runs } = await getRuns(next, draft)
  expect(runs).toMatchObject([{ validation_run_id: run, overall_result: 'cancelled', reason: 'daemon_restarted' }])
  expectCancelled(next, { draft, execution })
  const row = next.system.store.read((reader) => findExecution(reader, execution))
  expect(JSON.stringify(row), 'demonstrated values are not stored').not.toContain('Reception')
  const jobs = [run, execution].map((id) => next.system.store.read((reader) => findJob(reader, id)?.state ?? ''))
  expect(jobs).toEqual(['interrupted', 'cancelled'])
  const again = await next.post(`${draft.url}/validate`, { selected_tests: ['lint'] })
  expect(again.statusCode, again.body).toBe(200)
})
