import { expect, test } from 'vitest'
import type {
  BridgeEntry,
  CapabilityHealth,
} from '@apprentice/contracts/capabilities/capability.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { getAbilitySnapshot } from '../../src/store/abilities/abilities-snapshot.ts'
import { runCommand } from '../abilities/an-ability.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  ability,
  abilityId,
  bridge,
  codeOf,
  install,
  installed,
  reviewed,
} from '../install/installing.ts'
import { aNightPasses } from '../learn/nightly.ts'

const url = '/api/capabilities'
const shared = 'learned.print-a-note'

/** One ability for its owner alone, and one for everybody. */
async function twoAbilities(): Promise<Daemon> {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon, { goal: 'Print a note' })
  await daemon.post(`${draft.url}/approve`, {
    approval_scope: 'shared_promoted',
    draft_hash: draft.draft_hash,
  })
  await installed(daemon)
  return daemon
}

const failing = (daemon: Daemon, times: number) =>
  runCommand(daemon, (one) => {
    for (let n = 0; n < times; n += 1) {
      recordCapabilityOutcome(one, { capability_id: abilityId, success: false, fingerprint: 'f' })
    }
  })

/** Resolves when what can be used was worked out anew. */
async function refreshed(daemon: Daemon): Promise<void> {
  await expect
    .poll(() => {
      daemon.clock.advance(300)
      daemon.system.jobs.look()
      return daemon.system.store.read((reader) => getAbilitySnapshot(reader).stale)
    })
    .toBe(false)
}

const explain = async (daemon: Daemon, body: object, token?: string) =>
  (await daemon.post(`${url}/explain`, body, token)).json<Record<string, unknown>>()

test('everybody sees of the bridge, of health and of use what they may know of', async () => {
  const daemon = await twoAbilities()
  await runCommand(daemon, (one) => {
    recordCapabilityOutcome(one, { capability_id: abilityId, success: true, fallback_used: true })
    recordCapabilityOutcome(one, { capability_id: abilityId, success: false })
    recordCapabilityOutcome(one, { capability_id: shared, success: true })
  })
  const ann = await daemon.tokenFor('ann', 'read')
  const of = async (what: string, list: string, token?: string) => {
    const reply = await daemon.get(`${url}/${what}`, token)
    const told = reply.json<Record<string, { capability_id: string }[]>>()
    return told[list]?.map(({ capability_id }) => capability_id)
  }
  for (const [what, list] of [
    ['bridge', 'entries'],
    ['health', 'capabilities'],
    ['stats', 'stats'],
  ] as const) {
    expect(await of(what, list), what).toEqual([shared, abilityId])
    expect(await of(what, list, ann), what).toEqual([shared])
  }
  const stats = await daemon.get(`${url}/stats`)
  expect(stats.json()).toMatchObject({
    stats: [
      { capability_id: shared, uses: 1, successes: 1, failures: 0, fallback_uses: 0 },
      {
        capability_id: abilityId,
        uses: 2,
        successes: 1,
        failures: 1,
        fallback_uses: 1,
        last_used_at: daemon.clock.now.toISOString(),
      },
    ],
    snapshot_as_of: daemon.clock.now.toISOString(),
  })
  const shown = (await daemon.get(`${url}/bridge`)).json<{ entries: BridgeEntry[] }>()
  expect(shown).toEqual({
    entries: bridge(daemon).entries,
    bridge_state: 'current',
    built_at: bridge(daemon).built_at,
    schema_version: 1,
  })
})

test('a capability that fails again and again is degraded, then taken out of the way', async () => {
  const daemon = await twoAbilities()
  await failing(daemon, 3)
  await refreshed(daemon)
  const entry = () => bridge(daemon).entries.find((one) => one.capability_id === abilityId)
  expect(entry()).toMatchObject({ health_status: 'degraded', routing_eligible: true })
  expect(ability(daemon)).toMatchObject({ usable_now: true })

  await failing(daemon, 2)
  await refreshed(daemon)

  expect(entry()).toMatchObject({
    health_status: 'quarantined',
    routing_eligible: false,
    health_reason_code: 'repeated_failures',
  })
  expect(ability(daemon)).toMatchObject({
    usable_now: false,
    reason_unusable: 'capability_quarantined',
  })
  expect(ability(daemon, shared)).toMatchObject({ usable_now: true })
  expect(await explain(daemon, { capability_id: abilityId })).toMatchObject({
    installed: true,
    health_status: 'quarantined',
    usable_now: false,
    reasons: ['repeated_failures', 'capability_quarantined'],
  })
  expect(daemon.events().map(({ kind }) => kind)).toContain('capability.quarantined')
})

test('an administrator lets it out again, with a reason', async () => {
  const daemon = await twoAbilities()
  const body = { capability_id: abilityId, reason: 'The app was updated.' }
  expect(codeOf(await daemon.post(`${url}/quarantine/clear`, body))).toBe(
    'CAPABILITY_NOT_QUARANTINED',
  )
  await failing(daemon, 5)
  const write = await daemon.tokenFor('local', 'write')
  expect(codeOf(await daemon.post(`${url}/quarantine/clear`, body, write))).toBe('FORBIDDEN')
  const ann = await daemon.tokenFor('ann', 'admin')
  expect(codeOf(await daemon.post(`${url}/quarantine/clear`, body, ann))).toBe(
    'CAPABILITY_NOT_FOUND',
  )

  const reply = await daemon.post(`${url}/quarantine/clear`, body)

  expect(reply.json<{ health: CapabilityHealth }>().health).toMatchObject({
    health_status: 'degraded',
    reason_codes: ['quarantine_cleared_manually'],
  })
  expect(ability(daemon)).toMatchObject({ usable_now: true })
  const receipts = await daemon.get(
    '/api/learn/receipts?receipt_kind=capability.quarantine.cleared',
  )
  expect(receipts.json()).toMatchObject({
    receipts: [{ receipt_id: reply.json().receipt_id, details: { reason: body.reason } }],
  })
})

