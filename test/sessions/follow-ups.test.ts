import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FollowUp } from '@apprentice/contracts/learn/follow-ups.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { ABILITY_ID, install, installProposal, prepareImprovement, readCode } from '../install/install-kit.ts'

const URL = '/api/learn/follow-ups'

const report = (daemon: Daemon, status: 'failed' | 'skipped', token?: string) =>
  daemon.post(
    '/api/bridge/verify-checkpoint',
    {
      checkpoint_id: 'cp-01',
      status,
      evidence: 'the menu is closed',
      reason: 'No such button',
      dispatch_id: 'run-1',
      ability_id: ABILITY_ID,
    },
    token,
  )

const list = async (daemon: Daemon, query = '', token?: string): Promise<FollowUp[]> =>
  (await daemon.get(`${URL}${query}`, token)).json<{ follow_ups: FollowUp[] }>().follow_ups

test('missed checkpoints are listed for their reporter and for the owner of the ability, with what became of them', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await report(daemon, 'failed')
  await report(daemon, 'skipped')
  const stranger = await daemon.tokenFor('stranger')
  expect(await list(daemon, '', stranger)).toEqual([])
  const [skipped, failed] = await list(daemon)
  expect([skipped, failed]).toMatchObject([
    { kind: 'friction.checkpoint_skipped', state: 'open', checkpoint_id: 'cp-01', ability_id: ABILITY_ID },
    { kind: 'repair.checkpoint_failed', state: 'open', summary: 'Checkpoint cp-01 failed: No such button' },
  ])
  const dismiss = (id: string, token?: string) => daemon.post(`${URL}/${id}/dismiss`, { note: 'A one-off' }, token)
  expect(readCode(await dismiss(skipped?.follow_up_id ?? '', stranger))).toBe('FOLLOW_UP_NOT_FOUND')
  expect((await dismiss(skipped?.follow_up_id ?? '')).json()).toMatchObject({ state: 'dismissed', note: 'A one-off' })
  expect(readCode(await dismiss(skipped?.follow_up_id ?? ''))).toBe('FOLLOW_UP_SETTLED')
  expect(await list(daemon, '?state=open')).toMatchObject([{ follow_up_id: failed?.follow_up_id }])
})

test('a repair takes up the open follow-ups of its checkpoint, and the new version settles them', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await report(daemon, 'failed')
  await report(daemon, 'failed')
  const [first] = await list(daemon)
  const started = await daemon.post(`${URL}/${first?.follow_up_id}/repair`)
  expect(started.statusCode, started.body).toBe(200)
  const { session, follow_ups } = started.json<{
    session: { learn_session_id: string; target_skill_id: string }
    follow_ups: FollowUp[]
  }>()
  expect(session.target_skill_id).toBe(ABILITY_ID)
  expect(follow_ups).toMatchObject([
    { state: 'repair_started', source_ref: `learn_session:${session.learn_session_id}` },
    { state: 'repair_started' },
  ])
  expect(await list(daemon, '?state=open')).toEqual([])
  await daemon.post(`/api/learn/sessions/${session.learn_session_id}/cancel`)
  await install(daemon, await prepareImprovement(daemon))
  expect((await list(daemon)).map(({ state, source_ref }) => [state, source_ref])).toEqual([
    ['new_version', 'version:2'],
    ['new_version', 'version:2'],
  ])
})

test('an unknown follow-up is refused', async () => {
  const daemon = await startDaemon()
  expect(readCode(await daemon.post(`${URL}/${randomUUID()}/repair`))).toBe('FOLLOW_UP_NOT_FOUND')
})
