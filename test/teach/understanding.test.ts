import { expect, test } from 'vitest'
import type { CapturedStepView, Understanding } from '@apprentice/contracts/learn/understanding.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from './teaching.ts'

async function startLesson(setup: TeachingSetup, goal?: string, text_capture_consent = true): Promise<string> {
  const made = await ok<{ session: { learn_session_id: string } }>(setup.daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: setup.phone.serial,
  })
  const id = made.session.learn_session_id
  await ok(setup.daemon, `/api/learn/sessions/${id}/start`, { text_capture_consent })
  if (goal !== undefined) await ok(setup.daemon, `/api/learn/sessions/${id}/mark-goal`, { goal_description: goal })
  return id
}

const readUnderstanding = async ({ daemon }: TeachingSetup, id: string) =>
  (await daemon.get(`/api/learn/sessions/${id}/understanding`)).json<{ understanding?: Understanding }>().understanding

const readSteps = async ({ daemon }: TeachingSetup, id: string) =>
  (await daemon.get(`/api/learn/sessions/${id}/steps`)).json<{ steps: CapturedStepView[] }>().steps

test('the understanding follows the capture and agrees with the draft', async () => {
  const setup = await startTeaching()
  const id = await startLesson(setup, 'Set the temperature of a unit')
  expect(await readUnderstanding(setup, id)).toBeUndefined()
  await setup.act(open(CLIMATE), tap('Lobby'))
  expect((await readUnderstanding(setup, id))?.proofs).toEqual(['The given unit is open'])
  await setup.act(tap({ contentDescEquals: 'Warmer' }), tap('Save'), tap({ resourceId: 'android:id/button1' }))
  const live = await readUnderstanding(setup, id)
  expect(live).toMatchObject({ title: 'Set the temperature of a unit', repeatable: true })
  expect(live?.inputs.map(({ name, example }) => [name, example])).toEqual([
    ['unit', 'Lobby'],
    ['temperature', expect.stringMatching(/\d/)],
  ])
  expect(live?.proofs).not.toEqual(['The given unit is open'])

  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  expect(await readUnderstanding(setup, id)).toEqual(live)
  const { proposal_id } = await ok<{ proposal_id: string }>(setup.daemon, `/api/learn/sessions/${id}/generate-proposal`)
  const { review } = (await setup.daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<{
    review: { steps: { description: string }[] }
  }>()
  expect(review.steps.map(({ description }) => description)).toEqual(live?.steps.map(({ description }) => description))
})

/** Types a title with two letters too many, deletes them, and goes on typing. */
async function typeWithMistake(setup: TeachingSetup): Promise<void> {
  const title = { resourceId: 'org.apprentice.notes:id/title' }
  const typeOn = (text: string) => ({ type: 'enter_text', params: { intoFocus: true, text } })
  await setup.act(open('org.apprentice.notes'), tap('New note'), tap(title))
  await setup.act(typeOn('Dentisyy'))
  await setup.act({ type: 'press_edit_key', params: { key: 'delete', times: 2 } })
  await setup.act(typeOn('t'), tap('Save'))
}

test('a text that was corrected while it was typed is understood as the corrected one', async () => {
  const setup = await startTeaching()
  const id = await startLesson(setup, 'Add a note')
  await typeWithMistake(setup)
  expect((await readUnderstanding(setup, id))?.inputs).toMatchObject([{ name: 'title', example: 'Dentist' }])
})

test('without consent, no part of a corrected text is stored', async () => {
  const setup = await startTeaching()
  const id = await startLesson(setup, 'Add a note', false)
  await typeWithMistake(setup)
  const steps = await readSteps(setup, id)
  expect(steps.length).toBeGreaterThan(4)
  const shown = await Promise.all(
    steps.flatMap(({ screen }) =>
      screen === undefined ? [] : [setup.daemon.get(`/api/evidence/${screen.evidence_id}`)],
    ),
  )
  const executions = await setup.daemon.get('/api/executions')
  for (const text of [JSON.stringify(steps), executions.body, ...shown.map(({ body }) => body)]) {
    expect(text).not.toMatch(/Dentis/)
  }
})

test('captured steps have the screen before them with the used element, and keep their last name', async () => {
  const setup = await startTeaching()
  const id = await startLesson(setup)
  await setup.act(open(CLIMATE), tap('Lobby'))
  const [, tapped] = await readSteps(setup, id)
  expect(tapped).toMatchObject({ named: false, app: CLIMATE, screen: { bounds: expect.anything() } })
  const evidence = await setup.daemon.get(`/api/evidence/${tapped?.screen?.evidence_id}`)
  expect(evidence.body).toContain('text="Lobby"')
  for (const step_label of ['Open it', 'Open the unit']) {
    await ok(setup.daemon, `/api/learn/sessions/${id}/mark-step`, { step_label, at_event_id: tapped?.event_id })
  }
  expect((await readSteps(setup, id))[1]).toMatchObject({ named: true, words: 'Open the unit' })
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  const { proposal_id } = await ok<{ proposal_id: string }>(setup.daemon, `/api/learn/sessions/${id}/generate-proposal`)
  const { interpretation, proposal } = (await setup.daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<{
    interpretation: { checkpoints: { goal: string }[] }
    proposal: { title: string }
  }>()
  const goals = interpretation.checkpoints.map(({ goal }) => goal).join('\n')
  expect(goals).toContain('Unit is open')
  expect(goals).not.toContain('It is open')
  expect(proposal.title).toBe('Climate workflow')
})

test('the apps of a phone are listed by name, and those of an unknown phone are not found', async () => {
  const { daemon, phone } = await startTeaching()
  const { apps } = (await daemon.get(`/api/devices/${phone.serial}/apps`)).json<{ apps: object[] }>()
  expect(apps).toContainEqual({ application_id: CLIMATE, label: 'Climate' })
  const unknown = await daemon.get('/api/devices/NONE/apps')
  expect([unknown.statusCode, unknown.json<{ error: { code: string } }>().error.code]).toEqual([
    404,
    'DEVICE_NOT_FOUND',
  ])
})
