import { expect, onTestFinished, test } from 'vitest'
import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { type AdbServerFace, startAdbServerFace } from '@apprentice/phone/wire/adb-server-face.ts'
import { findExecution } from '../../src/store/devices/executions.ts'
import { runCommand } from '../abilities/an-ability.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { ability, abilityId, codeOf, install, installed, readied } from '../install/installing.ts'
import { drafted, withRecipe } from '../validation/drafted.ts'
import { noteRecipe } from '../validation/recipes.ts'

const url = '/api/capabilities/reprobe'
const notes = 'org.apprentice.notes'
const cooldownMs = 15 * 60_000

interface Probed {
  readonly health: CapabilityHealth
  readonly probe: { ok: boolean; elapsed_ms: number; reason_code?: string }
  readonly canary_successes: number
  readonly receipt_id: string
}

const starting = (): Recipe => ({
  ...noteRecipe(),
  starts_on: { resource_id: `${notes}:id/new_note` },
})

/** A daemon with a phone of the test's own and a capability that is done on it. */
async function withPhone(
  recipe: Recipe = starting(),
  options: { serials?: readonly string[] } = {},
): Promise<{ daemon: Daemon; phone: Phone; face: AdbServerFace }> {
  const phones = (options.serials ?? ['sim-1']).map((serial) => createPhone({ serial }))
  const face = await startAdbServerFace({ hosts: phones })
  onTestFinished(() => face.close())
  const adb = { host: '127.0.0.1', port: face.port }
  const daemon = await startDaemon({ config: { phone: 'adb', adb } })
  await expect
    .poll(async () => (await daemon.get('/api/devices')).body.match(/"state":"device"/g)?.length)
    .toBe(phones.length)
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe, examples: { title: 'Milk' } })
  await install(daemon, await readied(daemon, draft))
  const [phone] = phones
  if (phone === undefined) throw new Error('no phone')
  return { daemon, phone, face }
}

const probe = (daemon: Daemon, body: object = {}) =>
  daemon.post(url, { capability_id: abilityId, ...body })

