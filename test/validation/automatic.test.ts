import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { InstallPrivately } from '../../src/domain/validation/finish-run.ts'
import { startValidation } from '../../src/domain/validation/start-run.ts'
import { Failure } from '../../src/failure/failure.ts'
import { validationRuns } from '../../src/jobs/validation-runs.ts'
import { findJob, type Job } from '../../src/store/command/jobs.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { findLatestRun } from '../../src/store/validation/validation-runs.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, type DraftedProposal, getRuns, readProposal, putRecipe } from './drafts.ts'
import { noteRecipe } from './recipes.ts'

const AUTO_INSTALL = { build_policy: 'private_auto_install', allow_private_install: true }

test('a session with automatic installation tests its draft and installs it privately', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon, { create: AUTO_INSTALL })

  const run = daemon.session(draft.session)?.validation_run_id ?? ''
  await daemon.system.jobs.waitUntilSettled(run, 10_000)

  const { runs } = await getRuns(daemon, draft)
  expect(runs).toMatchObject([{ validation_run_id: run, overall_result: 'passed' }])
  await expect.poll(() => daemon.session(draft.session)?.state).toBe('installed_private')
  expect(readProposal(daemon, draft.proposal)).toMatchObject({
    install_lane: 'experimental_private',
  })
  const started = await daemon.get('/api/learn/receipts?receipt_kind=learn.validation.started')
  expect(started.json()).toMatchObject({ receipts: [{ actor: 'system', actor_ref: 'local' }] })
})

test('any other draft is not tested automatically', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  expect((await getRuns(daemon, draft)).total).toBe(0)
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('draft')
})

test('a draft that fails the linter stays a draft with a failed run', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon, {
    create: AUTO_INSTALL,
    steps: ['The page is there after 5 seconds'],
  })
  const { runs } = await getRuns(daemon, draft)
  expect(runs).toMatchObject([{ overall_result: 'failed', reason: 'checkpoint_lint' }])
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
})

/** Executes one run with the given installer. */
async function runWith(daemon: Daemon, draft: DraftedProposal, install: InstallPrivately) {
  const { store } = daemon.system
  const id = await store.write((tx) => {
    const proposal = findProposal(tx, draft.proposal)
    if (proposal === undefined) throw new Error('no proposal')
    const started = startValidation(
      {
        tx,
        now: daemon.clock.now.toISOString(),
        actor: { kind: 'user', user_id: 'local' },
        correlation_id: 'c',
        newId: randomUUID,
      },
      proposal,
      { selected_tests: [] },
    )
    if (started instanceof Failure) throw started
    return started.validation_run_id
  })
  const handler = validationRuns(
    { store, clock: () => daemon.clock.now, newId: randomUUID, log: pino({ level: 'silent' }) },
    { jobs: daemon.system.jobs, install },
  )
  const job = store.read((reader) => findJob(reader, id) ?? null)
  await handler.run(job as Job, new AbortController().signal)
}

async function prepareAutoInstall(): Promise<{ daemon: Daemon; draft: DraftedProposal }> {
  const daemon = await startDaemon()
  // The runner of the daemon must not execute the job.
  await daemon.system.jobs.stop()
  const draft = await draftProposal(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.prepare('UPDATE learn_sessions SET build_policy = ?, allow_private_install = 1').run('private_auto_install')
  })
  return { daemon, draft }
}

test('a passed draft is installed in the transaction that finishes its run', async () => {
  const { daemon, draft } = await prepareAutoInstall()
  const seen: object[] = []
  await runWith(daemon, draft, ({ tx }, { proposal_id, proposal_state }) => {
    const inside = findLatestRun(tx, proposal_id)
    const outside = daemon.system.store.read((reader) => findLatestRun(reader, proposal_id))
    seen.push({ proposal_state, inside: inside?.completed_at, outside: outside?.completed_at })
  })
  const now = daemon.clock.now.toISOString()
  expect(seen).toEqual([{ proposal_state: 'ready_for_review', inside: now, outside: undefined }])
})

test('a draft that passes only partially is not installed', async () => {
  const { daemon, draft } = await prepareAutoInstall()
  await putRecipe(daemon, draft, { recipe: noteRecipe() })
  await runWith(daemon, draft, () => expect.unreachable())
  expect((await getRuns(daemon, draft)).runs).toMatchObject([{ overall_result: 'partial' }])
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('ready_for_review')
})

test('a refused installation is rolled back and the draft stays ready for review', async () => {
  const { daemon, draft } = await prepareAutoInstall()
  await runWith(daemon, draft, (ctx) => {
    ctx.tx.db.prepare(`UPDATE proposals SET title = 'half done'`).run()
    throw new Failure('INSTALL_LANE_DENIED', 'The name is taken.')
  })
  expect((await getRuns(daemon, draft)).runs).toMatchObject([{ overall_result: 'passed' }])
  expect(readProposal(daemon, draft.proposal)).toMatchObject({
    proposal_state: 'ready_for_review',
    title: 'Share a note as PDF',
  })
})
