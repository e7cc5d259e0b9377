import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { startDaemon } from '../kit/daemon.ts'
import { demonstrateSession } from './demonstrated-session.ts'

interface Item {
  readonly learn_session_id: string
  readonly outcome: string
}

test('history includes archived sessions, newest first and by page', async () => {
  const daemon = await startDaemon()
  const old = await daemon.aSessionIn('rejected', { archived_at: '2026-03-01T12:00:00.000Z' })
  daemon.clock.advance(1000)
  const recent = await daemon.aSessionIn('stopped')
  await daemon.aSessionIn('approved', { owner_user_id: 'eve' })

  const all = (await daemon.get('/api/learn/history')).json<{ items: Item[]; total: number }>()
  const second = (await daemon.get('/api/learn/history?page=2&page_size=1')).json<{
    items: Item[]
  }>()

  expect(all.items.map(({ learn_session_id }) => learn_session_id)).toEqual([recent, old])
  expect(all.total).toBe(2)
  expect(second).toMatchObject({ items: [{ learn_session_id: old }], page: 2, page_size: 1 })
  const listed = await daemon.get('/api/learn/sessions')
  expect(listed.json()).toMatchObject({ total: 1 })
})

const OUTCOMES = ['approved', 'rejected', 'cancelled', 'quarantined']

test.each(LearnSessionState.options)('the outcome of a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const terminal_at = '2026-03-01T11:00:00.000Z'
  await daemon.aSessionIn(state, { terminal_at })
  const { items } = (await daemon.get('/api/learn/history')).json<{ items: unknown[] }>()
  expect(items).toMatchObject([
    {
      state,
      outcome: OUTCOMES.includes(state) ? state : 'in_progress',
      completed_at: terminal_at,
    },
  ])
})

test('the title of a session comes from its interpretation', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { goal: 'Share a note. Quickly' })
  const titles = async () =>
    (await daemon.get('/api/learn/history'))
      .json<{ items: { title?: string; completed_at?: string }[] }>()
      .items.map(({ title }) => title)
  expect(await titles()).toEqual([undefined])
  await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
  expect(await titles()).toEqual(['Share a note'])
})
