import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  ability,
  abilityId,
  codeOf,
  folders,
  improved,
  install,
  installed,
  reviewed,
  type Reviewed,
  slug,
  stateOf,
  stored,
  versions,
} from './installing.ts'

type Move = (daemon: Daemon, draft: Reviewed) => Promise<string>

const moves: Readonly<Record<string, Move>> = {
  install: async (daemon, { url }) => codeOf(await daemon.post(`${url}/install`)),
  approve: async (daemon, { url, draft_hash }) =>
    codeOf(await daemon.post(`${url}/approve`, { draft_hash })),
  revise: async (daemon, { url }) =>
    codeOf(await daemon.post(`${url}/revise`, { edited_fields: { goal_summary: 'Other words' } })),
  validate: async (daemon, { url }) => codeOf(await daemon.post(`${url}/validate`)),
  reject: async (daemon, { url }) => codeOf(await daemon.post(`${url}/reject`, { reason: 'No' })),
}

const conflicts = [
  'INVALID_LEARN_STATE_TRANSITION',
  'VALIDATION_IN_PROGRESS',
  'INSTALL_IN_PROGRESS',
  'DRAFT_CHANGED',
]

test('of many who install at once one does, and the others are told so', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => moves['install']?.(daemon, draft)),
  )
  expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
  expect(new Set(answers)).toEqual(new Set(['done', 'INSTALL_IN_PROGRESS']))
  expect(versions(daemon)).toHaveLength(1)
})

test('installing, approving, revising, testing and rejecting at once: one decides', async () => {
  for (let round = 0; round < 10; round += 1) {
    const daemon = await startDaemon()
    const draft = await reviewed(daemon)
    const names = Object.keys(moves)
    const order = Array.from(
      { length: 10 },
      (_, at) => names[(at * 3 + round) % names.length] ?? '',
    )

    const answers = await Promise.all(
      order.map(async (name) => [name, await moves[name]?.(daemon, draft)] as const),
    )

    const told = JSON.stringify(answers)
    const legal = ['done', ...conflicts]
    expect(
      answers.filter(([, answer]) => !legal.includes(answer ?? '')),
      told,
    ).toEqual([])
    const decided = answers.filter(
      ([name, answer]) => answer === 'done' && ['install', 'approve', 'reject'].includes(name),
    )
    expect(decided.length, told).toBeLessThanOrEqual(1)
    await settledAll(daemon)
    const [proposal_state, state] = stateOf(daemon, draft)
    const winner = decided[0]?.[0]
    const ending = { install: 'installed_private', approve: 'approved', reject: 'rejected' }
    if (winner !== undefined) expect(proposal_state).toBe(ending[winner as keyof typeof ending])
    expect(state).toBe(proposal_state === 'draft' ? 'drafting_proposal' : proposal_state)
    const isThere = winner === 'install' || winner === 'approve'
    expect(ability(daemon)?.usable_now, told).toBe(isThere ? true : undefined)
    expect(Object.keys(folders(daemon).projected).length > 0).toBe(isThere)
    await daemon.stop()
  }
})

test('of several changes of an installed ability at once one goes through at a time', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  const next = await improved(daemon, { goal: 'Share a note as PDF by mail' })
  const url = `/api/abilities/${abilityId}`
  const answers = await Promise.all([
    daemon.post(`${next.url}/install`),
    daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash }),
    daemon.post(`${url}/rollback`),
    daemon.delete(url),
    daemon.delete(url),
    daemon.post(`${next.url}/install`),
  ])
  const codes = answers.map(codeOf)
  expect(codes[0]).toBe('done')
  expect(
    codes.slice(1).every((code) => code === 'INSTALL_IN_PROGRESS'),
    codes.join(),
  ).toBe(true)
  expect(ability(daemon)).toMatchObject({ current_version: 2, usable_now: true })
})

test('of two proposals for one name the first gets it', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann')
  const mine = await reviewed(daemon)
  const hers = await reviewed(daemon, { token: ann })
  const answers = await Promise.all([
    daemon.post(`${mine.url}/install`),
    daemon.post(`${hers.url}/install`, {}, ann),
  ])
  expect(answers.map(codeOf)).toEqual(['done', 'INSTALL_IN_PROGRESS'])
  expect(codeOf(await daemon.post(`${hers.url}/install`, {}, ann))).toBe('INSTALL_LANE_DENIED')
  expect(stored(daemon, hers.proposal).proposal_state).toBe('ready_for_review')
  expect(ability(daemon)).toMatchObject({ owner_user_id: 'local', skill_slug: slug })
})

test('the same request sent again is the same installation', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const body = { client_request_id: 'once' }
  const first = await install(daemon, draft, body)
  expect(await install(daemon, draft, body)).toEqual(first)
  const other = await daemon.post(`${draft.url}/install`, {
    ...body,
    draft_hash: draft.draft_hash,
  })
  expect(codeOf(other)).toBe('IDEMPOTENCY_CONFLICT')
  expect(versions(daemon)).toHaveLength(1)
})

/** Waits until nothing is queued or running any more. */
async function settledAll(daemon: Daemon): Promise<void> {
  await expect
    .poll(() =>
      daemon.system.store.read(({ db }) =>
        db
          .prepare(
            `SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND kind <> 'abilities.refresh'`,
          )
          .pluck()
          .get(),
      ),
    )
    .toBe(0)
}
