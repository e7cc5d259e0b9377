import { randomUUID } from 'node:crypto'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { assertInstallable } from '../../src/domain/review/verdicts.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { insertCleanup } from '../../src/store/validation/rehearsal-cleanups.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import type { Daemon } from '../kit/daemon.ts'
import { draftProposal, type DraftedProposal } from '../validation/drafts.ts'

const withDraft = (send: (daemon: Daemon, draft: DraftedProposal) => ReturnType<Scenario>): Scenario =>
  withDaemon(async (daemon) => send(daemon, await draftProposal(daemon)))

export const proposalScenarios = {
  CHECKPOINT_LINT_FAILED: withDraft(async (daemon, { url }) => {
    await daemon.post(`${url}/revise`, { edited_fields: { success_conditions: ['(340, 220)'] } })
    return daemon.post(`${url}/validate`)
  }),
  REVISION_NOT_UNDERSTOOD: withDraft((daemon, { url }) =>
    daemon.post(`${url}/revise`, { revision_instructions: 'Make it nicer' }),
  ),
  VALIDATION_IN_PROGRESS: withDraft(async (daemon, { url }) => {
    // The job is not run, so the validation stays active.
    await daemon.system.jobs.stop()
    await daemon.post(`${url}/validate`, { wait_ms: 0 })
    return daemon.post(`${url}/validate`)
  }),
  VALIDATION_RUN_NOT_FOUND: withDraft((daemon, { url }) =>
    daemon.post(`${url}/validation-runs/${randomUUID()}/cancel`),
  ),
  VALIDATION_SETTLED: withDraft(async (daemon, { url }) => {
    const made = await daemon.post(`${url}/validate`)
    const { validation_run } = made.json<{ validation_run: { validation_run_id: string } }>()
    return daemon.post(`${url}/validation-runs/${validation_run.validation_run_id}/cancel`)
  }),
  CLEANUP_NOT_FOUND: withDaemon((daemon) =>
    daemon.post(`/api/learn/cleanups/${randomUUID()}/complete`, { note: 'none' }),
  ),
  CLEANUP_NOT_OPEN: withDaemon(async (daemon) => {
    const cleanup_id = randomUUID()
    await daemon.system.store.write((tx) => {
      insertCleanup(tx, {
        cleanup_id,
        validation_run_id: randomUUID(),
        proposal_id: randomUUID(),
        owner_user_id: 'local',
        state: 'not_needed',
        created_at: '2026-01-01T00:00:00.000Z',
        schema_version: 1,
      })
    })
    return daemon.post(`/api/learn/cleanups/${cleanup_id}/complete`, { note: 'none' })
  }),
  FOLLOW_UP_NOT_FOUND: withDaemon((daemon) =>
    daemon.post(`/api/learn/follow-ups/${randomUUID()}/dismiss`, { note: 'none' }),
  ),
  FOLLOW_UP_SETTLED: withDaemon(async (daemon) => {
    const report = { checkpoint_id: 'saved', status: 'skipped', reason: 'There', dispatch_id: 'run-1' }
    await daemon.post('/api/bridge/verify-checkpoint', report)
    const listed = (await daemon.get('/api/learn/follow-ups')).json<{ follow_ups: { follow_up_id: string }[] }>()
    const url = `/api/learn/follow-ups/${listed.follow_ups[0]?.follow_up_id}/dismiss`
    await daemon.post(url, { note: 'none' })
    return daemon.post(url, { note: 'again' })
  }),
  DRAFT_FILE_NOT_FOUND: withDraft((daemon, { url }) => daemon.get(`${url}/files/none.md`)),
} satisfies Partial<Record<FailureCode, Scenario>>

/** Refusals by the first check of an installation. */
export const installScenarios = {
  DRAFT_CHANGED: async (daemon: Daemon, draft: DraftedProposal) => {
    await daemon.post(`${draft.url}/validate`)
    await install(daemon, draft, '0'.repeat(64))
  },
  DEPENDENCY_MISSING: async (daemon: Daemon, draft: DraftedProposal) => {
    await daemon.post(`${draft.url}/validate`)
    await daemon.system.store.write((tx) => {
      tx.db
        .prepare(
          `INSERT INTO proposal_dependencies (proposal_id, dependency_kind, dependency_ref, required)
           VALUES (?, 'existing_skill', 'learned.gone', 1)`,
        )
        .run(draft.proposal)
    })
    await install(daemon, draft)
  },
} satisfies Partial<Record<FailureCode, (daemon: Daemon, draft: DraftedProposal) => Promise<unknown>>>

async function install(daemon: Daemon, draft: DraftedProposal, draft_hash?: string): Promise<void> {
  await daemon.system.store.write((tx) => {
    const proposal = findProposal(tx, draft.proposal)
    if (proposal === undefined) throw new Error('no proposal')
    const ctx = {
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'user', user_id: 'local' } as const,
      correlation_id: 'c',
      newId: randomUUID,
    }
    assertInstallable(ctx, proposal, { draft_hash, lane: 'experimental_private' })
  })
}
