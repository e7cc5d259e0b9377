import { expect, test } from 'vitest'
import { recordEvent, recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { sql } from '../../src/store/db/db.ts'
import { startDaemon } from '../kit/daemon.ts'
import { openRig, until } from './rig.ts'
import { addProposal, addSession, changeSession, fillAll, markBoundary, addObservation } from './rows.ts'

test('changes over HTTP are written to the files', async () => {
  const daemon = await startDaemon()
  const created = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    client_request_id: 'once',
  })
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  await daemon.post(`/api/learn/sessions/${id}/start`)
  await daemon.waitForProjections()

  const session = JSON.parse(daemon.readProjection(`learning/sessions/${id}.json`) ?? '{}')
  expect(session).toMatchObject({ learn_session_id: id, state: 'capturing', _ec: { event_seq: 5 } })
  expect(session._ec).not.toHaveProperty('redaction_salt')
  const events = daemon.readProjection(`learning/session_events/${id}.jsonl`)?.trimEnd().split('\n')
  expect(events?.map((line) => JSON.parse(line).event_kind)).toContain('learn.capture.started')
  expect(JSON.parse(daemon.readProjection('learning/runtime/current.json') ?? '{}')).toMatchObject({
    learn_session_id: id,
    state: 'capturing',
  })
  expect(daemon.readProjection('learning/idempotency.json')).toContain('POST /api/learn/sessions body:once')
  expect(daemon.system.projector.status()).toEqual({ status: 'ok', behind: 0 })
})

test('stopping the daemon writes pending changes', async () => {
  const daemon = await startDaemon({ projecting: true })
  const created = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id

  await daemon.stop()

  expect(daemon.readProjection(`learning/sessions/${id}.json`)).toContain('"armed"')
  expect(daemon.readProjection('learning/receipts.jsonl')).toContain(id)
})

test('a deleted session has no files any more, and its receipts remain', async () => {
  const daemon = await startDaemon()
  const created = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
  })
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  await daemon.post(`/api/learn/sessions/${id}/start`)
  await daemon.waitForProjections()
  const own = [
    `learning/sessions/${id}.json`,
    `learning/session_events/${id}.jsonl`,
    `learning/observations/${id}/boundaries.jsonl`,
  ]
  for (const file of own) expect(daemon.readProjection(file), file).toBeDefined()

  const reply = await daemon.delete(`/api/learn/sessions/${id}`)
  expect(reply.statusCode).toBe(200)
  await daemon.waitForProjections()

  for (const file of own) expect(daemon.readProjection(file), file).toBeUndefined()
  expect(daemon.readProjection('learning/runtime/current.json')).toBeUndefined()
  expect(daemon.readProjection('learning/receipts.jsonl')).toContain('learn.session.deleted')
})

test('a session moves to the archive folder and back when it is archived and unarchived', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const id = await rig.change((ctx) => addSession(ctx))
  const live = `learning/sessions/${id}.json`
  const archived = `learning/archived/sessions/${id}.json`

  await rig.change((ctx) => changeSession(ctx, id, { archived_at: ctx.now }))
  await projector.waitUntilSettled()
  expect(Object.keys(rig.tree())).toContain(archived)
  expect(Object.keys(rig.tree())).not.toContain(live)
  expect(Object.keys(rig.tree())).not.toContain('learning/runtime/current.json')

  await rig.change((ctx) => changeSession(ctx, id, { archived_at: undefined }))
  await projector.waitUntilSettled()
  expect(Object.keys(rig.tree())).toContain(live)
  expect(Object.keys(rig.tree())).not.toContain(archived)
  expect(await rig.problems()).toEqual([])
})

test('an archived proposal moves, its draft stays, and a deleted draft file is removed', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const session = await rig.change((ctx) => addSession(ctx))
  const id = await rig.change((ctx) => addProposal(ctx, session))
  await projector.waitUntilSettled()
  expect(listProposalFiles(rig.tree(), id)).toEqual([
    `learning/proposals/${id}.json`,
    `learning/proposals/${id}/draft/SKILL.md`,
    `learning/proposals/${id}/draft/manifest.json`,
  ])

  await rig.change((ctx) => {
    sql(ctx.tx, 'UPDATE proposals SET archived_at = ? WHERE proposal_id = ?').run(ctx.now, id)
    sql(ctx.tx, "DELETE FROM draft_files WHERE name = 'manifest.json'").run()
    recordSessionEvent(ctx, session, 'learn.proposal.archived', { payload: { proposal_id: id } })
  })
  await projector.waitUntilSettled()

  expect(listProposalFiles(rig.tree(), id)).toEqual([
    `learning/archived/proposals/${id}.json`,
    `learning/proposals/${id}/draft/SKILL.md`,
  ])
  expect(await rig.problems()).toEqual([])
})

test('the current runtime is that of the last changed session', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const first = await rig.change((ctx) => addSession(ctx))
  const second = await rig.change((ctx) => addSession(ctx, { updated_at: '2026-03-01T12:00:01.000Z' }))
  await projector.waitUntilSettled()
  const current = () => JSON.parse(rig.tree()['learning/runtime/current.json'] ?? '{}')
  expect(current()).toMatchObject({ learn_session_id: second })

  await rig.change((ctx) => changeSession(ctx, first, { updated_at: '2026-03-01T12:00:02.000Z' }))
  await projector.waitUntilSettled()
  expect(current()).toMatchObject({ learn_session_id: first })
})

test('a hundred changes of a session in one round write each of its files once', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const id = await rig.change((ctx) => addSession(ctx))
  await projector.waitUntilSettled()
  const before = projector.writeCount

  for (let n = 0; n < 100; n += 1) {
    void rig.change((ctx) => {
      changeSession(ctx, id, { captured_event_count: n })
      addObservation(ctx, id)
      markBoundary(ctx, id)
    })
  }
  await rig.change((ctx) => recordEvent(ctx, 'nothing', 'category.changed'))
  await projector.waitUntilSettled()

  // The session, its events, observations and boundaries, and the two runtime documents.
  expect(projector.writeCount - before).toBeLessThanOrEqual(6)
  expect(rig.tree()[`learning/sessions/${id}.json`]).toContain('"captured_event_count": 99')
  expect(await rig.problems()).toEqual([])
})

test('the document of stored replies is deferred, but written at once for a waiting caller', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const replies = () => rig.tree()['learning/idempotency.json']?.match(/reply_sha256/g)?.length
  await rig.change(fillAll)
  await projector.waitUntilSettled()
  expect(replies()).toBe(1)

  const { session } = await rig.change(fillAll)
  await until(() => rig.tree()[`learning/sessions/${session}.json`] !== undefined)
  await until(() => projector.status().behind === 0)
  expect(replies()).toBe(1)

  await projector.waitUntilSettled()
  expect(replies()).toBe(2)
})

test('a file that already has the content is not written again', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const id = await rig.change((ctx) => addSession(ctx))
  await rig.change((ctx) => {
    changeSession(ctx, id, {})
    addObservation(ctx, id)
    markBoundary(ctx, id)
    addProposal(ctx, id)
  })
  await projector.waitUntilSettled()
  await rig.stop()

  const again = await rig.start()
  await again.waitUntilSettled()
  expect(again.writeCount).toBe(0)

  await rig.change((ctx) => recordSessionEvent(ctx, id, 'learn.boundary.marked'))
  await again.waitUntilSettled()
  // The timeline has a new line, and the session the number of its last event.
  expect(again.writeCount).toBe(2)
})

function listProposalFiles(tree: Record<string, string>, id: string): string[] {
  return Object.keys(tree).filter((file) => file.includes(id))
}
