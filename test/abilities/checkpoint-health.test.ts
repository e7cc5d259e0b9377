import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { refreshAvailability } from '../../src/domain/abilities/availability.ts'
import { rateCheckpoints } from '../../src/domain/abilities/checkpoint-health.ts'
import { appendCheckpointReceipt } from '../../src/store/abilities/checkpoint-receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readAbility, runCommand, addAbility } from './ability-rows.ts'

test.each([
  [{ total: 0, reached: 0, failed: 0 }, 'no_data'],
  [{ total: 4, reached: 4, failed: 0 }, 'no_data'],
  [{ total: 5, reached: 5, failed: 0 }, 'strong'],
  [{ total: 20, reached: 19, failed: 1 }, 'strong'],
  [{ total: 100, reached: 90, failed: 5 }, 'strong'],
  [{ total: 100, reached: 90, failed: 6 }, 'moderate'],
  [{ total: 100, reached: 89, failed: 0 }, 'moderate'],
  [{ total: 10, reached: 7, failed: 2 }, 'moderate'],
  [{ total: 10, reached: 7, failed: 3 }, 'weak'],
  [{ total: 100, reached: 69, failed: 0 }, 'weak'],
])('counts %j give health %s', (counts, health) => {
  expect(rateCheckpoints(counts)).toBe(health)
})

type Status = 'reached' | 'skipped' | 'failed'

const report = (daemon: Daemon, ability_id: string, status: Status) =>
  daemon.post('/api/bridge/verify-checkpoint', {
    checkpoint_id: 'note.sent',
    status,
    ...(status === 'skipped' ? {} : { evidence: 'the screen says so' }),
    ...(status === 'reached' ? {} : { reason: 'it does not' }),
    dispatch_id: 'run-1',
    ability_id,
  })

/** Adds an ability with the checkpoint `note.sent`. */
async function addCheckedAbility(daemon: Daemon, changes: Parameters<typeof addAbility>[1] = {}): Promise<string> {
  const ability_id = await addAbility(daemon, changes)
  const [proposal_id, interpretation_id] = [randomUUID(), randomUUID()]
  const body = JSON.stringify({ checkpoints: [{ checkpoint_id: 'note.sent' }] })
  daemon.system.store.schema
    .prepare('INSERT INTO interpretations (interpretation_id, learn_session_id, body, created_at) VALUES (?, ?, ?, ?)')
    .run(interpretation_id, randomUUID(), body, '2026-03-01T12:00:00.000Z')
  daemon.system.store.schema
    .prepare(
      `INSERT INTO proposals (proposal_id, owner_user_id, interpretation_id, source_trace_ids, title,
         proposed_skill_slug, trigger_phrases, negative_triggers, draft_skill_path, draft_manifest_path,
         proposal_state, install_lane, ability_id, support_pack_refs, created_at, updated_at, revision)
       VALUES (?, 'local', ?, '[]', 'Note', 'note', '[]', '[]', '', '', 'approved', 'pending', ?, '[]',
         '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', 1)`,
    )
    .run(proposal_id, interpretation_id, ability_id)
  return ability_id
}

async function reportAll(daemon: Daemon, id: string, statuses: Status[]): Promise<void> {
  for (const status of statuses) expect((await report(daemon, id, status)).statusCode).toBe(200)
}

test('each receipt updates the checkpoint health', async () => {
  const daemon = await startDaemon()
  const id = await addCheckedAbility(daemon)
  const health = () => readAbility(daemon, id)?.checkpoint_health

  await reportAll(daemon, id, ['reached', 'reached', 'reached', 'reached'])
  expect(health()).toBe('no_data')
  await reportAll(daemon, id, ['reached'])
  expect(health()).toBe('strong')
  await reportAll(daemon, id, ['failed'])
  expect(health()).toBe('moderate')
  await reportAll(daemon, id, ['failed', 'skipped'])
  expect(health()).toBe('weak')
  const changes = daemon.events().filter(({ kind }) => kind === 'ability.changed')
  expect(changes.map(({ payload }) => payload['checkpoint_health'])).toEqual(['strong', 'moderate', 'weak'])
})

