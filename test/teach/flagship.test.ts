import { expect, test } from 'vitest'
import { type Classroom, open, openClassroom, tap } from './teaching.ts'

const climate = 'org.apprentice.climate'

interface Unit {
  id: number
  name: string
  power: boolean
  temperature: number
  mode: string
}

const unitsOf = ({ phone }: Classroom): Unit[] => {
  const { saved } = phone.state(climate) as unknown as { saved: { units: Unit[] } }
  return structuredClone(saved.units)
}
const unitOf = (room: Classroom, name: string) => unitsOf(room).find((unit) => unit.name === name)

async function taught(): Promise<{ room: Classroom; abilityId: string }> {
  const room = await openClassroom()
  const sessionId = await room.demonstrate({
    goal: "Set a unit's temperature",
    show: async ({ act }) => {
      await act(open(climate), tap('Reception'))
      await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
      await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    },
  })
  return { room, abilityId: await room.install(sessionId) }
}

test('a temperature that was shown once is set for other units, whatever is in the way', async () => {
  const { room, abilityId } = await taught()
  const { phone } = room
  const others = (name: string) => unitsOf(room).filter((unit) => unit.name !== name)

  const kitchen = others('Kitchen')
  const first = await room.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(first.state).toBe('success')
  expect(unitOf(room, 'Kitchen')?.temperature).toBe(23)
  expect(others('Kitchen')).toEqual(kitchen)

  const again = await room.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(again).toMatchObject({
    state: 'success',
    acted: false,
    verification: [{ held: true, observed: '23.0 °C' }],
  })

  phone.setState(climate, { saved: { units: unitsOf(room).toReversed() } } as never)
  const far = await room.run(abilityId, { unit: 'Lobby', temperature: 18.5 })
  expect(far.state).toBe('success')
  expect(unitOf(room, 'Lobby')?.temperature).toBe(18.5)

  const before = unitsOf(room)
  const missing = await room.run(abilityId, { unit: 'Ballroom', temperature: 20 })
  expect(missing).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { code: expect.stringMatching(/NOT_FOUND/), step_id: 'choose_unit' },
  })
  expect(unitsOf(room)).toEqual(before)

  const namesakes = unitsOf(room).flatMap((unit) =>
    unit.name === 'Library' ? [unit, { ...unit, id: 99 }] : [unit],
  )
  phone.setState(climate, { saved: { units: namesakes } } as never)
  const twice = unitsOf(room)
  const both = await room.run(abilityId, { unit: 'Library', temperature: 20 })
  expect(both).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { code: 'NODE_AMBIGUOUS', candidates: expect.stringContaining('bounds') },
  })
  expect(unitsOf(room)).toEqual(twice)

  const apart = unitsOf(room).filter(({ id }) => id !== 99)
  const [one = expect.fail('no unit')] = apart
  phone.setState(climate, { saved: { units: [...apart, { ...one, id: 99 }] } } as never)
  const farApart = unitsOf(room)
  const hidden = await room.run(abilityId, { unit: one.name, temperature: one.temperature })
  expect(hidden).toMatchObject({ state: 'failed', trouble: { code: 'NODE_AMBIGUOUS' } })
  expect(unitsOf(room)).toEqual(farApart)
  phone.setState(climate, { saved: { units: apart } } as never)

  phone.popUp({
    title: 'Rate Climate',
    message: 'Do you like this app?',
    buttons: [
      { role: 'negative', text: 'Not now' },
      { role: 'positive', text: 'Rate' },
    ],
  })
  const interrupted = await room.run(abilityId, { unit: 'Gym', temperature: 21.5 })
  expect(interrupted).toMatchObject({ state: 'success', dismissed: ['Not now'] })
  expect(unitOf(room, 'Gym')?.temperature).toBe(21.5)

  const untouched = unitsOf(room)
  phone.popUp({
    title: 'Storage almost full',
    message: 'Delete everything?',
    buttons: [
      { role: 'negative', text: 'Keep' },
      { role: 'positive', text: 'Delete' },
    ],
  })
  const stopped = await room.run(abilityId, { unit: 'Gym', temperature: 19 })
  expect(stopped).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { in_the_way: expect.stringContaining('Storage almost full') },
  })
  expect(unitsOf(room)).toEqual(untouched)
}, 120_000)
