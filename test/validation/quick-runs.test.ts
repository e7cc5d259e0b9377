import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { openStream } from '../live/sse-client.ts'
import { getDetail, draftProposal, getRuns, readProposal, putFile, putRecipe } from './drafts.ts'
import { noteRecipe } from './recipes.ts'

const readPrefix = (id: string) => id.split(':', 1)[0]

test('a passed draft is ready for review, with steps, events and receipts recorded', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)

  const reply = await daemon.post(`${draft.url}/validate`, { run_label: 'first run' })

  expect(reply.statusCode, reply.body).toBe(200)
  const { validation_run } = reply.json()
  expect(validation_run).toMatchObject({
    proposal_id: draft.proposal,
    run_kind: 'dry_run',
    run_label: 'first run',
    overall_result: 'passed',
    completed_at: daemon.clock.now.toISOString(),
    draft_hash: readProposal(daemon, draft.proposal).draft_hash,
  })
  expect(readProposal(daemon, draft.proposal)).toMatchObject({ proposal_state: 'ready_for_review' })
  expect(readProposal(daemon, draft.proposal).active_validation_run_id).toBeUndefined()
  expect(daemon.session(draft.session)).toMatchObject({
    state: 'ready_for_review',
    validation_run_id: validation_run.validation_run_id,
  })
  const { steps } = await getRuns(daemon, draft)
  const order = [...new Set(steps.map(({ test_case_id }) => readPrefix(test_case_id)))]
  expect(order).toEqual(['lint', 'adapter', 'trigger', 'plan'])
  const ids = steps.map(({ test_case_id }) => test_case_id)
  for (const kind of ['pos', 'neg', 'para']) {
    expect(ids.filter((id) => id.startsWith(`trigger:${kind}:`)).length).toBeGreaterThan(2)
  }
  const kinds = daemon.eventsOf(draft.session).filter((kind) => kind.startsWith('learn.validation'))
  expect(kinds).toEqual([
    'learn.validation.started',
    ...steps.map(() => 'learn.validation.step_finished'),
    'learn.validation.completed',
  ])
  const receipts = await daemon.get(`/api/learn/receipts?proposal_id=${draft.proposal}`)
  expect(receipts.json<{ receipts: { receipt_kind: string }[] }>().receipts.map((r) => r.receipt_kind)).toEqual([
    'learn.validation.completed',
    'learn.validation.started',
    'learn.proposal.created',
  ])
  const detail = await getDetail(daemon, draft)
  expect(detail.latest_validation?.validation_run).toEqual(validation_run)
  expect(detail.latest_validation?.steps).toEqual(steps)
})

test('steps are streamed in the order in which they finish', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const draft = await draftProposal(daemon)
  const stream = await openStream(`${url}/api/learn/sessions/${draft.session}/events`, {
    token: adminToken,
  })
  onTestFinished(() => stream.close())

  await daemon.post(`${draft.url}/validate`)

  const frames = await stream.until((all) => all.some(({ event }) => event === 'learn.validation.completed'))
  const finished = frames.filter(({ event }) => event === 'learn.validation.step_finished')
  const { steps } = await getRuns(daemon, draft)
  expect(finished.map(({ data }) => data?.payload['test_case_id'])).toEqual(
    steps.map(({ test_case_id }) => test_case_id),
  )
})

test('checkpoints that fail the linter fail the run at once, and the proposal is a draft again', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const bad = { success_conditions: ['div-8472'] }
  await daemon.post(`${draft.url}/revise`, { edited_fields: bad })

  const reply = await daemon.post(`${draft.url}/validate`)

  expect(reply.statusCode).toBe(400)
  const { error } = reply.json()
  expect(error).toMatchObject({ code: 'CHECKPOINT_LINT_FAILED', retryable: false })
  expect(error.details.findings).toMatchObject([{ code: 'CKP-001' }, { code: 'CKP-006' }])
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  const { runs, steps } = await getRuns(daemon, draft)
  expect(runs).toMatchObject([
    {
      validation_run_id: error.details.validation_run_id,
      overall_result: 'failed',
      reason: 'checkpoint_lint',
    },
  ])
  expect(steps.filter(({ result }) => result === 'failed').map((s) => s.test_case_id)).toEqual([
    'lint:CKP-001',
    'lint:CKP-006',
  ])
  expect(steps.every(({ test_case_id }) => test_case_id.startsWith('lint:'))).toBe(true)
  expect((await getDetail(daemon, draft)).checkpoint_lint_report?.passed).toBe(false)
})

