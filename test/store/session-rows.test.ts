import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Tx } from '../../src/store/db/db.ts'
import {
  findLearnSession,
  findSessionStatus,
  insertLearnSession,
  publicSession,
  updateLearnSession,
} from '../../src/store/sessions/learn-sessions.ts'
import { sessionRow } from '../bench/home.ts'
import { openStore } from '../projections/open-store.ts'

function aSession() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-rows-'))
  const store = openStore(home)
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const session = { ...sessionRow('capturing'), room_id: 'kitchen' }
  const id = session.learn_session_id
  const inside = <T>(work: (tx: Tx) => T): Promise<T> =>
    store.write((tx) => {
      insertLearnSession(tx, session)
      return work(tx) as never
    })
  const read = (tx: Tx) => {
    const found = findLearnSession(tx, id)
    if (found === undefined) throw new Error('The session is not there.')
    return found
  }
  return { session, id, inside, read }
}

test('a session is read as it was written, with what is absent left out of what a client gets', async () => {
  const { session, inside, read } = aSession()
  const found = await inside(read)
  expect(found).toEqual(session)
  const sent = JSON.parse(JSON.stringify(publicSession(found))) as object
  expect(sent).toMatchObject({
    room_id: 'kitchen',
    target_app_whitelist: ['com.example.shop', 'com.example.pay'],
  })
  expect(sent).not.toHaveProperty('target_skill_id')
  expect(sent).not.toHaveProperty('redaction_salt')
})

test('where a session stands is told without the rest of it', async () => {
  const { session, id, inside } = aSession()
  const { learn_session_id, owner_user_id, state, state_entered_at } = session
  const found = await inside((tx) => [findSessionStatus(tx, id), findSessionStatus(tx, 'nobody')])
  expect(found).toEqual([{ learn_session_id, owner_user_id, state, state_entered_at }, undefined])
})

test('a change against a session as it was read writes what differs and nothing else', async () => {
  const { id, inside, read } = aSession()
  const found = await inside((tx) => {
    const before = read(tx)
    tx.db
      .prepare('UPDATE learn_sessions SET room_id = ? WHERE learn_session_id = ?')
      .run('hall', id)
    updateLearnSession(tx, { ...before, state: 'paused', adapters_armed: [] }, before)
    return read(tx)
  })
  expect(found).toMatchObject({ state: 'paused', adapters_armed: [], room_id: 'hall' })
})

test('a change against a session that was changed since it was read is written whole', async () => {
  const { inside, read } = aSession()
  const found = await inside((tx) => {
    const before = { ...read(tx), device_serial: 'phone-2', room_id: undefined }
    updateLearnSession(tx, { ...before, state: 'paused' }, before)
    return read(tx)
  })
  expect(found).toMatchObject({ state: 'paused', device_serial: 'phone-2' })
  expect(found.room_id).toBeUndefined()
})

test('changing a session that is not there is a fault', async () => {
  const { inside, session } = aSession()
  const gone = { ...session, learn_session_id: 'nobody' }
  await expect(inside((tx) => updateLearnSession(tx, gone))).rejects.toThrow('No row')
})
