import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { type TeachingSetup, CLIMATE, ok, open, startTeaching, tap, type Unit, readUnits } from './teaching.ts'

const withTemperature = (units: readonly Unit[], name: string, temperature: number): Unit[] =>
  units.map((unit) => (unit.name === name ? { ...unit, temperature } : unit))

type Coach = (kind: 'hint' | 'constraint', said: string) => Promise<void>

/** Runs a coaching session: executions of an agent with notes of a person. */
async function coachSession(
  setup: TeachingSetup,
  addNotes: (coach: Coach, sessionId: string) => Promise<void>,
): Promise<string> {
  const { daemon, phone } = setup
  const made = await ok<{ session: { learn_session_id: string; actor_mode: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'coaching_agent',
    observation_mode: 'inside_agent',
    device_serial: phone.serial,
  })
  expect(made.session.actor_mode).toBe('mixed')
  const { learn_session_id: id } = made.session
  const url = `/api/learn/sessions/${id}`
  await ok(daemon, `${url}/start`)
  await ok(daemon, `${url}/mark-goal`, { goal_description: 'Set the temperature of a unit' })
  await setup.act(open(CLIMATE), tap('Lobby'))
  await addNotes(async (kind, said) => {
    await ok(daemon, `${url}/coaching`, { kind, said })
  }, id)
  await setup.act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
  await ok(daemon, `${url}/mark-step`, {
    step_label: 'The temperature reads what was asked for',
    step_kind_hint: 'verification',
  })
  await setup.act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  await ok(daemon, `${url}/stop`)
  return id
}

async function generateDetail({ daemon }: TeachingSetup, sessionId: string): Promise<ProposalDetail> {
  const { proposal_id } = await ok<{ proposal_id: string }>(
    daemon,
    `/api/learn/sessions/${sessionId}/generate-proposal`,
  )
  return (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<ProposalDetail>()
}

const readDocument = async ({ daemon }: TeachingSetup, { proposal }: ProposalDetail): Promise<string> =>
  (await daemon.get(`/api/learn/proposals/${proposal.proposal_id}/files/SKILL.md`)).json<{
    content: string
  }>().content

async function install({ daemon }: TeachingSetup, { proposal }: ProposalDetail): Promise<string> {
  const url = `/api/learn/proposals/${proposal.proposal_id}`
  await ok(daemon, `${url}/validate`, { wait_ms: 60_000 })
  return (await ok<{ ability_id: string }>(daemon, `${url}/install`)).ability_id
}

test('constraints, hints and marked steps are in the draft', async () => {
  const setup = await startTeaching()
  const id = await coachSession(setup, async (coach) => {
    await coach('constraint', 'The filter light of the Lobby is not on')
    await coach('hint', 'The list is slow in the morning; wait for it')
  })
  const detail = await generateDetail(setup, id)
  expect(detail.review).toMatchObject({
    conditions: ['The filter light of the given unit is not on'],
    hints: ['The list is slow in the morning; wait for it'],
  })
  const document = await readDocument(setup, detail)
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

  const before = readUnits(setup)
  const run = await setup.run(await install(setup, detail), { unit: 'Gym', temperature: 19 })
  expect(run.state).toBe('success')
  expect(readUnits(setup)).toEqual(withTemperature(before, 'Gym', 19))
}, 120_000)

test('a choice that is always the same becomes an optional input with one allowed value', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const id = await coachSession(setup, async (coach) => {
    await coach('constraint', 'Always the Lobby, the others are not ours')
  })
  const detail = await generateDetail(setup, id)
  expect(detail.recipe).toMatchObject({
    inputs: [
      { name: 'unit', required: false, default: 'Lobby', choices: ['Lobby'] },
      { name: 'temperature', required: true },
    ],
  })
  const abilityId = await install(setup, detail)
  const before = readUnits(setup)
  const run = await setup.run(abilityId, { temperature: 18 })
  expect(run.state).toBe('success')
  expect(readUnits(setup)).toEqual(withTemperature(before, 'Lobby', 18))
  const other = await daemon.post(`/api/abilities/${abilityId}/run`, {
    inputs: { unit: 'Gym', temperature: 18 },
  })
  expect(other.json()).toMatchObject({ error: { code: 'RECIPE_INPUT_INVALID' } })
  expect(readUnits(setup)).toEqual(withTemperature(before, 'Lobby', 18))
}, 120_000)

test('coaching notes are private, refer to known events and are deleted with the session', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const id = await coachSession(setup, async (coach, sessionId) => {
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
  const notes = daemon.system.store.read((reader) =>
    reader.db.prepare('SELECT count(*) AS count FROM coaching_notes').get(),
  )
  expect(notes).toEqual({ count: 0 })
}, 60_000)