test('a failed test keeps the draft in testing, and nothing is retried automatically', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putFile(daemon, draft, {
    name: 'trigger-tests.json',
    content: JSON.stringify({
      positive: ['order a pizza', 'share a note as pdf', 'please share a note as pdf'],
      negative: ['share a note as pdf', 'weather tomorrow', 'football results'],
      paraphrase: ['share note'],
    }),
  })

  const reply = await daemon.post(`${draft.url}/validate`)

  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'failed' } })
  expect(daemon.session(draft.session)?.state).toBe('testing_proposal')
  const { runs, steps } = await getRuns(daemon, draft)
  expect(runs).toHaveLength(1)
  const failed = steps.filter(({ result }) => result === 'failed').map((s) => s.test_case_id)
  expect(failed).toEqual(['trigger:pos:1', 'trigger:neg:1', 'trigger:para:count'])

  const again = await daemon.post(`${draft.url}/validate`, { selected_tests: ['lint'] })
  expect(again.json()).toMatchObject({
    validation_run: { run_kind: 'lint', overall_result: 'passed' },
  })
  expect((await getRuns(daemon, draft)).total).toBe(2)
  const revised = await daemon.post(`${draft.url}/request-more-tests`)
  expect(revised.statusCode, revised.body).toBe(200)
})

test('tests can be selected by kind and by case; an unknown case is refused', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const runSelected = async (selected_tests: string[]) => {
    const reply = await daemon.post(`${draft.url}/validate`, { selected_tests })
    expect(reply.statusCode, reply.body).toBe(200)
    const { validation_run } = reply.json()
    const { steps } = await getRuns(daemon, draft)
    const own = steps.filter((s) => s.validation_run_id === validation_run.validation_run_id)
    const ids = own.map(({ test_case_id }) => test_case_id)
    return [validation_run.run_kind, ids.filter((id) => !id.startsWith('lint:'))]
  }

  expect(await runSelected(['lint'])).toEqual(['lint', []])
  expect(await runSelected(['trigger:pos:2', 'trigger:neg'])).toEqual([
    'dry_run',
    ['trigger:pos:2', ...Array.from({ length: 16 }, (_, at) => `trigger:neg:${at + 1}`)],
  ])
  expect(await runSelected(['dry_run'])).toEqual(['dry_run', ['plan:compile']])
  expect(await runSelected(['adapter_check', 'trigger:pos:1'])).toEqual([
    'adapter_check',
    ['adapter:wrapper_script', 'trigger:pos:1'],
  ])

  for (const entry of ['trigger:pos:99', 'teleport', 'dependency:nothing', 'rehearsal', 'canary']) {
    const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: [entry] })
    expect(reply.statusCode, entry).toBe(400)
    expect(reply.json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: 'selected_tests', entry } },
    })
  }
  expect((await getRuns(daemon, draft)).total).toBe(4)
  const unknown = await daemon.post(`${draft.url}/validate`, { selected: [] })
  expect(unknown.statusCode).toBe(400)
})

test('dependencies are checked: bound support packs pass, unknown ones are skipped', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { support_pack_refs: ['packs/tables', 'packs/unheard-of'] },
  })
  await addAbility(daemon, { primary_capability_id: 'cap' })
  const bound = await daemon.post('/api/config/intents', {
    intent_id: randomUUID(),
    target: 'support_pack_binding',
    capability_id: 'cap',
    payload: { support_pack_refs: ['packs/tables'] },
    requested_by: 'ui',
    correlation_id: 'c',
    created_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
  expect(bound.statusCode, bound.body).toBeLessThan(300)

  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['dependency_check'] })

  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'partial' } })
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
  const { steps } = await getRuns(daemon, draft)
  const own = steps.filter(({ test_case_id }) => test_case_id.startsWith('dependency:'))
  expect(own.map(({ test_case_id, result }) => [test_case_id, result])).toEqual([
    ['dependency:packs/tables', 'passed'],
    ['dependency:packs/unheard-of', 'skipped'],
  ])
  await daemon.waitForProjections()
  const lines = daemon.readProjection('learning/dependencies.jsonl')?.trim().split('\n') ?? []
  expect(lines.map((line) => JSON.parse(line).dependency_ref)).toEqual(['packs/tables', 'packs/unheard-of'])
})

