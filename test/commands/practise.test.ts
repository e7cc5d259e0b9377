import { expect, onTestFinished, test, vi } from 'vitest'
import { climate, openSchool } from './school.ts'

// Each command is a process that starts anew, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

test('a goal is practised from the terminal, proven and drafted; one that is none is refused', async () => {
  const school = await openSchool(onTestFinished)
  const before = school.units()

  const vague = await school.cli('practise', 'be', 'nice', '--app', climate)
  expect(vague.code).toBe(2)
  expect(vague.stderr).toContain('turn on')

  const goal = 'Set the temperature of the Kitchen to 21'
  const looked = await school.cli('practise', goal, '--app', climate, '--read-only')
  expect(looked.code).toBe(1)
  expect(school.units()).toEqual(before)

  const done = await school.cli('practise', goal, '--app', climate)
  expect(done.code, done.stderr).toBe(0)
  expect(done.stdout).toContain('To be seen: "temperature of the Kitchen" shows "21"')
  expect(done.stdout).toMatch(/ {2}2\. Tap Kitchen/)
  expect(done.stdout).toContain('It is drafted')
  expect(school.units()).toEqual(
    before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 21 } : unit)),
  )
})