async function probed(daemon: Daemon, body: object = {}): Promise<Probed> {
  const reply = await probe(daemon, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<Probed>()
}

test('a look at the app proves what is new, and changes nothing on the phone', async () => {
  const { daemon, phone } = await withPhone()
  const before = structuredClone(phone.state(notes).saved)

  const { health, probe: look, canary_successes, receipt_id } = await probed(daemon)

  expect(look).toMatchObject({ ok: true })
  expect(health).toMatchObject({
    health_status: 'healthy',
    session_availability: 'supported',
    reason_codes: [],
    last_verified_at: daemon.clock.now.toISOString(),
    cooldown_until: new Date(daemon.clock.now.getTime() + cooldownMs).toISOString(),
  })
  expect(canary_successes).toBe(1)
  expect(phone.state(notes).saved).toEqual(before)
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.reprobed')
  expect(receipts.json()).toMatchObject({ receipts: [{ receipt_id, ability_id: abilityId }] })
  const types = daemon.system.store
    .read(({ db }) => db.prepare('SELECT execution_id FROM executions').pluck().all())
    .flatMap((id) =>
      daemon.system.store.read(
        (reader) => findExecution(reader, String(id))?.payload.actions ?? [],
      ),
    )
    .map(({ type }) => type)
  expect(types).toEqual(['close_app', 'open_app', 'wait_for_node', 'snapshot_ui'])
})

test('an app that is no longer there does not answer, and stays as unproven as it was', async () => {
  const { daemon } = await withPhone({ ...starting(), application_id: 'org.apprentice.gone' })
  const { health, probe: look, canary_successes } = await probed(daemon)
  expect(look).toMatchObject({ ok: false, reason_code: expect.any(String) })
  expect([health.health_status, canary_successes]).toEqual(['degraded', 0])
  expect(health.last_verified_at).toBeUndefined()
  expect(ability(daemon)).toMatchObject({ usable_now: true })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=capability.reprobed')
  expect(receipts.json()).toMatchObject({ receipts: [{ status: 'failed' }] })
})

test('between two looks there is a pause', async () => {
  const { daemon } = await withPhone()
  const { health } = await probed(daemon)
  daemon.clock.advance(cooldownMs - 1)
  const refused = await probe(daemon)
  expect(refused.json()).toMatchObject({
    error: {
      code: 'PROBE_UNAVAILABLE',
      details: { reason: 'cooldown', cooldown_until: health.cooldown_until },
    },
  })
  daemon.clock.advance(1)
  expect((await probed(daemon)).canary_successes).toBe(2)
})

test('of two who ask at once one looks', async () => {
  const { daemon } = await withPhone()
  const codes = (await Promise.all([probe(daemon), probe(daemon)])).map(codeOf)
  expect(codes.toSorted()).toEqual(['PROBE_UNAVAILABLE', 'done'])
})

test('the same request sent again is the same look, counted once', async () => {
  const { daemon } = await withPhone()
  const body = { client_request_id: 'look' }
  const first = await probed(daemon, body)
  expect(await probed(daemon, body)).toEqual(first)
  daemon.clock.advance(cooldownMs)
  expect((await probed(daemon)).canary_successes).toBe(2)
})

test('five looks in a row lead out of quarantine', async () => {
  const { daemon } = await withPhone()
  await runCommand(daemon, (one) => {
    recordCapabilityOutcome(one, { capability_id: abilityId, success: false, critical: true })
  })
  for (let n = 1; n <= 4; n += 1) {
    const { health, canary_successes } = await probed(daemon)
    expect([health.health_status, canary_successes]).toEqual(['quarantined', n])
    daemon.clock.advance(cooldownMs)
  }
  expect((await probed(daemon)).health.health_status).toBe('healthy')
  expect(ability(daemon)).toMatchObject({ usable_now: true })
})

test('a phone that cannot be reached says nothing of the app', async () => {
  const { daemon, face } = await withPhone()
  face.faultsOf('sim-1').set({ dropAfter: 1 })
  const reply = await probe(daemon)
  expect(reply.json()).toMatchObject({ error: { code: 'PROBE_UNAVAILABLE', retryable: true } })
  const health = await daemon.get('/api/capabilities/health')
  const { cooldown_until, ...rest } = health.json<{ capabilities: CapabilityHealth[] }>()
    .capabilities[0] as CapabilityHealth
  expect(cooldown_until, 'it may be tried again at once').toBeUndefined()
  expect(rest).toMatchObject({ health_status: 'degraded', reason_codes: ['smoke_tests_pending'] })
})

test('of several phones one has to be named', async () => {
  const { daemon } = await withPhone(starting(), { serials: ['sim-1', 'sim-2'] })
  expect((await probe(daemon)).json()).toMatchObject({
    error: {
      code: 'PROBE_UNAVAILABLE',
      details: { reason: 'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED' },
    },
  })
  expect((await probed(daemon, { serial: 'sim-2' })).probe.ok).toBe(true)
})

test('what is done on no device, or is nobody’s, cannot be looked at', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  expect((await probe(daemon)).json()).toMatchObject({
    error: { code: 'PROBE_UNAVAILABLE', details: { reason: 'no_recipe' } },
  })
  expect(codeOf(await probe(daemon, { capability_id: 'learned.none' }))).toBe(
    'CAPABILITY_NOT_FOUND',
  )
  const ann = await daemon.tokenFor('ann', 'admin')
  expect(codeOf(await daemon.post(url, { capability_id: abilityId }, ann))).toBe(
    'CAPABILITY_NOT_FOUND',
  )
  const write = await daemon.tokenFor('local', 'write')
  expect(codeOf(await daemon.post(url, { capability_id: abilityId }, write))).toBe('FORBIDDEN')
})

test('a recipe whose start depends on what is asked for is looked at as far as the app', async () => {
  const { daemon } = await withPhone({
    ...starting(),
    starts_on: { text_equals: '${inputs.title}', annotation: 'VARIABLE' },
  })
  expect((await probed(daemon)).probe.ok).toBe(true)
})
