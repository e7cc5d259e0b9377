import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { readCoaching } from '../../src/domain/capture/coaching.ts'
import type { DemonstratedAction } from '../../src/domain/capture/demonstration.ts'

const step = (event_id: string, action_label: string): DemonstratedAction => ({
  event_id,
  action_label,
  adapter_kind: 'wrapper_receipt',
  caused_state_change: true,
})
const steps = [step('e1', 'Tap Lobby'), step('e2', 'Tap Save')]

test.each([
  ['Always the Lobby', ['e1']],
  ['Please always use the Lobby, nothing else', ['e1']],
  ['Only in the Lobby', ['e1']],
  ['Only when the light of the Lobby is off', []],
  ['Always knock before you enter the Lobby', []],
  ['The Lobby is warm', []],
  ['Always the Lobbyist', []],
])('the note "%s" makes these choices constant: %j', async (said, always) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const reply = await daemon.post(`/api/learn/sessions/${id}/coaching`, {
    kind: 'constraint',
    said,
  })
  expect(reply.statusCode, reply.body).toBe(201)
  const coaching = daemon.system.store.read((reader) => readCoaching(reader, id, steps))
  expect(coaching).toEqual({ hints: [], constraints: [said], always, varied: [] })
})
