import { expect, onTestFinished, test } from 'vitest'
import { CLIMATE_APP, startCommandRig } from './command-rig.ts'

test('a goal is practised from the command line, proven and drafted; an unclear goal is refused', async () => {
  const rig = await startCommandRig(onTestFinished)
  const before = rig.readUnits()

  const vague = await rig.cli('practise', 'be', 'nice', '--app', CLIMATE_APP)
  expect(vague.code).toBe(2)
  expect(vague.stderr).toContain('turn on')

  const goal = 'Set the temperature of the Kitchen to 21'
  const looked = await rig.cli('practise', goal, '--app', CLIMATE_APP, '--read-only')
  expect(looked.code).toBe(1)
  expect(rig.readUnits()).toEqual(before)

  const done = await rig.cli('practise', goal, '--app', CLIMATE_APP)
  expect(done.code, done.stderr).toBe(0)
  expect(done.stdout).toContain('Proof: "temperature Kitchen" shows "21"')
  expect(done.stdout).toMatch(/ {2}2\. Tap Kitchen/)
  expect(done.stdout).toMatch(/^Drafted\. Continue with `(npx )?apprentice teach`\.$/m)
  expect(rig.readUnits()).toEqual(before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 21 } : unit)))
})
