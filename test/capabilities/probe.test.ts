import { expect, onTestFinished, test } from 'vitest'
import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { recordProof } from '../../src/domain/abilities/proofs.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { type AdbServer, startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { findExecution } from '../../src/store/devices/executions.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readAbility, ABILITY_ID, readCode, install, installProposal, validateDraft } from '../install/install-kit.ts'
import { draftProposal, putRecipe } from '../validation/drafts.ts'
import { noteRecipe } from '../validation/recipes.ts'

const URL = '/api/capabilities/reprobe'
const NOTES = 'org.apprentice.notes'
const COOLDOWN_MS = 15 * 60_000

interface ProbeReply {
  readonly health: CapabilityHealth
  readonly probe: { ok: boolean; elapsed_ms: number; reason_code?: string }
  readonly canary_successes: number
  readonly receipt_id: string
}

const buildRecipe = (): Recipe => ({
  ...noteRecipe(),
  starts_on: { resource_id: `${NOTES}:id/new_note` },
})

/** A daemon with its own phone and an installed capability that runs on it. */
async function startWithPhone(
  recipe: Recipe = buildRecipe(),
  options: { serials?: readonly string[] } = {},
): Promise<{ daemon: Daemon; phone: Phone; face: AdbServer }> {
  const phones = (options.serials ?? ['sim-1']).map((serial) => createPhone({ serial }))
  const face = await startAdbServer({ hosts: phones })
  onTestFinished(() => face.close())
  const adb = { host: '127.0.0.1', port: face.port }
  const daemon = await startDaemon({ config: { phone: 'adb', adb } })
  await expect
    .poll(async () => (await daemon.get('/api/devices')).body.match(/"state":"device"/g)?.length)
    .toBe(phones.length)
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe, examples: { title: 'Milk' } })
  const reviewed = await validateDraft(daemon, draft)
  await install(daemon, reviewed)
  await runCommand(daemon, (ctx) =>
    recordProof(ctx, { draft_hash: reviewed.draft_hash, kind: 'rehearsal', source_ref: 'validation_run:test' }),
  )
  const [phone] = phones
  if (phone === undefined) throw new Error('no phone')
  return { daemon, phone, face }
}

const postProbe = (daemon: Daemon, body: object = {}) => daemon.post(URL, { capability_id: ABILITY_ID, ...body })

async function runProbe(daemon: Daemon, body: object = {}): Promise<ProbeReply> {
  const reply = await postProbe(daemon, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ProbeReply>()
}

const countExecutions = (daemon: Daemon) =>
  daemon.system.store.read(({ db }) => db.prepare('SELECT count(*) FROM executions').pluck().get())

test('a probe makes a new capability healthy and changes nothing on the phone', async () => {
  const { daemon, phone } = await startWithPhone()
  const before = structuredClone(phone.state(NOTES).saved)

  const { health, probe: result, canary_successes, receipt_id } = await runProbe(daemon)

  expect(result).toMatchObject({ ok: true })
  expect(health).toMatchObject({
    health_status: 'healthy',
    session_availability: 'supported',
    reason_codes: [],
    last_verified_at: daemon.clock.now.toISOString(),
    cooldown_until: new Date(daemon.clock.now.getTime() + COOLDOWN_MS).toISOString(),
  })
  expect(canary_successes).toBe(1)
  expect(phone.state(NOTES).saved).toEqual(before)
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.reprobed')
  expect(receipts.json()).toMatchObject({ receipts: [{ receipt_id, ability_id: ABILITY_ID }] })
  const types = daemon.system.store
    .read(({ db }) => db.prepare('SELECT execution_id FROM executions').pluck().all())
    .flatMap((id) => daemon.system.store.read((reader) => findExecution(reader, String(id))?.payload.actions ?? []))
    .map(({ type }) => type)
  expect(types).toEqual(['close_app', 'open_app', 'wait_for_node', 'snapshot_ui'])
})

test('a probe of a missing app fails and does not change the health', async () => {
  const { daemon } = await startWithPhone({
    ...buildRecipe(),
    application_id: 'org.apprentice.gone',
  })
  const { health, probe: result, canary_successes } = await runProbe(daemon)
  expect(result).toMatchObject({ ok: false, reason_code: expect.any(String) })
  expect([health.health_status, canary_successes]).toEqual(['degraded', 0])
  expect(health.last_verified_at).toBeUndefined()
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.reprobed')
  expect(receipts.json()).toMatchObject({ receipts: [{ status: 'failed' }] })
})

test('a second probe is refused during the cooldown', async () => {
  const { daemon } = await startWithPhone()
  const { health } = await runProbe(daemon)
  daemon.clock.advance(COOLDOWN_MS - 1)
  const refused = await postProbe(daemon)
  expect(refused.json()).toMatchObject({
    error: {
      code: 'PROBE_UNAVAILABLE',
      details: { reason: 'cooldown', cooldown_until: health.cooldown_until },
    },
  })
  daemon.clock.advance(1)
  expect((await runProbe(daemon)).canary_successes).toBe(2)
})

test('of two concurrent probes one is executed', async () => {
  const { daemon } = await startWithPhone()
  const codes = (await Promise.all([postProbe(daemon), postProbe(daemon)])).map(readCode)
  expect(codes.toSorted()).toEqual(['PROBE_UNAVAILABLE', 'done'])
  expect(countExecutions(daemon)).toBe(1)
})

test('a repeated request returns the same probe, which is counted once', async () => {
  const { daemon } = await startWithPhone()
  const body = { client_request_id: 'probe' }
  const first = await runProbe(daemon, body)
  expect(await runProbe(daemon, body)).toEqual(first)
  expect(countExecutions(daemon)).toBe(1)
  daemon.clock.advance(COOLDOWN_MS)
  expect((await runProbe(daemon)).canary_successes).toBe(2)
})

test('five successful probes in a row end a quarantine', async () => {
  const { daemon } = await startWithPhone()
  await runCommand(daemon, (ctx) => {
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: false, critical: true })
  })
  for (let n = 1; n <= 4; n += 1) {
    const { health, canary_successes } = await runProbe(daemon)
    expect([health.health_status, canary_successes]).toEqual(['quarantined', n])
    daemon.clock.advance(COOLDOWN_MS)
  }
  expect((await runProbe(daemon)).health.health_status).toBe('healthy')
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
})

