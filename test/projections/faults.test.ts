import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openRig, type Rig, until } from './rig.ts'
import { addReceipt, addSession, changeSession } from './rows.ts'

/** Puts a file in place of the folder. Unlike permissions, this also stops the superuser. */
function blockSessions(rig: Rig): () => void {
  const folder = join(rig.home, 'system/learning/sessions')
  mkdirSync(join(folder, '..'), { recursive: true })
  writeFileSync(folder, 'in the way')
  return () => rmSync(folder)
}

test('a folder that cannot be written degrades only its own projection, which recovers by itself', async () => {
  const rig = openRig()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const unblock = blockSessions(rig)
  const projector = await rig.start({ log })
  await projector.waitUntilSettled()
  const id = await rig.change((ctx) => addSession(ctx, { room_id: 'a-private-room' }))
  await rig.change((ctx) => addReceipt(ctx))

  await until(() => projector.status().status === 'degraded')
  await until(() => rig.tree()['learning/receipts.jsonl'] !== undefined)
  expect(projector.status().detail).toMatch(/^learning\/sessions\/<learn_session_id>\.json: E[A-Z]+$/)
  expect(projector.status().behind).toBeGreaterThan(0)
  expect(rig.tree()[`learning/session_events/${id}.jsonl`]).toBeDefined()

  unblock()
  await projector.waitUntilSettled()

  expect(projector.status()).toEqual({ status: 'ok', behind: 0 })
  expect(rig.tree()[`learning/sessions/${id}.json`]).toContain('a-private-room')
  expect(await rig.problems()).toEqual([])
  expect(lines.join('')).not.toContain('a-private-room')
  expect(lines.filter((line) => line.includes('could not be written'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('can be written again'))).toHaveLength(1)
})

test('a file that cannot be written does not delay the other files of its projection', async () => {
  const rig = openRig()
  const bad = await rig.change((ctx) => addSession(ctx))
  const folder = join(rig.home, 'system/learning/sessions', `${bad}.json`)
  mkdirSync(folder, { recursive: true })
  const projector = await rig.start()
  const good = await rig.change((ctx) => addSession(ctx))

  await until(() => rig.tree()[`learning/sessions/${good}.json`] !== undefined)
  await rig.change((ctx) => changeSession(ctx, bad, { room_id: 'later' }))
  await until(() => projector.status().status === 'degraded')

  rmSync(folder, { recursive: true })
  await projector.waitUntilSettled()
  expect(rig.tree()[`learning/sessions/${bad}.json`]).toContain('later')
})

test('a stop during a fault rejects waiters, and the next start writes the missing files', async () => {
  const rig = openRig()
  const unblock = blockSessions(rig)
  const projector = await rig.start()
  const id = await rig.change((ctx) => addSession(ctx))
  await until(() => projector.status().status === 'degraded')
  const waiting = projector.waitUntilSettled().catch((error: Error) => error.message)

  await rig.stop()
  expect(await waiting).toContain('stopped')
  await expect(projector.waitUntilSettled()).rejects.toThrow('stopped')

  unblock()
  await (await rig.start()).waitUntilSettled()
  expect(rig.tree()[`learning/sessions/${id}.json`]).toBeDefined()
})

test('a tree removed from a running daemon is written again by later changes', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const id = await rig.change((ctx) => addSession(ctx))
  await projector.waitUntilSettled()

  renameSync(join(rig.home, 'system'), join(rig.home, 'taken'))
  await rig.change((ctx) => changeSession(ctx, id, { room_id: 'after' }))
  await projector.waitUntilSettled()

  expect(projector.status().status).toBe('ok')
  expect(rig.tree()[`learning/sessions/${id}.json`]).toContain('after')
  expect(rig.tree()[`learning/session_events/${id}.jsonl`]).toContain('learn.session.started')
})