test('a plan is compiled with the demonstrated values or with the given inputs', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe() })
  const runPlan = async (body: object) => {
    const reply = await daemon.post(`${draft.url}/validate`, {
      selected_tests: ['dry_run'],
      ...body,
    })
    const { validation_run } = reply.json()
    const { steps } = await getRuns(daemon, draft)
    const own = steps.filter(
      ({ validation_run_id, test_case_id }) =>
        validation_run_id === validation_run.validation_run_id && test_case_id.startsWith('plan:'),
    )
    return { result: validation_run.overall_result, steps: own }
  }

  const without = await runPlan({})
  expect(without).toMatchObject({
    result: 'partial',
    steps: [{ test_case_id: 'plan:compile', result: 'skipped' }],
  })
  expect(without.steps[0]?.details).toContain('title')

  const given = await runPlan({ inputs: { title: 'Milk' } })
  expect(given.result).toBe('passed')
  expect(given.steps.map(({ test_case_id }) => test_case_id)).toContain('plan:action:write')

  const broken: Recipe = { ...noteRecipe(), verification: [] }
  await putRecipe(daemon, draft, { recipe: broken, examples: { title: 'Milk' } })
  expect(await runPlan({})).toMatchObject({ result: 'failed', steps: [{ result: 'failed' }] })
})

test('a plan that violates the policy is refused before anything is queued', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  await daemon.post(`/api/learn/sessions/${draft.session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'read_only' },
  })

  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['dry_run'] })

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'TEST_POLICY_VIOLATION',
      details: {
        refused: ['new', 'write', 'save'].map((id) => ({ test_case_id: `plan:action:${id}` })),
      },
    },
  })
  expect(daemon.session(draft.session)?.state).toBe('testing_proposal')
  const { runs } = await getRuns(daemon, draft)
  expect(runs).toMatchObject([{ overall_result: 'failed', reason: 'test_policy' }])
  const jobs = daemon.system.store.read(
    (reader) => reader.db.prepare("SELECT * FROM jobs WHERE kind LIKE 'learn.val%'").all() as never,
  )
  expect(jobs).toEqual([])
})

test('the log has one line per step and two per run, at its start and its end', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/validate`)
  await daemon.waitForProjections()

  const lines = (path: string) =>
    (daemon.readProjection(path) ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const runs = lines('learning/validation_runs.jsonl')
  expect(runs.map(({ overall_result }) => overall_result)).toEqual(['partial', 'passed'])
  expect(runs[0].completed_at).toBeUndefined()
  const { runs: now, steps } = await getRuns(daemon, draft)
  expect(runs[1]).toEqual(now[0])
  expect(lines('learning/validation_step_results.jsonl')).toEqual(steps)
  expect(daemon.readProjection(`learning/proposals/${draft.proposal}/draft/lint.json`)).toContain('ckp-1')
})

test("another user's proposal is not found and does not change", async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const ann = await daemon.tokenFor('ann')
  const before = readProposal(daemon, draft.proposal)
  for (const path of ['validate', 'request-more-tests', 'reject', 'revise']) {
    const body = path === 'reject' ? { reason: 'no' } : { revision_instructions: 'x' }
    const sent = path.startsWith('re') && path !== 'request-more-tests' ? body : {}
    const reply = await daemon.post(`${draft.url}/${path}`, sent, ann)
    expect(reply.json(), path).toMatchObject({ error: { code: 'PROPOSAL_NOT_FOUND' } })
  }
  for (const path of ['detail', 'revisions', 'files/SKILL.md', 'validation-runs']) {
    const reply = await daemon.get(`${draft.url}/${path}`, ann)
    expect(reply.json(), path).toMatchObject({ error: { code: 'PROPOSAL_NOT_FOUND' } })
  }
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  expect(readProposal(daemon, draft.proposal)).toEqual(before)
  expect((await getRuns(daemon, draft)).total).toBe(0)
})
