import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { openStream } from '../live/sse-client.ts'
import { detailOf, drafted, runsOf, stored, withFile, withRecipe } from './drafted.ts'
import { noteRecipe } from './recipes.ts'

const prefixOf = (id: string) => id.split(':', 1)[0]

test('a draft that passes its tests is ready for review, and the whole way is on record', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)

  const reply = await daemon.post(`${draft.url}/validate`, { run_label: 'first look' })

  expect(reply.statusCode, reply.body).toBe(200)
  const { validation_run } = reply.json()
  expect(validation_run).toMatchObject({
    proposal_id: draft.proposal,
    run_kind: 'dry_run',
    run_label: 'first look',
    overall_result: 'passed',
    completed_at: daemon.clock.now.toISOString(),
    draft_hash: stored(daemon, draft.proposal).draft_hash,
  })
  expect(stored(daemon, draft.proposal)).toMatchObject({ proposal_state: 'ready_for_review' })
  expect(stored(daemon, draft.proposal).active_validation_run_id).toBeUndefined()
  expect(daemon.session(draft.session)).toMatchObject({
    state: 'ready_for_review',
    validation_run_id: validation_run.validation_run_id,
  })
  const { steps } = await runsOf(daemon, draft)
  const order = [...new Set(steps.map(({ test_case_id }) => prefixOf(test_case_id)))]
  expect(order).toEqual(['lint', 'adapter', 'trigger', 'plan'])
  const sayings = steps.map(({ test_case_id }) => test_case_id)
  for (const kind of ['pos', 'neg', 'para']) {
    expect(sayings.filter((id) => id.startsWith(`trigger:${kind}:`)).length).toBeGreaterThan(2)
  }
  const kinds = daemon.eventsOf(draft.session).filter((kind) => kind.startsWith('learn.validation'))
  expect(kinds).toEqual([
    'learn.validation.started',
    ...steps.map(() => 'learn.validation.step_finished'),
    'learn.validation.completed',
  ])
  const receipts = await daemon.get(`/api/learn/receipts?proposal_id=${draft.proposal}`)
  expect(
    receipts.json<{ receipts: { receipt_kind: string }[] }>().receipts.map((r) => r.receipt_kind),
  ).toEqual(['learn.validation.completed', 'learn.validation.started', 'learn.proposal.created'])
  const detail = await detailOf(daemon, draft)
  expect(detail.latest_validation?.validation_run).toEqual(validation_run)
  expect(detail.latest_validation?.steps).toEqual(steps)
})

test('steps are streamed as they are found, in their order', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const draft = await drafted(daemon)
  const stream = await openStream(`${url}/api/learn/sessions/${draft.session}/events`, {
    token: adminToken,
  })
  onTestFinished(() => stream.close())

  await daemon.post(`${draft.url}/validate`)

  const frames = await stream.until((all) =>
    all.some(({ event }) => event === 'learn.validation.completed'),
  )
  const told = frames.filter(({ event }) => event === 'learn.validation.step_finished')
  const { steps } = await runsOf(daemon, draft)
  expect(told.map(({ data }) => data?.payload['test_case_id'])).toEqual(
    steps.map(({ test_case_id }) => test_case_id),
  )
})

test('checkpoints that are not fit fail the run at once, and the draft goes back to be worked on', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  const bad = { success_conditions: ['div-8472'] }
  await daemon.post(`${draft.url}/revise`, { edited_fields: bad })

  const reply = await daemon.post(`${draft.url}/validate`)

  expect(reply.statusCode).toBe(400)
  const { error } = reply.json()
  expect(error).toMatchObject({ code: 'CHECKPOINT_LINT_FAILED', retryable: false })
  expect(error.details.findings).toMatchObject([{ code: 'CKP-001' }, { code: 'CKP-006' }])
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  const { runs, steps } = await runsOf(daemon, draft)
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
  expect((await detailOf(daemon, draft)).checkpoint_lint_report?.passed).toBe(false)
})

