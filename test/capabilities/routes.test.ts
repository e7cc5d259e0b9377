import { expect, test } from 'vitest'
import type { BridgeEntry, CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { getAbilitySnapshot } from '../../src/store/abilities/abilities-snapshot.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  readCode,
  install,
  installProposal,
  prepareProposal,
} from '../install/install-kit.ts'
import { runNightlyJob } from '../capture/nightly.ts'

const URL = '/api/capabilities'
const SHARED_ID = 'learned.print-a-note'

/** A daemon with a private and a shared ability. */
async function startWithAbilities(): Promise<Daemon> {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon, { goal: 'Print a note' })
  await daemon.post(`${draft.url}/approve`, {
    approval_scope: 'shared_promoted',
    draft_hash: draft.draft_hash,
  })
  await installProposal(daemon)
  return daemon
}

const recordFailures = (daemon: Daemon, times: number) =>
  runCommand(daemon, (ctx) => {
    for (let n = 0; n < times; n += 1) {
      recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: false, fingerprint: 'f' })
    }
  })

/** Waits for the pending refresh of availability. */
async function waitForRefresh(daemon: Daemon): Promise<void> {
  await expect
    .poll(() => {
      daemon.clock.advance(300)
      daemon.system.jobs.dispatchDue()
      return daemon.system.store.read((reader) => getAbilitySnapshot(reader).stale)
    })
    .toBe(false)
}

const postExplain = async (daemon: Daemon, body: object, token?: string) =>
  (await daemon.post(`${URL}/explain`, body, token)).json<Record<string, unknown>>()

test('the bridge, health and stats contain only capabilities the caller may see', async () => {
  const daemon = await startWithAbilities()
  await runCommand(daemon, (ctx) => {
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: true, fallback_used: true })
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: false })
    recordCapabilityOutcome(ctx, { capability_id: SHARED_ID, success: true })
  })
  const ann = await daemon.tokenFor('ann', 'read')
  const listIds = async (what: string, list: string, token?: string) => {
    const reply = await daemon.get(`${URL}/${what}`, token)
    const body = reply.json<Record<string, { capability_id: string }[]>>()
    return body[list]?.map(({ capability_id }) => capability_id)
  }
  for (const [what, list] of [
    ['bridge', 'entries'],
    ['health', 'capabilities'],
    ['stats', 'stats'],
  ] as const) {
    expect(await listIds(what, list), what).toEqual([SHARED_ID, ABILITY_ID])
    expect(await listIds(what, list, ann), what).toEqual([SHARED_ID])
  }
  const stats = await daemon.get(`${URL}/stats`)
  expect(stats.json()).toMatchObject({
    stats: [
      { capability_id: SHARED_ID, uses: 1, successes: 1, failures: 0, fallback_uses: 0 },
      {
        capability_id: ABILITY_ID,
        uses: 2,
        successes: 1,
        failures: 1,
        fallback_uses: 1,
        last_used_at: daemon.clock.now.toISOString(),
      },
    ],
    snapshot_as_of: daemon.clock.now.toISOString(),
  })
  const returned = (await daemon.get(`${URL}/bridge`)).json<{ entries: BridgeEntry[] }>()
  expect(returned).toEqual({
    entries: readBridge(daemon).entries,
    bridge_state: 'current',
    built_at: readBridge(daemon).built_at,
    schema_version: 1,
  })
})

test('repeated failures degrade a capability and then quarantine it', async () => {
  const daemon = await startWithAbilities()
  await recordFailures(daemon, 3)
  await waitForRefresh(daemon)
  const entry = () => readBridge(daemon).entries.find((item) => item.capability_id === ABILITY_ID)
  expect(entry()).toMatchObject({ health_status: 'degraded', routing_eligible: true })
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })

  await recordFailures(daemon, 2)
  await waitForRefresh(daemon)

  expect(entry()).toMatchObject({
    health_status: 'quarantined',
    routing_eligible: false,
    health_reason_code: 'repeated_failures',
  })
  expect(readAbility(daemon)).toMatchObject({
    usable_now: false,
    reason_unusable: 'capability_quarantined',
  })
  expect(readAbility(daemon, SHARED_ID)).toMatchObject({ usable_now: true })
  expect(await postExplain(daemon, { capability_id: ABILITY_ID })).toMatchObject({
    installed: true,
    health_status: 'quarantined',
    usable_now: false,
    reasons: ['repeated_failures', 'capability_quarantined'],
  })
  expect(daemon.events().map(({ kind }) => kind)).toContain('capability.quarantined')
})

test('an admin clears the quarantine with a reason', async () => {
  const daemon = await startWithAbilities()
  const body = { capability_id: ABILITY_ID, reason: 'The app was updated.' }
  expect(readCode(await daemon.post(`${URL}/quarantine/clear`, body))).toBe('CAPABILITY_NOT_QUARANTINED')
  await recordFailures(daemon, 5)
  const write = await daemon.tokenFor('local', 'write')
  expect(readCode(await daemon.post(`${URL}/quarantine/clear`, body, write))).toBe('FORBIDDEN')
  const ann = await daemon.tokenFor('ann', 'admin')
  expect(readCode(await daemon.post(`${URL}/quarantine/clear`, body, ann))).toBe('CAPABILITY_NOT_FOUND')

  const reply = await daemon.post(`${URL}/quarantine/clear`, body)

  expect(reply.json<{ health: CapabilityHealth }>().health).toMatchObject({
    health_status: 'degraded',
    reason_codes: ['quarantine_cleared_manually'],
  })
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.quarantine.cleared')
  expect(receipts.json()).toMatchObject({
    receipts: [{ receipt_id: reply.json().receipt_id, details: { reason: body.reason } }],
  })
})

