import { expect, test } from 'vitest'
import { type TeachingSetup, ok, startTeaching } from '../teach/teaching.ts'
import { CLIMATE_APP, NOTES_APP, runPractice, type PracticeReply, SETTINGS_APP } from './practice-session.ts'

const readSaved = ({ phone }: TeachingSetup, app: string): Record<string, unknown> =>
  structuredClone(phone.state(app).saved)

/** Validates and installs the proposal of a practice. Returns the ability id. */
async function validateAndInstall({ daemon }: TeachingSetup, { practice, session }: PracticeReply): Promise<string> {
  expect(session.state).toBe('drafting_proposal')
  const proposal = `/api/learn/proposals/${practice.proposal_id}`
  const { validation_run } = await ok<{ validation_run: { overall_result: string } }>(daemon, `${proposal}/validate`, {
    wait_ms: 60_000,
  })
  expect(validation_run.overall_result).toBe('passed')
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  return ability_id
}

test('a switch is found and proven, no other setting changes, and the ability can switch it off', async () => {
  const room = await startTeaching()
  const before = readSaved(room, SETTINGS_APP)
  expect(before['dark_theme']).toBe(false)

  const reply = await runPractice(room.daemon, { goal: 'Turn on dark theme', app: SETTINGS_APP })

  expect(reply.practice).toMatchObject({
    state: 'ended',
    outcome: 'proven',
    path: ['Open com.android.settings', expect.stringMatching(/^Tap Display/), expect.anything()],
  })
  expect(readSaved(room, SETTINGS_APP)).toEqual({ ...before, dark_theme: true })

  const abilityId = await validateAndInstall(room, reply)
  const off = await room.run(abilityId, { dark_theme: false })
  expect(off.state).toBe('success')
  expect(readSaved(room, SETTINGS_APP)).toEqual(before)
}, 120_000)

test('a stepper of one list entry is set and saved, and the ability sets another entry', async () => {
  const room = await startTeaching()
  const units = () => readSaved(room, CLIMATE_APP)['units'] as { name: string; temperature: number }[]
  const before = units()

  const goal = 'Set the temperature of the Kitchen to 22'
  const reply = await runPractice(room.daemon, { goal, app: CLIMATE_APP })

  expect(reply.practice.outcome).toBe('proven')
  expect(units()).toEqual(before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 22 } : unit)))
  const abilityId = await validateAndInstall(room, reply)
  const run = await room.run(abilityId, { unit: 'Library', temperature: 18 })
  expect(run.state).toBe('success')
  expect(units()).toEqual(
    before.map((unit) => {
      if (unit.name === 'Kitchen') return { ...unit, temperature: 22 }
      return unit.name === 'Library' ? { ...unit, temperature: 18 } : unit
    }),
  )
}, 120_000)

test('a note is created once, and the ability creates others without the practised text', async () => {
  const room = await startTeaching()
  const titles = () => (readSaved(room, NOTES_APP)['notes'] as { title: string }[]).map(({ title }) => title)
  const before = titles()

  const goal = 'Create a note saying "Feed the cat"'
  const reply = await runPractice(room.daemon, { goal, app: NOTES_APP })

  expect(reply.practice.outcome).toBe('proven')
  expect(titles()).toEqual([...before, 'Feed the cat'])
  const abilityId = await validateAndInstall(room, reply)
  const made = titles()
  const run = await room.run(abilityId, { title: 'Water the plants' })
  expect(run.state).toBe('success')
  expect(titles()).toEqual([...made, 'Water the plants'])
  const files = await room.daemon.get(`/api/learn/proposals/${reply.practice.proposal_id}/files/SKILL.md`)
  expect(files.body).toContain('Inputs')
  expect(files.body).not.toContain('Feed the cat')
}, 120_000)

test('a choice behind two screens is found, and the ability offers every choice of the list', async () => {
  const room = await startTeaching()
  const before = readSaved(room, SETTINGS_APP)

  const goal = 'Set screen timeout to 2 min'
  const reply = await runPractice(room.daemon, { goal, app: SETTINGS_APP })

  expect(reply.practice.outcome).toBe('proven')
  expect(readSaved(room, SETTINGS_APP)).toEqual({ ...before, timeout_ms: 120_000 })
  const detail = await room.daemon.get(`/api/learn/proposals/${reply.practice.proposal_id}/detail`)
  expect(detail.json()).toMatchObject({
    recipe: {
      inputs: [
        {
          name: 'screen_timeout',
          choices: ['15 s', '30 s', '1 min', '2 min', '5 min', '10 min'],
        },
      ],
    },
  })
  const abilityId = await validateAndInstall(room, reply)
  const run = await room.run(abilityId, { screen_timeout: '5 min' })
  expect(run.state).toBe('success')
  expect(readSaved(room, SETTINGS_APP)).toEqual({ ...before, timeout_ms: 300_000 })
}, 120_000)

test('a screen is found under a read_only policy without any change', async () => {
  const room = await startTeaching()
  const before = readSaved(room, SETTINGS_APP)
  const { practice } = await runPractice(room.daemon, {
    goal: 'Open the Battery screen',
    app: SETTINGS_APP,
    policy: { mode: 'read_only' },
  })
  expect(practice).toMatchObject({ outcome: 'proven', proposal_id: expect.any(String) })
  expect(readSaved(room, SETTINGS_APP)).toEqual(before)
}, 60_000)

test('a goal that already holds ends the practice without a change, a capture or a proposal', async () => {
  const room = await startTeaching()
  const before = readSaved(room, SETTINGS_APP)
  const { practice, session } = await runPractice(room.daemon, {
    goal: 'Turn on Bluetooth',
    app: SETTINGS_APP,
  })
  expect(practice.outcome).toBe('already_so')
  expect(session).toMatchObject({ state: 'armed' })
  expect(room.daemon.eventsOf(session.learn_session_id)).not.toContain('learn.capture.started')
  expect(session.proposal_id).toBeUndefined()
  expect(readSaved(room, SETTINGS_APP)).toEqual(before)
}, 60_000)

test('with ask_before_build a practice leaves its proof as a stopped demonstration with screens', async () => {
  const room = await startTeaching()
  const { session, practice } = await runPractice(room.daemon, {
    goal: 'Turn on Battery Saver',
    app: SETTINGS_APP,
    session: { build_policy: 'ask_before_build' },
  })
  expect(session.state).toBe('stopped')
  expect(practice).toMatchObject({ outcome: 'proven' })
  expect(practice.proposal_id).toBeUndefined()
  const url = `/api/learn/sessions/${session.learn_session_id}`
  const { events } = (await room.daemon.get(`${url}/observations?page_size=100`)).json<{
    events: { action_label: string; before_state_ref?: string; after_state_ref?: string }[]
  }>()
  expect(events.map(({ action_label }) => action_label)).toEqual([
    expect.stringMatching(/^Open /),
    expect.stringMatching(/Battery/),
    expect.stringMatching(/^Tap/),
  ])
  expect(events.slice(1).every((event) => event.before_state_ref && event.after_state_ref)).toBe(true)
  const kinds = room.daemon.eventsOf(session.learn_session_id)
  expect(kinds).toContain('learn.practice.started')
  expect(kinds).toContain('learn.practice.progressed')
  expect(kinds.indexOf('learn.practice.started')).toBeLessThan(kinds.indexOf('learn.practice.ended'))
}, 60_000)
