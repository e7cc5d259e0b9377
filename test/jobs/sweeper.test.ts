import { expect, test } from 'vitest'
import { insertLogin } from '../../src/store/config/tokens.ts'
import { startDaemon } from '../kit/daemon.ts'

const dayMs = 24 * 3_600_000

test('a sweep that finds nothing writes no event', async () => {
  const daemon = await startDaemon()
  const found = await daemon.system.sweeper.sweepNow()
  expect(found).toEqual({
    expired_sessions: 0,
    sessions_losing_adapters: 0,
    expired_replies: 0,
    expired_logins: 0,
    expired_imports: 0,
    connector_sign_ins: 0,
    connector_challenges: 0,
    connector_approvals: 0,
    connector_results: 0,
    documents: 0,
    scene_reports: 0,
    connector_contents: 0,
    nightly: 1,
  })
  expect(daemon.events()).toEqual([])
})

test('stored replies are deleted after a day, with an event', async () => {
  const daemon = await startDaemon()
  const send = (key: string) =>
    daemon.request({
      method: 'POST',
      url: '/api/categories',
      headers: { 'idempotency-key': key },
      payload: { title: key },
    })
  await send('old')
  daemon.clock.advance(dayMs - 1)
  await send('new')
  expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_replies: 0 })
  daemon.clock.advance(1)

  expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_replies: 1 })

  const left = daemon.system.store.read(({ db }) => db.prepare('SELECT request_id FROM idempotency').pluck().all())
  expect(left).toEqual(['header:new'])
  // The nightly job, which an earlier sweep has queued, may write events after this one.
  expect(daemon.events()).toContainEqual(
    expect.objectContaining({ kind: 'learn.idempotency.changed', payload: { forgotten: 1 } }),
  )
})

test('expired logins are deleted', async () => {
  const daemon = await startDaemon()
  const at = daemon.clock.now.toISOString()
  const login = { token_sha256: 'cc', user_id: 'local', privilege: 'admin', created_at: at } as const
  await daemon.system.store.write((tx) => {
    insertLogin(tx, { ...login, login_id: '1', cookie_sha256: 'aa', expires_at: '2026-03-01T13:00:00.000Z' })
    insertLogin(tx, { ...login, login_id: '2', cookie_sha256: 'bb', expires_at: '2026-03-02T13:00:00.000Z' })
  })
  daemon.clock.advance(2 * 3_600_000)
  await daemon.system.sweeper.sweepNow()
  const rows = daemon.system.store.read(({ db }) => db.prepare('SELECT * FROM logins').all())
  expect(rows).toMatchObject([{ cookie_sha256: 'bb' }])
})

test('a failing sweep does not stop the others', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  await daemon.system.store.write((tx) => {
    tx.db.exec('ALTER TABLE idempotency RENAME TO idempotency_gone')
  })
  daemon.clock.advance(3_600_000)

  const found = await daemon.system.sweeper.sweepNow()

  expect(found).toEqual({
    expired_sessions: 1,
    sessions_losing_adapters: 0,
    expired_logins: 0,
    expired_imports: 0,
    connector_sign_ins: 0,
    connector_challenges: 0,
    connector_approvals: 0,
    connector_results: 0,
    documents: 0,
    scene_reports: 0,
    connector_contents: 0,
    nightly: 1,
  })
  expect(daemon.session(id)?.state).toBe('cancelled')
})

test('the sweeper runs once at start and queues the missed nightly job', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed', { state_entered_at: '2026-03-01T10:00:00.000Z' })

  daemon.system.sweeper.start()
  // Comes after the one that was just begun.
  await daemon.system.sweeper.sweepNow()

  expect(daemon.session(id)?.state).toBe('cancelled')
  const night = await daemon.system.jobs.waitUntilSettled('nightly.learning:2026-03-01', 5000)
  expect(night?.state).toBe('succeeded')
})