test('quarantining an ability quarantines its capability, and unquarantining releases it', async () => {
  const daemon = await startWithAbilities()
  const health = async () =>
    (await daemon.get(`${URL}/health`))
      .json<{ capabilities: CapabilityHealth[] }>()
      .capabilities.find(({ capability_id }) => capability_id === ABILITY_ID)
  const entry = () => readBridge(daemon).entries.find((item) => item.capability_id === ABILITY_ID)

  await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  expect(await health()).toMatchObject({
    health_status: 'quarantined',
    reason_codes: ['ability_quarantined'],
  })
  expect(entry()).toMatchObject({ routing_eligible: false, health_status: 'quarantined' })
  expect(readAbility(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'quarantined' })
  expect(entry()?.updated_at).toBe(daemon.clock.now.toISOString())

  await daemon.post(`/api/abilities/${ABILITY_ID}/unquarantine`)
  expect(await health()).toMatchObject({ health_status: 'degraded' })
  expect(entry()).toMatchObject({ routing_eligible: true })
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })

  await recordFailures(daemon, 5)
  await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  await daemon.post(`/api/abilities/${ABILITY_ID}/unquarantine`)
  expect(await health(), 'it was also quarantined for its failures').toMatchObject({
    health_status: 'quarantined',
  })
  expect(readAbility(daemon)).toMatchObject({ reason_unusable: 'capability_quarantined' })
})

test('the bridge entry follows the enabled state', async () => {
  const daemon = await startWithAbilities()
  const entry = () => readBridge(daemon).entries.find((item) => item.capability_id === ABILITY_ID)
  await daemon.post(`/api/abilities/${ABILITY_ID}/deactivate`)
  expect(entry()).toMatchObject({
    routing_eligible: false,
    health_status: 'disabled',
    health_reason_code: 'ability_disabled',
  })
  expect(readAbility(daemon)).toMatchObject({ reason_unusable: 'disabled' })
  await daemon.post(`/api/abilities/${ABILITY_ID}/activate`)
  expect(entry()).toMatchObject({ routing_eligible: true, health_status: 'degraded' })
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
})

test('a promotion makes the ability visible to all users and approves its session', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  await install(daemon, draft)
  const ann = await daemon.tokenFor('ann', 'read')
  const entries = async () => (await daemon.get(`${URL}/bridge`, ann)).json<{ entries: object[] }>().entries
  expect(await entries()).toEqual([])
  await daemon.post(`/api/abilities/${ABILITY_ID}/promote-shared`)
  expect(await entries()).toMatchObject([{ capability_id: ABILITY_ID }])
  expect(daemon.session(draft.session)?.state).toBe('approved')
})

test('a failed bridge rebuild is returned, and the status change is kept', async () => {
  const daemon = await startWithAbilities()
  const before = readBridge(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(
      `UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')
        WHERE ability_id = '${SHARED_ID}'`,
    )
  })
  const reply = await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  expect(readCode(reply)).toBe('BRIDGE_REBUILD_FAILED')
  expect(readBridge(daemon)).toEqual({ ...before, bridge_state: 'stale' })
  expect(readAbility(daemon)).toMatchObject({ install_lane: 'quarantined', usable_now: false })
  for (const [kind, status] of [
    ['ability.quarantined', 'ok'],
    ['bridge.rebuild.failed', 'failed'],
  ]) {
    const receipts = await daemon.get(`/api/learn/receipts?receipt_kind=${kind}`)
    expect(receipts.json(), kind).toMatchObject({ total: 1, receipts: [{ status }] })
  }
})

test('the bridge is rebuilt once a night', async () => {
  const daemon = await startWithAbilities()
  const before = readBridge(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(`DELETE FROM bridge_entries WHERE capability_id = '${ABILITY_ID}'`)
    tx.db.exec(`UPDATE capability_bridge SET bridge_state = 'stale'`)
  })
  daemon.clock.advance(24 * 3_600_000)
  await runNightlyJob(daemon)
  const after = readBridge(daemon)
  expect(after.entries.map((entry) => ({ ...entry, updated_at: '' }))).toEqual(
    before.entries.map((entry) => ({ ...entry, updated_at: '' })),
  )
  expect(after.bridge_state).toBe('current')
  const [untouched] = after.entries
  expect(untouched, 'an unchanged entry keeps updated_at').toEqual(before.entries[0])
})

test('a query explains the best capability the caller may see', async () => {
  const daemon = await startWithAbilities()
  const ann = await daemon.tokenFor('ann', 'read')
  expect(await postExplain(daemon, { query: 'share pdf' })).toMatchObject({
    capability_id: ABILITY_ID,
    installed: true,
    health_status: 'degraded',
    usable_now: true,
    reasons: ['smoke_tests_pending'],
    surface_order: ['wrapper_script'],
  })
  expect(await postExplain(daemon, { query: 'share pdf' }, ann)).toEqual({
    installed: false,
    health_status: 'unknown',
    usable_now: false,
    reasons: ['no_match'],
    surface_order: [],
    schema_version: 1,
  })
  expect(await postExplain(daemon, { query: 'print a note' }, ann)).toMatchObject({
    capability_id: SHARED_ID,
  })
  expect(await postExplain(daemon, { query: 'order lunch' })).toMatchObject({
    reasons: ['no_match'],
  })
  const hidden = await daemon.post(`${URL}/explain`, { capability_id: ABILITY_ID }, ann)
  expect(readCode(hidden)).toBe('CAPABILITY_NOT_FOUND')
  expect(readCode(await daemon.post(`${URL}/explain`, {}))).toBe('INVALID_REQUEST')
})