test('a failed test keeps the draft in testing; nothing is tried again by itself', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await withFile(daemon, draft, {
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
  const { runs, steps } = await runsOf(daemon, draft)
  expect(runs).toHaveLength(1)
  const failed = steps.filter(({ result }) => result === 'failed').map((s) => s.test_case_id)
  expect(failed).toEqual(['trigger:pos:1', 'trigger:neg:1', 'trigger:para:count'])

  const again = await daemon.post(`${draft.url}/validate`, { selected_tests: ['lint'] })
  expect(again.json()).toMatchObject({
    validation_run: { run_kind: 'lint', overall_result: 'passed' },
  })
  expect((await runsOf(daemon, draft)).total).toBe(2)
  const revised = await daemon.post(`${draft.url}/request-more-tests`)
  expect(revised.statusCode, revised.body).toBe(200)
})

test('tests can be chosen by kind and by case; a case there is none of is refused', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  const idsOf = async (selected_tests: string[]) => {
    const reply = await daemon.post(`${draft.url}/validate`, { selected_tests })
    expect(reply.statusCode, reply.body).toBe(200)
    const { validation_run } = reply.json()
    const { steps } = await runsOf(daemon, draft)
    const own = steps.filter((s) => s.validation_run_id === validation_run.validation_run_id)
    const ids = own.map(({ test_case_id }) => test_case_id)
    return [validation_run.run_kind, ids.filter((id) => !id.startsWith('lint:'))]
  }

  expect(await idsOf(['lint'])).toEqual(['lint', []])
  expect(await idsOf(['trigger:pos:2', 'trigger:neg'])).toEqual([
    'dry_run',
    ['trigger:pos:2', 'trigger:neg:1', 'trigger:neg:2', 'trigger:neg:3'],
  ])
  expect(await idsOf(['dry_run'])).toEqual(['dry_run', ['plan:compile']])
  expect(await idsOf(['adapter_check', 'trigger:pos:1'])).toEqual([
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
  expect((await runsOf(daemon, draft)).total).toBe(4)
  const unknown = await daemon.post(`${draft.url}/validate`, { selected: [] })
  expect(unknown.statusCode).toBe(400)
})

test('what a draft needs is looked for: packs that are bound, the skill it improves', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { support_pack_refs: ['packs/tables', 'packs/unheard-of'] },
  })
  const bound = await daemon.post('/api/config/intents', {
    intent_id: randomUUID(),
    target: 'support_pack_binding',
    capability_id: 'learned.other',
    payload: { packs: ['packs/tables'] },
    requested_by: 'ui',
    correlation_id: 'c',
    created_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
  expect(bound.statusCode, bound.body).toBeLessThan(300)

  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['dependency_check'] })

  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'partial' } })
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
  const { steps } = await runsOf(daemon, draft)
  const own = steps.filter(({ test_case_id }) => test_case_id.startsWith('dependency:'))
  expect(own.map(({ test_case_id, result }) => [test_case_id, result])).toEqual([
    ['dependency:packs/tables', 'passed'],
    ['dependency:packs/unheard-of', 'skipped'],
  ])
  await daemon.mirrorsSettled()
  const lines = daemon.mirror('learning/dependencies.jsonl')?.trim().split('\n') ?? []
  expect(lines.map((line) => JSON.parse(line).dependency_ref)).toEqual([
    'packs/tables',
    'packs/unheard-of',
  ])
})

test('a plan is compiled with the demonstrated values, and with others when they are given', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe: noteRecipe() })
  const planOf = async (body: object) => {
    const reply = await daemon.post(`${draft.url}/validate`, {
      selected_tests: ['dry_run'],
      ...body,
    })
    const { validation_run } = reply.json()
    const { steps } = await runsOf(daemon, draft)
    const own = steps.filter(
      ({ validation_run_id, test_case_id }) =>
        validation_run_id === validation_run.validation_run_id && test_case_id.startsWith('plan:'),
    )
    return { result: validation_run.overall_result, steps: own }
  }

  const without = await planOf({})
  expect(without).toMatchObject({
    result: 'partial',
    steps: [{ test_case_id: 'plan:compile', result: 'skipped' }],
  })
  expect(without.steps[0]?.details).toContain('title')

  const given = await planOf({ inputs: { title: 'Milk' } })
  expect(given.result).toBe('passed')
  expect(given.steps.map(({ test_case_id }) => test_case_id)).toContain('plan:action:write')

  const broken: Recipe = { ...noteRecipe(), verification: [] }
  await withRecipe(daemon, draft, { recipe: broken, examples: { title: 'Milk' } })
  expect(await planOf({})).toMatchObject({ result: 'failed', steps: [{ result: 'failed' }] })
})

test('a policy that was set is held against the plan before anything is done', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
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
  const { runs } = await runsOf(daemon, draft)
  expect(runs).toMatchObject([{ overall_result: 'failed', reason: 'test_policy' }])
  const jobs = daemon.system.store.read(
    (reader) => reader.db.prepare("SELECT * FROM jobs WHERE kind LIKE 'learn.val%'").all() as never,
  )
  expect(jobs).toEqual([])
})

test('runs and their steps are lines of their logs: a run once when it begins and once when it ends', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/validate`)
  await daemon.mirrorsSettled()

  const lines = (path: string) =>
    (daemon.mirror(path) ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const runs = lines('learning/validation_runs.jsonl')
  expect(runs.map(({ overall_result }) => overall_result)).toEqual(['partial', 'passed'])
  expect(runs[0].completed_at).toBeUndefined()
  const { runs: now, steps } = await runsOf(daemon, draft)
  expect(runs[1]).toEqual(now[0])
  expect(lines('learning/validation_step_results.jsonl')).toEqual(steps)
  expect(daemon.mirror(`learning/proposals/${draft.proposal}/draft/lint.json`)).toContain('ckp-1')
})

test('a proposal of somebody else is not there', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  const ann = await daemon.tokenFor('ann')
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
})
