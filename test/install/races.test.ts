import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  readAbility,
  ABILITY_ID,
  readCode,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  prepareProposal,
  type ReviewedDraft,
  SLUG,
  readStates,
  readProposal,
  readVersions,
} from './install-kit.ts'

type Move = (daemon: Daemon, draft: ReviewedDraft) => Promise<string>

const MOVES: Readonly<Record<string, Move>> = {
  install: async (daemon, { url }) => readCode(await daemon.post(`${url}/install`)),
  approve: async (daemon, { url, draft_hash }) => readCode(await daemon.post(`${url}/approve`, { draft_hash })),
  revise: async (daemon, { url }) =>
    readCode(await daemon.post(`${url}/revise`, { edited_fields: { goal_summary: 'Another goal' } })),
  validate: async (daemon, { url }) => readCode(await daemon.post(`${url}/validate`)),
  reject: async (daemon, { url }) => readCode(await daemon.post(`${url}/reject`, { reason: 'No' })),
}

const CONFLICTS = ['INVALID_LEARN_STATE_TRANSITION', 'VALIDATION_IN_PROGRESS', 'INSTALL_IN_PROGRESS', 'DRAFT_CHANGED']

test('of many concurrent installations one succeeds and the others get INSTALL_IN_PROGRESS', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const answers = await Promise.all(Array.from({ length: 20 }, async () => MOVES['install']?.(daemon, draft)))
  expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
  expect(new Set(answers)).toEqual(new Set(['done', 'INSTALL_IN_PROGRESS']))
  expect(readVersions(daemon)).toHaveLength(1)
  const started = await daemon.get('/api/learn/receipts?receipt_kind=learn.install.started')
  expect(started.json()).toMatchObject({ total: 1 })
})

test('of concurrent installs, approvals, revisions, tests and rejections at most one decision succeeds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const daemon = await startDaemon()
    const draft = await prepareProposal(daemon)
    const names = Object.keys(MOVES)
    const order = Array.from({ length: 10 }, (_, at) => names[(at * 3 + round) % names.length] ?? '')

    const answers = await Promise.all(order.map(async (name) => [name, await MOVES[name]?.(daemon, draft)] as const))

    const summary = JSON.stringify(answers)
    const legal = ['done', ...CONFLICTS]
    expect(
      answers.filter(([, answer]) => !legal.includes(answer ?? '')),
      summary,
    ).toEqual([])
    const decided = answers.filter(
      ([name, answer]) => answer === 'done' && ['install', 'approve', 'reject'].includes(name),
    )
    expect(decided.length, summary).toBeLessThanOrEqual(1)
    await waitForJobs(daemon)
    const [proposal_state, state] = readStates(daemon, draft)
    const winner = decided[0]?.[0]
    const ending = { install: 'installed_private', approve: 'approved', reject: 'rejected' }
    if (winner !== undefined) expect(proposal_state).toBe(ending[winner as keyof typeof ending])
    expect(state).toBe(proposal_state === 'draft' ? 'drafting_proposal' : proposal_state)
    const isThere = winner === 'install' || winner === 'approve'
    expect(readAbility(daemon)?.usable_now, summary).toBe(isThere ? true : undefined)
    expect(Object.keys(readFolders(daemon).projected).length > 0).toBe(isThere)
    await daemon.stop()
  }
})

test('of concurrent changes of an installed ability one succeeds', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  const next = await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' })
  const url = `/api/abilities/${ABILITY_ID}`
  const answers = await Promise.all([
    daemon.post(`${next.url}/install`),
    daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash }),
    daemon.post(`${url}/rollback`),
    daemon.delete(url),
    daemon.delete(url),
    daemon.post(`${next.url}/install`),
  ])
  const codes = answers.map(readCode)
  expect(codes[0]).toBe('done')
  expect(
    codes.slice(1).every((code) => code === 'INSTALL_IN_PROGRESS'),
    codes.join(),
  ).toBe(true)
  expect(readAbility(daemon)).toMatchObject({ current_version: 2, usable_now: true })
})

test('of two proposals with the same name the first is installed', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann')
  const mine = await prepareProposal(daemon)
  const hers = await prepareProposal(daemon, { token: ann })
  const answers = await Promise.all([daemon.post(`${mine.url}/install`), daemon.post(`${hers.url}/install`, {}, ann)])
  expect(answers.map(readCode)).toEqual(['done', 'INSTALL_IN_PROGRESS'])
  expect(readCode(await daemon.post(`${hers.url}/install`, {}, ann))).toBe('INSTALL_LANE_DENIED')
  expect(readProposal(daemon, hers.proposal).proposal_state).toBe('ready_for_review')
  expect(readAbility(daemon)).toMatchObject({ owner_user_id: 'local', skill_slug: SLUG })
})

test('a repeated request returns the same installation', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const body = { client_request_id: 'once' }
  const first = await install(daemon, draft, body)
  expect(await install(daemon, draft, body)).toEqual(first)
  const other = await daemon.post(`${draft.url}/install`, {
    ...body,
    draft_hash: draft.draft_hash,
  })
  expect(readCode(other)).toBe('IDEMPOTENCY_CONFLICT')
  expect(readVersions(daemon)).toHaveLength(1)
})

/** Waits until no job is queued or running. */
async function waitForJobs(daemon: Daemon): Promise<void> {
  await expect
    .poll(() =>
      daemon.system.store.read(({ db }) =>
        db
          .prepare(`SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND kind <> 'abilities.refresh'`)
          .pluck()
          .get(),
      ),
    )
    .toBe(0)
}
