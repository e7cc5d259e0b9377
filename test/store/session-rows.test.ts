import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Tx } from '../../src/store/db/db.ts'
import {
  findLearnSession,
  findSessionStatus,
  insertLearnSession,
  toPublicSession,
  updateLearnSession,
} from '../../src/store/sessions/learn-sessions.ts'
import { buildSessionRow } from '../bench/home.ts'
import { openStore } from '../projections/open-store.ts'

function createSession() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-rows-'))
  const store = openStore(home)
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const session = { ...buildSessionRow('capturing'), room_id: 'kitchen' }
  const id = session.learn_session_id
  const inside = <T>(work: (tx: Tx) => T): Promise<T> =>
    store.write((tx) => {
      insertLearnSession(tx, session)
      return work(tx) as never
    })
  const read = (tx: Tx) => {
    const found = findLearnSession(tx, id)
    if (found === undefined) throw new Error('There is no session.')
    return found
  }
  return { session, id, inside, read }
}

test('a session is read as it was written, and clients get neither absent nor private fields', async () => {
  const { session, inside, read } = createSession()
  const found = await inside(read)
  expect(found).toEqual(session)
  const sent = JSON.parse(JSON.stringify(toPublicSession(found))) as object
  expect(sent).toMatchObject({
    room_id: 'kitchen',
    target_app_whitelist: ['com.example.shop', 'com.example.pay'],
  })
  expect(sent).not.toHaveProperty('target_skill_id')
  expect(sent).not.toHaveProperty('redaction_salt')
})

test('the status of a session has its owner, state and time of entry', async () => {
  const { session, id, inside } = createSession()
  const { learn_session_id, owner_user_id, state, state_entered_at } = session
  const found = await inside((tx) => [findSessionStatus(tx, id), findSessionStatus(tx, 'nobody')])
  expect(found).toEqual([{ learn_session_id, owner_user_id, state, state_entered_at }, undefined])
})

test('an update against an unchanged session writes only the columns that differ', async () => {
  const { id, inside, read } = createSession()
  const found = await inside((tx) => {
    const before = read(tx)
    tx.db.prepare('UPDATE learn_sessions SET room_id = ? WHERE learn_session_id = ?').run('hall', id)
    updateLearnSession(tx, { ...before, state: 'paused', adapters_armed: [] }, before)
    return read(tx)
  })
  expect(found).toMatchObject({ state: 'paused', adapters_armed: [], room_id: 'hall' })
})

test('an update against a session changed in memory writes every column', async () => {
  const { inside, read } = createSession()
  const found = await inside((tx) => {
    const before = { ...read(tx), device_serial: 'phone-2', room_id: undefined }
    updateLearnSession(tx, { ...before, state: 'paused' }, before)
    return read(tx)
  })
  expect(found).toMatchObject({ state: 'paused', device_serial: 'phone-2' })
  expect(found.room_id).toBeUndefined()
})

test('an update of a missing session throws', async () => {
  const { inside, session } = createSession()
  const gone = { ...session, learn_session_id: 'nobody' }
  await expect(inside((tx) => updateLearnSession(tx, gone))).rejects.toThrow('No row')
})
