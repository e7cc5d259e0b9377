import { expect, test } from 'vitest'
import { type TeachingSetup, open, startTeaching, tap } from './teaching.ts'

const CLIMATE = 'org.apprentice.climate'

interface Unit {
  id: number
  name: string
  power: boolean
  temperature: number
  mode: string
}

const readUnits = ({ phone }: TeachingSetup): Unit[] => {
  const { saved } = phone.state(CLIMATE) as unknown as { saved: { units: Unit[] } }
  return structuredClone(saved.units)
}
const readUnit = (setup: TeachingSetup, name: string) => readUnits(setup).find((unit) => unit.name === name)

async function teachTemperature(): Promise<{ setup: TeachingSetup; abilityId: string }> {
  const setup = await startTeaching()
  const sessionId = await setup.demonstrate({
    goal: "Set a unit's temperature",
    show: async ({ act }) => {
      await act(open(CLIMATE), tap('Reception'))
      await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
      await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
    },
  })
  return { setup, abilityId: await setup.install(sessionId) }
}

test('a workflow demonstrated once sets the temperature of other units and handles obstacles safely', async () => {
  const { setup, abilityId } = await teachTemperature()
  const { phone } = setup
  const others = (name: string) => readUnits(setup).filter((unit) => unit.name !== name)

  const kitchen = others('Kitchen')
  const first = await setup.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(first.state).toBe('success')
  expect(readUnit(setup, 'Kitchen')?.temperature).toBe(23)
  expect(others('Kitchen')).toEqual(kitchen)

  const again = await setup.run(abilityId, { unit: 'Kitchen', temperature: 23 })
  expect(again).toMatchObject({
    state: 'success',
    acted: false,
    verification: [{ held: true, observed: '23.0 °C' }],
  })

  phone.setState(CLIMATE, { saved: { units: readUnits(setup).toReversed() } } as never)
  const far = await setup.run(abilityId, { unit: 'Lobby', temperature: 18.5 })
  expect(far.state).toBe('success')
  expect(readUnit(setup, 'Lobby')?.temperature).toBe(18.5)

  const before = readUnits(setup)
  const missing = await setup.run(abilityId, { unit: 'Ballroom', temperature: 20 })
  expect(missing).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { code: expect.stringMatching(/NOT_FOUND/), step_id: 'choose_unit' },
  })
  expect(readUnits(setup)).toEqual(before)

  const namesakes = readUnits(setup).flatMap((unit) => (unit.name === 'Library' ? [unit, { ...unit, id: 99 }] : [unit]))
  phone.setState(CLIMATE, { saved: { units: namesakes } } as never)
  const twice = readUnits(setup)
  const both = await setup.run(abilityId, { unit: 'Library', temperature: 20 })
  expect(both).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { code: 'NODE_AMBIGUOUS', candidates: expect.stringContaining('bounds') },
  })
  expect(readUnits(setup)).toEqual(twice)

  const apart = readUnits(setup).filter(({ id }) => id !== 99)
  const [one = expect.fail('no unit')] = apart
  phone.setState(CLIMATE, { saved: { units: [...apart, { ...one, id: 99 }] } } as never)
  const farApart = readUnits(setup)
  const hidden = await setup.run(abilityId, { unit: one.name, temperature: one.temperature })
  expect(hidden).toMatchObject({ state: 'failed', trouble: { code: 'NODE_AMBIGUOUS' } })
  expect(readUnits(setup)).toEqual(farApart)
  phone.setState(CLIMATE, { saved: { units: apart } } as never)

  phone.popUp({
    title: 'Rate Climate',
    message: 'Do you like this app?',
    buttons: [
      { role: 'negative', text: 'Not now' },
      { role: 'positive', text: 'Rate' },
    ],
  })
  const interrupted = await setup.run(abilityId, { unit: 'Gym', temperature: 21.5 })
  expect(interrupted).toMatchObject({ state: 'success', dismissed: ['Not now'] })
  expect(readUnit(setup, 'Gym')?.temperature).toBe(21.5)

  const untouched = readUnits(setup)
  phone.popUp({
    cancelable: false,
    title: 'Storage almost full',
    message: 'Delete everything?',
    buttons: [
      { role: 'negative', text: 'Keep' },
      { role: 'positive', text: 'Delete' },
    ],
  })
  const stopped = await setup.run(abilityId, { unit: 'Gym', temperature: 19 })
  expect(stopped).toMatchObject({
    state: 'failed',
    acted: false,
    trouble: { in_the_way: expect.stringContaining('Storage almost full') },
  })
  expect(readUnits(setup)).toEqual(untouched)
}, 120_000)