test('an unreachable phone does not change the health of the capability', async () => {
  const { daemon, face } = await startWithPhone()
  face.faultsFor('sim-1').set({ dropAfter: 1 })
  const reply = await postProbe(daemon)
  expect(reply.json()).toMatchObject({ error: { code: 'PROBE_UNAVAILABLE', retryable: true } })
  const health = await daemon.get('/api/capabilities/health')
  const { cooldown_until, ...rest } = health.json<{ capabilities: CapabilityHealth[] }>()
    .capabilities[0] as CapabilityHealth
  expect(cooldown_until, 'it may be probed again at once').toBeUndefined()
  expect(rest).toMatchObject({ health_status: 'degraded', reason_codes: ['smoke_tests_pending'] })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.reprobed')
  expect(receipts.json()).toMatchObject({ total: 0 })
})

test('with several phones the serial is required', async () => {
  const { daemon } = await startWithPhone(buildRecipe(), { serials: ['sim-1', 'sim-2'] })
  expect((await postProbe(daemon)).json()).toMatchObject({
    error: {
      code: 'PROBE_UNAVAILABLE',
      details: { reason: 'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED' },
    },
  })
  expect((await runProbe(daemon, { serial: 'sim-2' })).probe.ok).toBe(true)
})

test('a capability without a recipe, an unknown one and one of another user cannot be probed', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  expect((await postProbe(daemon)).json()).toMatchObject({
    error: { code: 'PROBE_UNAVAILABLE', details: { reason: 'no_recipe' } },
  })
  expect(readCode(await postProbe(daemon, { capability_id: 'learned.none' }))).toBe('CAPABILITY_NOT_FOUND')
  const ann = await daemon.tokenFor('ann', 'admin')
  expect(readCode(await daemon.post(URL, { capability_id: ABILITY_ID }, ann))).toBe('CAPABILITY_NOT_FOUND')
  const write = await daemon.tokenFor('local', 'write')
  expect(readCode(await daemon.post(URL, { capability_id: ABILITY_ID }, write))).toBe('FORBIDDEN')
})

test('a probe of a recipe whose start screen depends on inputs only opens the app', async () => {
  const { daemon } = await startWithPhone({
    ...buildRecipe(),
    starts_on: { text_equals: '${inputs.title}', annotation: 'VARIABLE' },
  })
  expect((await runProbe(daemon)).probe.ok).toBe(true)
})
