import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { TestPolicyMode } from '@apprentice/contracts/learn/test-policy.ts'
import { findTestPolicy } from '../../src/store/proposals/test-policies.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const setTestPolicy = (daemon: Daemon, id: string, policy: Record<string, unknown>, token?: string) =>
  daemon.post(
    `/api/learn/sessions/${id}/set-test-policy`,
    { test_policy: { policy_id: randomUUID(), ...policy } },
    token,
  )

test('a policy is stored with its defaults and referenced by the session', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  const policy_id = randomUUID()

  const reply = await setTestPolicy(daemon, id, { policy_id, mode: 'read_only' })

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    session: { state: 'armed', test_policy_ref: `test_policy:${policy_id}` },
  })
  expect((await daemon.get(`/api/learn/sessions/${id}/detail`)).json()).toMatchObject({
    test_policy: {
      policy_id,
      mode: 'read_only',
      safe_targets: [],
      forbid_destructive_writes: true,
      forbid_external_send: true,
      max_actions: 40,
      cleanup_required: false,
    },
  })
  expect(daemon.events().map(({ kind }) => kind)).toEqual(['learn.session.changed'])
})

const FITTING_TARGETS: Record<string, string> = {
  blank_artifact: 'blank_project',
  copy_artifact: 'copied_document',
  safe_target_only: 'temp_folder',
  redirect_send: 'safe_email_recipient',
  live_read_safe_write: 'test_sharepoint_site',
}

test.each(TestPolicyMode.options)('mode %s is accepted only with a fitting target', async (mode) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('reviewing')
  const needs = FITTING_TARGETS[mode]

  const bare = await setTestPolicy(daemon, id, { mode })
  expect(bare.statusCode).toBe(needs === undefined ? 200 : 400)
  if (needs === undefined) return
  expect(bare.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  expect(daemon.session(id)?.test_policy_ref).toBeUndefined()
  expect(daemon.events()).toEqual([])

  const full = await setTestPolicy(daemon, id, {
    mode,
    safe_targets: [{ target_kind: needs, ref: 'somewhere safe' }],
  })
  expect(full.statusCode, full.body).toBe(200)
})

test.each([
  ['blank_artifact', 'copied_document'],
  ['copy_artifact', 'blank_document'],
  ['redirect_send', 'temp_folder'],
  ['live_read_safe_write', 'safe_email_recipient'],
] as const)('mode %s is rejected with a target of kind %s', async (mode, target_kind) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped')
  const reply = await setTestPolicy(daemon, id, { mode, safe_targets: [{ target_kind, ref: 'x' }] })
  expect(reply.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  expect(daemon.session(id)?.test_policy_ref).toBeUndefined()
})

test('a policy without targets uses the safe target requested at creation', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped', { requested_safe_target_ref: 'scratch/notes' })
  const policy_id = randomUUID()
  expect((await setTestPolicy(daemon, id, { policy_id, mode: 'copy_artifact' })).statusCode).toBe(200)
  expect(daemon.system.store.read((reader) => findTestPolicy(reader, policy_id))).toMatchObject({
    policy: { safe_targets: [{ target_kind: 'copied_document', ref: 'scratch/notes' }] },
  })
  expect((await setTestPolicy(daemon, id, { mode: 'redirect_send' })).statusCode).toBe(400)
})

const settable = LearnSessionState.options.slice(0, LearnSessionState.options.indexOf('installing_private'))

test.each(LearnSessionState.options)('setting a policy for a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)
  const reply = await setTestPolicy(daemon, id, { mode: 'dry_run_only' })
  const allowed = settable.includes(state)
  expect(reply.statusCode).toBe(allowed ? 200 : 400)
  expect(daemon.session(id)?.test_policy_ref !== undefined).toBe(allowed)
  expect(daemon.session(id)?.state).toBe(state)
})

test('setting a policy again replaces it; the policy id of another session is rejected', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped')
  const other = await daemon.aSessionIn('approved', { owner_user_id: 'eve' })
  const policy_id = randomUUID()
  await setTestPolicy(daemon, id, { policy_id, mode: 'read_only' })
  await setTestPolicy(daemon, id, { policy_id, mode: 'dry_run_only', max_actions: 7 })
  const readPolicy = () => daemon.system.store.read((reader) => findTestPolicy(reader, policy_id))
  expect(readPolicy()).toMatchObject({ policy: { mode: 'dry_run_only', max_actions: 7 } })

  const eve = await daemon.tokenFor('eve')
  const hers = await daemon.aSessionIn('stopped', { owner_user_id: 'eve' })
  const reply = await setTestPolicy(daemon, hers, { policy_id, mode: 'read_only' }, eve)
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(readPolicy()).toMatchObject({ learn_session_id: id, policy: { mode: 'dry_run_only' } })
  expect((await setTestPolicy(daemon, other, { mode: 'read_only' })).statusCode).toBe(404)
})
