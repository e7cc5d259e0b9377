import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import {
  type Classroom,
  climate,
  ok,
  open,
  openClassroom,
  tap,
  type Unit,
  unitsOf,
} from './teaching.ts'

const withTemperature = (units: readonly Unit[], name: string, temperature: number): Unit[] =>
  units.map((unit) => (unit.name === name ? { ...unit, temperature } : unit))

type Coach = (kind: 'hint' | 'constraint', said: string) => Promise<void>

/** An agent acts by executions while a person says what is to be thought of. */
async function coached(
  room: Classroom,
  talk: (coach: Coach, sessionId: string) => Promise<void>,
): Promise<string> {
  const { daemon, phone } = room
  const made = await ok<{ session: { learn_session_id: string; actor_mode: string } }>(
    daemon,
    '/api/learn/sessions',
    {
      entry_mode: 'coaching_agent',
      observation_mode: 'inside_agent',
      device_serial: phone.serial,
    },
  )
  expect(made.session.actor_mode).toBe('mixed')
  const { learn_session_id: id } = made.session
  const url = `/api/learn/sessions/${id}`
  await ok(daemon, `${url}/start`)
  await ok(daemon, `${url}/mark-goal`, { goal_description: 'Set the temperature of a unit' })
  await room.act(open(climate), tap('Lobby'))
  await talk(async (kind, said) => {
    await ok(daemon, `${url}/coaching`, { kind, said })
  }, id)
  await room.act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
  await ok(daemon, `${url}/mark-step`, {
    step_label: 'The temperature reads what was asked for',
    step_kind_hint: 'verification',
  })
  await room.act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  await ok(daemon, `${url}/stop`)
  return id
}

async function detailOf({ daemon }: Classroom, sessionId: string): Promise<ProposalDetail> {
  const { proposal_id } = await ok<{ proposal_id: string }>(
    daemon,
    `/api/learn/sessions/${sessionId}/generate-proposal`,
  )
  return (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<ProposalDetail>()
}

const documentOf = async ({ daemon }: Classroom, { proposal }: ProposalDetail): Promise<string> =>
  (await daemon.get(`/api/learn/proposals/${proposal.proposal_id}/files/SKILL.md`)).json<{
    content: string
  }>().content

async function installed({ daemon }: Classroom, { proposal }: ProposalDetail): Promise<string> {
  const url = `/api/learn/proposals/${proposal.proposal_id}`
  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  return (await ok<{ ability_id: string }>(daemon, `${url}/install`)).ability_id
}

test('what the person says shapes the draft: a constraint, a hint, a marked step', async () => {
  const room = await openClassroom()
  const id = await coached(room, async (coach) => {
    await coach('constraint', 'The filter light of the Lobby is not on')
    await coach('hint', 'The list is slow in the morning; wait for it')
  })
  const detail = await detailOf(room, id)
  expect(detail.review).toMatchObject({
    conditions: ['The filter light of the given unit is not on'],
    hints: ['The list is slow in the morning; wait for it'],
  })
  const document = await documentOf(room, detail)
  expect(document).toMatch(/## Conditions\n\n- The filter light of the given unit is not on/)
  expect(document).toMatch(/## Hints\n\n- The list is slow in the morning; wait for it/)
  expect(document).toContain('reads what was asked')
  expect(document).not.toContain('Lobby')
  expect(detail.recipe).toMatchObject({
    app_build: { version_name: expect.stringMatching(/\d/), version_code: expect.any(Number) },
    tested_on: { android_api: expect.any(Number), device_model: expect.any(String) },
    inputs: [{ name: 'unit' }, { name: 'temperature' }],
  })
  expect(detail.recipe).not.toMatchObject({ app_build: { version_name: 'unknown' } })

  const before = unitsOf(room)
  const run = await room.run(await installed(room, detail), { unit: 'Gym', temperature: 19 })
  expect(run.state).toBe('success')
  expect(unitsOf(room)).toEqual(withTemperature(before, 'Gym', 19))
}, 120_000)

test('what the person calls always the same needs not be said, and can be nothing else', async () => {
  const room = await openClassroom()
  const { daemon } = room
  const id = await coached(room, async (coach) => {
    await coach('constraint', 'Always the Lobby, the others are not ours')
  })
  const detail = await detailOf(room, id)
  expect(detail.recipe).toMatchObject({
    inputs: [
      { name: 'unit', required: false, default: 'Lobby', choices: ['Lobby'] },
      { name: 'temperature', required: true },
    ],
  })
  const abilityId = await installed(room, detail)
  const before = unitsOf(room)
  const run = await room.run(abilityId, { temperature: 18 })
  expect(run.state).toBe('success')
  expect(unitsOf(room)).toEqual(withTemperature(before, 'Lobby', 18))
  const other = await daemon.post(`/api/abilities/${abilityId}/run`, {
    inputs: { unit: 'Gym', temperature: 18 },
  })
  expect(other.json()).toMatchObject({ error: { code: 'RECIPE_INPUT_INVALID' } })
  expect(unitsOf(room)).toEqual(withTemperature(before, 'Lobby', 18))
}, 120_000)

test('what is said is listed for its owner, bound to the action it is about, and gone with the session', async () => {
  const room = await openClassroom()
  const { daemon } = room
  const id = await coached(room, async (coach, sessionId) => {
    await coach('hint', 'First')
    const unknown = await daemon.post(`/api/learn/sessions/${sessionId}/coaching`, {
      kind: 'hint',
      said: 'Second',
      at_event_id: '00000000-0000-4000-8000-000000000000',
    })
    expect(unknown.json()).toMatchObject({ error: { code: 'OBSERVATION_EVENT_NOT_FOUND' } })
  })
  const url = `/api/learn/sessions/${id}/coaching`
  expect((await daemon.get(url)).json()).toMatchObject({ notes: [{ kind: 'hint', said: 'First' }] })
  const stranger = await daemon.tokenFor('stranger')
  expect((await daemon.get(url, stranger)).statusCode).toBe(404)
  await daemon.delete(`/api/learn/sessions/${id}`)
  const left = daemon.system.store.read((reader) =>
    reader.db.prepare('SELECT count(*) AS left FROM coaching_notes').get(),
  )
  expect(left).toEqual({ left: 0 })
}, 60_000)
