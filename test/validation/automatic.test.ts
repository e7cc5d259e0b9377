import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { InstallPrivately } from '../../src/domain/validation/finish-run.ts'
import { startValidation } from '../../src/domain/validation/start-run.ts'
import { Failure } from '../../src/failure/failure.ts'
import { validationRuns } from '../../src/jobs/validation-runs.ts'
import { findJob, type Job } from '../../src/store/command/jobs.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { drafted, type Drafted, runsOf, stored, withRecipe } from './drafted.ts'
import { noteRecipe } from './recipes.ts'

const create = { build_policy: 'private_auto_install', allow_private_install: true }

test('a draft somebody wants installed without being asked is tested and installed by itself, for them alone', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon, { create })

  const run = daemon.session(draft.session)?.validation_run_id ?? ''
  await daemon.system.jobs.settled(run, 10_000)

  const { runs } = await runsOf(daemon, draft)
  expect(runs).toMatchObject([{ validation_run_id: run, overall_result: 'passed' }])
  await expect.poll(() => daemon.session(draft.session)?.state).toBe('installed_private')
  expect(stored(daemon, draft.proposal)).toMatchObject({ install_lane: 'experimental_private' })
  const started = await daemon.get('/api/learn/receipts?receipt_kind=learn.validation.started')
  expect(started.json()).toMatchObject({ receipts: [{ actor: 'system', actor_ref: 'local' }] })
})

test('any other draft waits until somebody asks', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  expect((await runsOf(daemon, draft)).total).toBe(0)
})

test('a draft that is not fit stays one, with the failed run on record', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon, {
    create,
    steps: ['The page is there after 5 seconds'],
  })
  const { runs } = await runsOf(daemon, draft)
  expect(runs).toMatchObject([{ overall_result: 'failed', reason: 'checkpoint_lint' }])
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
})

/** Does the work of one run with an installer of the test's own. */
async function runWith(daemon: Daemon, draft: Drafted, install: InstallPrivately) {
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

async function wanted(): Promise<{ daemon: Daemon; draft: Drafted }> {
  const daemon = await startDaemon()
  // Nobody else is to take the job.
  await daemon.system.jobs.stop()
  const draft = await drafted(daemon)
  await daemon.system.store.write((tx) => {
    tx.db
      .prepare('UPDATE learn_sessions SET build_policy = ?, allow_private_install = 1')
      .run('private_auto_install')
  })
  return { daemon, draft }
}

test('a draft that passes is handed on to be installed, in the same transaction', async () => {
  const { daemon, draft } = await wanted()
  const installed: string[] = []
  await runWith(daemon, draft, (_act, proposal) => installed.push(proposal.proposal_state))
  expect(installed).toEqual(['ready_for_review'])
})

test('one that passes only in part is not', async () => {
  const { daemon, draft } = await wanted()
  await withRecipe(daemon, draft, { recipe: noteRecipe() })
  await runWith(daemon, draft, () => expect.unreachable())
  expect((await runsOf(daemon, draft)).runs).toMatchObject([{ overall_result: 'partial' }])
  expect(stored(daemon, draft.proposal).proposal_state).toBe('ready_for_review')
})

test('an install that is refused undoes itself and leaves the draft to be reviewed', async () => {
  const { daemon, draft } = await wanted()
  await runWith(daemon, draft, (ctx) => {
    ctx.tx.db.prepare(`UPDATE proposals SET title = 'half done'`).run()
    throw new Failure('INSTALL_LANE_DENIED', 'The name is taken.')
  })
  expect((await runsOf(daemon, draft)).runs).toMatchObject([{ overall_result: 'passed' }])
  expect(stored(daemon, draft.proposal)).toMatchObject({
    proposal_state: 'ready_for_review',
    title: 'Share a note as PDF',
  })
})