test('only the latest hundred receipts of the same ability count', async () => {
  const daemon = await startDaemon()
  const lane = { install_lane: 'experimental_private' as const }
  const id = await addCheckedAbility(daemon, lane)
  const other = await addAbility(daemon, { ability_id: 'learned.other', ...lane })
  await runCommand(daemon, (ctx) => {
    const add = (ability_id: string, status: Status) =>
      appendCheckpointReceipt(ctx.tx, 'local', {
        checkpoint_receipt_id: randomUUID(),
        checkpoint_id: 'c',
        status,
        evidence: '',
        ability_id,
        unknown_checkpoint: false,
        created_at: ctx.now,
        schema_version: 1,
      })
    for (let n = 0; n < 40; n += 1) add(id, 'failed')
    for (let n = 0; n < 99; n += 1) add(id, 'reached')
    for (let n = 0; n < 50; n += 1) add(other, 'failed')
  })
  await report(daemon, id, 'reached')
  expect(readAbility(daemon, id)?.checkpoint_health).toBe('strong')
  expect(readAbility(daemon, other)?.checkpoint_health).toBe('no_data')

  await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'nightly'))
  expect(readAbility(daemon, other)?.checkpoint_health).toBe('weak')
})

test('a quarantined ability has health quarantined whatever its receipts', async () => {
  const daemon = await startDaemon()
  const id = await addCheckedAbility(daemon, {
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    checkpoint_health: 'quarantined',
  })
  await reportAll(
    daemon,
    id,
    Array.from({ length: 6 }, () => 'reached' as const),
  )
  expect(readAbility(daemon, id)?.checkpoint_health).toBe('quarantined')
  await daemon.post(`/api/abilities/${id}/unquarantine`)
  expect(readAbility(daemon, id)?.checkpoint_health).toBe('strong')
})

test('a receipt of an unknown ability is stored and changes nothing else', async () => {
  const daemon = await startDaemon()
  await reportAll(daemon, 'learned.unknown', ['reached'])
  expect(daemon.events().map(({ kind }) => kind)).toEqual(['checkpoint.reached'])
  const stored = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT ability_id FROM checkpoint_receipts').pluck().all(),
  )
  expect(stored).toEqual(['learned.unknown'])
  expect(readAbility(daemon, 'learned.unknown')).toBeUndefined()
})

test('receipts for unknown checkpoints count for nothing, nor do those of users who do not see the ability', async () => {
  const daemon = await startDaemon()
  const unknown = await addAbility(daemon)
  await reportAll(daemon, unknown, Array<Status>(10).fill('failed'))
  expect(readAbility(daemon, unknown)?.checkpoint_health).toBe('no_data')

  const id = await addCheckedAbility(daemon, { ability_id: 'learned.own', install_lane: 'experimental_private' })
  const stranger = await daemon.tokenFor('stranger')
  const body = { checkpoint_id: 'note.sent', evidence: 'x', reason: 'y', dispatch_id: 'run-1', ability_id: id }
  for (let n = 0; n < 10; n += 1) {
    await daemon.post('/api/bridge/verify-checkpoint', { ...body, status: 'failed' }, stranger)
  }
  expect(readAbility(daemon, id)?.checkpoint_health).toBe('no_data')
})

test('of a shared ability twenty receipts of each user count', async () => {
  const daemon = await startDaemon()
  const id = await addCheckedAbility(daemon, { install_lane: 'shared_promoted' })
  const stranger = await daemon.tokenFor('stranger')
  const body = { checkpoint_id: 'note.sent', evidence: 'x', reason: 'y', dispatch_id: 'run-1', ability_id: id }
  const send = (status: Status, token?: string) =>
    daemon.post('/api/bridge/verify-checkpoint', { ...body, status }, token)
  for (let n = 0; n < 60; n += 1) await send('failed', stranger)
  for (let n = 0; n < 20; n += 1) await send('reached')
  const others = await Promise.all(['a', 'b', 'c'].map((user) => daemon.tokenFor(user)))
  for (const other of others) for (let n = 0; n < 20; n += 1) await send('reached', other)
  // 20 of 100 failed: without the bound it would be 60 of 100.
  expect(readAbility(daemon, id)?.checkpoint_health).toBe('moderate')
})
