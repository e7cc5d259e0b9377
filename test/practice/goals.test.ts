import { expect, test } from 'vitest'
import { type Classroom, ok, openClassroom } from '../teach/teaching.ts'
import { climate, notes, practise, type Practised, settings } from './practising.ts'

const saved = ({ phone }: Classroom, app: string): Record<string, unknown> =>
  structuredClone(phone.state(app).saved)

/** What was practised, tested under its policy and installed. */
async function installed({ daemon }: Classroom, { practice, session }: Practised): Promise<string> {
  expect(session.state).toBe('drafting_proposal')
  const proposal = `/api/learn/proposals/${practice.proposal_id}`
  const { validation_run } = await ok<{ validation_run: { overall_result: string } }>(
    daemon,
    `${proposal}/validate`,
    { wait_ms: 60_000 },
  )
  expect(validation_run.overall_result).toBe('passed')
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  return ability_id
}

test('a switch is found, proven and learnt; nothing else is switched', async () => {
  const room = await openClassroom()
  const before = saved(room, settings)
  expect(before['dark_theme']).toBe(false)

  const practised = await practise(room.daemon, { goal: 'Turn on dark theme', app: settings })

  expect(practised.practice).toMatchObject({
    state: 'ended',
    outcome: 'proven',
    path: ['Open com.android.settings', expect.stringMatching(/^Tap Display/), expect.anything()],
  })
  expect(saved(room, settings)).toEqual({ ...before, dark_theme: true })

  const abilityId = await installed(room, practised)
  const off = await room.run(abilityId, { dark_theme: false })
  expect(off.state).toBe('success')
  expect(saved(room, settings)).toEqual(before)
}, 120_000)

test('a number of one thing among many is set, kept by its confirmation, and learnt for the others', async () => {
  const room = await openClassroom()
  const units = () => saved(room, climate)['units'] as { name: string; temperature: number }[]
  const before = units()

  const goal = 'Set the temperature of the Kitchen to 22'
  const practised = await practise(room.daemon, { goal, app: climate })

  expect(practised.practice.outcome).toBe('proven')
  expect(units()).toEqual(
    before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 22 } : unit)),
  )
  const abilityId = await installed(room, practised)
  const run = await room.run(abilityId, { unit: 'Library', temperature: 18 })
  expect(run.state).toBe('success')
  expect(units()).toEqual(
    before.map((unit) => {
      if (unit.name === 'Kitchen') return { ...unit, temperature: 22 }
      return unit.name === 'Library' ? { ...unit, temperature: 18 } : unit
    }),
  )
}, 120_000)

test('a new thing is made once, and what is learnt makes others', async () => {
  const room = await openClassroom()
  const titles = () =>
    (saved(room, notes)['notes'] as { title: string }[]).map(({ title }) => title)
  const before = titles()

  const goal = 'Create a note saying "Feed the cat"'
  const practised = await practise(room.daemon, { goal, app: notes })

  expect(practised.practice.outcome).toBe('proven')
  expect(titles()).toEqual([...before, 'Feed the cat'])
  const abilityId = await installed(room, practised)
  const made = titles()
  const run = await room.run(abilityId, { title: 'Water the plants' })
  expect(run.state).toBe('success')
  expect(titles()).toEqual([...made, 'Water the plants'])
  const files = await room.daemon.get(
    `/api/learn/proposals/${practised.practice.proposal_id}/files/SKILL.md`,
  )
  expect(files.body).toContain('Inputs')
  expect(files.body).not.toContain('Feed the cat')
}, 120_000)

test('a choice behind two screens is found and learnt with all there is to choose from', async () => {
  const room = await openClassroom()
  const before = saved(room, settings)

  const goal = 'Set screen timeout to 2 min'
  const practised = await practise(room.daemon, { goal, app: settings })

  expect(practised.practice.outcome).toBe('proven')
  expect(saved(room, settings)).toEqual({ ...before, timeout_ms: 120_000 })
  const abilityId = await installed(room, practised)
  const run = await room.run(abilityId, { screen_timeout: '5 min' })
  expect(run.state).toBe('success')
  expect(saved(room, settings)).toEqual({ ...before, timeout_ms: 300_000 })
}, 120_000)

test('a screen is found under a policy that allows only looking', async () => {
  const room = await openClassroom()
  const before = saved(room, settings)
  const { practice } = await practise(room.daemon, {
    goal: 'Open the Battery screen',
    app: settings,
    policy: { mode: 'read_only' },
  })
  expect(practice).toMatchObject({ outcome: 'proven', proposal_id: expect.any(String) })
  expect(saved(room, settings)).toEqual(before)
}, 60_000)

test('what is so already is told, and nothing is touched to prove it', async () => {
  const room = await openClassroom()
  const before = saved(room, settings)
  const { practice, session } = await practise(room.daemon, {
    goal: 'Turn on Bluetooth',
    app: settings,
  })
  expect(practice.outcome).toBe('already_so')
  expect(session).toMatchObject({ state: 'armed' })
  expect(session.proposal_id).toBeUndefined()
  expect(saved(room, settings)).toEqual(before)
}, 60_000)

test('the demonstration a practice leaves is its proof, and its actions are those of a person', async () => {
  const room = await openClassroom()
  const { session, practice } = await practise(room.daemon, {
    goal: 'Turn on Battery Saver',
    app: settings,
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
  expect(events.slice(1).every((event) => event.before_state_ref && event.after_state_ref)).toBe(
    true,
  )
  const kinds = room.daemon.eventsOf(session.learn_session_id)
  expect(kinds).toContain('learn.practice.started')
  expect(kinds).toContain('learn.practice.progressed')
  expect(kinds.indexOf('learn.practice.started')).toBeLessThan(
    kinds.indexOf('learn.practice.ended'),
  )
}, 60_000)