test('an ability that is quarantined takes its capability along, and back', async () => {
  const daemon = await twoAbilities()
  const health = async () =>
    (await daemon.get(`${url}/health`))
      .json<{ capabilities: CapabilityHealth[] }>()
      .capabilities.find(({ capability_id }) => capability_id === abilityId)
  const entry = () => bridge(daemon).entries.find((one) => one.capability_id === abilityId)

  await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  expect(await health()).toMatchObject({
    health_status: 'quarantined',
    reason_codes: ['ability_quarantined'],
  })
  expect(entry()).toMatchObject({ routing_eligible: false, health_status: 'quarantined' })
  expect(ability(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'quarantined' })
  expect(entry()?.updated_at).toBe(daemon.clock.now.toISOString())

  await daemon.post(`/api/abilities/${abilityId}/unquarantine`)
  expect(await health()).toMatchObject({ health_status: 'degraded' })
  expect(entry()).toMatchObject({ routing_eligible: true })
  expect(ability(daemon)).toMatchObject({ usable_now: true })

  await failing(daemon, 5)
  await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  await daemon.post(`/api/abilities/${abilityId}/unquarantine`)
  expect(await health(), 'it was not quarantined for that alone').toMatchObject({
    health_status: 'quarantined',
  })
  expect(ability(daemon)).toMatchObject({ reason_unusable: 'capability_quarantined' })
})

test('the bridge follows what is switched off and on', async () => {
  const daemon = await twoAbilities()
  const entry = () => bridge(daemon).entries.find((one) => one.capability_id === abilityId)
  await daemon.post(`/api/abilities/${abilityId}/deactivate`)
  expect(entry()).toMatchObject({
    routing_eligible: false,
    health_status: 'disabled',
    health_reason_code: 'ability_disabled',
  })
  expect(ability(daemon)).toMatchObject({ reason_unusable: 'disabled' })
  await daemon.post(`/api/abilities/${abilityId}/activate`)
  expect(entry()).toMatchObject({ routing_eligible: true, health_status: 'degraded' })
  expect(ability(daemon)).toMatchObject({ usable_now: true })
})

test('a promotion shows the ability to everybody, and approves what it came from', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  await install(daemon, draft)
  const ann = await daemon.tokenFor('ann', 'read')
  const entries = async () =>
    (await daemon.get(`${url}/bridge`, ann)).json<{ entries: object[] }>().entries
  expect(await entries()).toEqual([])
  await daemon.post(`/api/abilities/${abilityId}/promote-shared`)
  expect(await entries()).toMatchObject([{ capability_id: abilityId }])
  expect(daemon.session(draft.session)?.state).toBe('approved')
})

test('a bridge that cannot be built is answered, and what was decided stands', async () => {
  const daemon = await twoAbilities()
  const before = bridge(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(
      `UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')
        WHERE ability_id = '${shared}'`,
    )
  })
  const reply = await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  expect(codeOf(reply)).toBe('BRIDGE_REBUILD_FAILED')
  expect(bridge(daemon)).toEqual({ ...before, bridge_state: 'stale' })
  expect(ability(daemon)).toMatchObject({ install_lane: 'quarantined', usable_now: false })
})

test('once a night the bridge is built anew, whatever else has asked for it', async () => {
  const daemon = await twoAbilities()
  const before = bridge(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(`DELETE FROM bridge_entries WHERE capability_id = '${abilityId}'`)
    tx.db.exec(`UPDATE capability_bridge SET bridge_state = 'stale'`)
  })
  daemon.clock.advance(24 * 3_600_000)
  await aNightPasses(daemon)
  const after = bridge(daemon)
  expect(after.entries.map((entry) => ({ ...entry, updated_at: '' }))).toEqual(
    before.entries.map((entry) => ({ ...entry, updated_at: '' })),
  )
  expect(after.bridge_state).toBe('current')
  const [untouched] = after.entries
  expect(untouched, 'what says the same keeps its time').toEqual(before.entries[0])
})

test('words find the best ability the caller may know of', async () => {
  const daemon = await twoAbilities()
  const ann = await daemon.tokenFor('ann', 'read')
  expect(await explain(daemon, { query: 'share pdf' })).toMatchObject({
    capability_id: abilityId,
    installed: true,
    health_status: 'degraded',
    usable_now: true,
    reasons: ['smoke_tests_pending'],
    surface_order: ['wrapper_script'],
  })
  expect(await explain(daemon, { query: 'share pdf' }, ann)).toEqual({
    installed: false,
    health_status: 'unknown',
    usable_now: false,
    reasons: ['no_match'],
    surface_order: [],
    schema_version: 1,
  })
  expect(await explain(daemon, { query: 'print a note' }, ann)).toMatchObject({
    capability_id: shared,
  })
  expect(await explain(daemon, { query: 'order lunch' })).toMatchObject({ reasons: ['no_match'] })
  const hidden = await daemon.post(`${url}/explain`, { capability_id: abilityId }, ann)
  expect(codeOf(hidden)).toBe('CAPABILITY_NOT_FOUND')
  expect(codeOf(await daemon.post(`${url}/explain`, {}))).toBe('INVALID_REQUEST')
})
