import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { assertInstallable } from '../../src/domain/review/verdicts.ts'
import { moveProposal } from '../../src/domain/proposals/moves.ts'
import { Failure } from '../../src/failure/failure.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { getDetail, draftProposal, type DraftedProposal, getRuns, readProposal } from './drafts.ts'

const buildContext = (daemon: Daemon, tx: never) => ({
  tx,
  now: daemon.clock.now.toISOString(),
  actor: { kind: 'user', user_id: 'local' } as const,
  correlation_id: 'c',
  newId: randomUUID,
})

/** Approves a draft with the checks of an installation. */
async function decide(daemon: Daemon, draft: DraftedProposal, draft_hash: string | undefined) {
  try {
    await daemon.system.store.write((tx) => {
      const ctx = buildContext(daemon, tx as never)
      const proposal = findProposal(tx, draft.proposal)
      if (proposal === undefined) throw new Error('no proposal')
      assertInstallable(ctx, proposal, { draft_hash, lane: 'approved_workspace' })
      moveProposal(ctx, proposal, 'approved')
    })
    return 'done'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

const readCode = (reply: { statusCode: number; body: string }): string =>
  reply.statusCode < 300 ? 'done' : (JSON.parse(reply.body) as { error: { code: string } }).error.code

test('of many concurrent validate requests one starts a run and the others get VALIDATION_IN_PROGRESS', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)

  const answers = await Promise.all(
    Array.from({ length: 25 }, async () =>
      readCode(await daemon.post(`${draft.url}/validate`, { selected_tests: ['trigger'] })),
    ),
  )

  expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
  expect(new Set(answers)).toEqual(new Set(['done', 'VALIDATION_IN_PROGRESS']))
  expect((await getRuns(daemon, draft)).total).toBe(1)
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
})

test('a repeated request returns the same run', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const body = { client_request_id: 'once', selected_tests: ['lint'] }
  const replies = await Promise.all(Array.from({ length: 5 }, () => daemon.post(`${draft.url}/validate`, body)))
  const runs = replies.map((reply) => reply.json().validation_run.validation_run_id as string)
  expect(new Set(runs).size).toBe(1)
  const other = await daemon.post(`${draft.url}/validate`, { ...body, run_label: 'other' })
  expect(readCode(other)).toBe('IDEMPOTENCY_CONFLICT')
})

test('of concurrent decisions, revisions and tests at most one decision succeeds, and the rest get conflict codes', async () => {
  const legal = new Set(['done', 'INVALID_LEARN_STATE_TRANSITION', 'VALIDATION_IN_PROGRESS', 'DRAFT_CHANGED'])
  for (let round = 0; round < 6; round += 1) {
    const daemon = await startDaemon()
    const draft = await draftProposal(daemon)
    await daemon.post(`${draft.url}/validate`)
    const { draft_hash } = await getDetail(daemon, draft)
    const moves: (() => Promise<string>)[] = [
      () => decide(daemon, draft, draft_hash),
      async () => readCode(await daemon.post(`${draft.url}/revise`, { edited_fields: { title: 'Other name' } })),
      async () => readCode(await daemon.post(`${draft.url}/validate`, { wait_ms: 0 })),
      async () => readCode(await daemon.post(`${draft.url}/reject`, { reason: 'No' })),
    ]
    const order = Array.from({ length: 12 }, (_, at) => moves[(at + round) % moves.length])

    const answers = await Promise.all(order.map(async (move) => move?.()))

    expect(answers.filter((answer) => !legal.has(answer ?? ''))).toEqual([])
    const ending = answers.filter((_, at) => {
      const kind = (at + round) % moves.length
      return (kind === 0 || kind === 3) && answers[at] === 'done'
    })
    expect(ending.length, answers.join()).toBeLessThanOrEqual(1)
    const { active_validation_run_id: active } = readProposal(daemon, draft.proposal)
    if (active !== undefined) await daemon.system.jobs.waitUntilSettled(active, 10_000)
    const { proposal_state } = readProposal(daemon, draft.proposal)
    const state = daemon.session(draft.session)?.state
    expect([proposal_state, state]).toEqual(
      proposal_state === 'draft' ? ['draft', 'drafting_proposal'] : [state, state],
    )
    await daemon.stop()
  }
})

test('an approval is refused if the draft changed since it was reviewed', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  expect(await decide(daemon, draft, 'x')).toBe('INVALID_LEARN_STATE_TRANSITION')
  await daemon.post(`${draft.url}/validate`)
  const reviewedHash = (await getDetail(daemon, draft)).draft_hash
  await daemon.post(`${draft.url}/revise`, { edited_fields: { goal_summary: 'Something else' } })
  await daemon.post(`${draft.url}/validate`)

  expect(await decide(daemon, draft, undefined)).toBe('INVALID_REQUEST')
  expect(await decide(daemon, draft, reviewedHash)).toBe('DRAFT_CHANGED')
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('ready_for_review')
  const { draft_hash } = await getDetail(daemon, draft)
  expect(await decide(daemon, draft, draft_hash)).toBe('done')
  expect(daemon.session(draft.session)?.state).toBe('approved')
  expect((await getDetail(daemon, draft)).interpretation?.user_confirmed).toBe(true)
})

test('a draft with a missing dependency or invalid checkpoints is not installed', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/validate`)
  const { draft_hash } = await getDetail(daemon, draft)
  await daemon.system.store.write((tx) => {
    tx.db
      .prepare(
        `INSERT INTO proposal_dependencies (proposal_id, dependency_kind, dependency_ref, required)
         VALUES (?, 'existing_skill', 'learned.gone', 1)`,
      )
      .run(draft.proposal)
  })
  expect(await decide(daemon, draft, draft_hash)).toBe('DEPENDENCY_MISSING')
  await daemon.system.store.write((tx) => {
    tx.db.prepare(`UPDATE interpretations SET body = replace(body, 'is listed', '(1, 2)')`).run()
  })
  expect(await decide(daemon, draft, draft_hash)).toBe('CHECKPOINT_LINT_FAILED')
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('ready_for_review')
})
