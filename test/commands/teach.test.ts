import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listRecordings } from '@apprentice/contracts/devices/recording.ts'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import { listHistory } from '@apprentice/contracts/learn/runtime.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { startCommandRig, resetPhone, type CommandRig, demonstrateTemperature, touchElement } from './command-rig.ts'
import { createHome, runProgram } from './program.ts'

let rig: CommandRig
const endings: Parameters<WhenOver>[0][] = []

beforeAll(async () => {
  rig = await startCommandRig((end) => endings.push(end))
})

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

/** Without the sample scenes, which are abilities too. */
const listAbilityIds = async () =>
  (await rig.call(listAvailability)).abilities
    .map(({ ability_id }) => ability_id)
    .filter((id) => !id.startsWith('scene.'))
const readLastSession = async () => (await rig.call(listHistory)).items[0]
const listRecordingStates = async () => {
  const params = { serial: rig.phone.serial }
  const { recordings } = await rig.call(listRecordings, { params })
  return recordings.map(({ source, state }) => `${source} ${state}`)
}
const temperatureOf = (name: string) => rig.readUnits().find((unit) => unit.name === name)?.temperature

test('a person teaches a temperature once, reviews it, installs it and runs it for another unit', async () => {
  await resetPhone(rig)
  const program = rig.interact('teach')
  const intro = await program.waitFor('Commands:')
  expect(intro).toContain(`Demonstrate the workflow on ${rig.phone.serial}:`)
  expect(intro).toContain('on the phone itself, or')
  expect(intro).toMatch(/live screen at http:\/\/127\.0\.0\.1:\d+\/#\/devices\/SIMULATED01/)
  program.writeLines('stop', "goal Set a unit's temperature", 'dance')
  await program.waitFor('No action was captured yet.')
  await program.waitFor('Goal saved.')
  await program.waitFor('Commands:')
  await demonstrateTemperature(rig)
  const seen = await program.waitFor('6. Tap Save')
  expect(seen.split('\n').slice(-6)).toEqual([
    '  1. Open Climate',
    '  2. Tap Reception',
    '  3. Tap Warmer',
    '  4. Tap Warmer',
    '  5. Tap Save',
    '  6. Tap Save',
  ])
  program.writeLines('mark the list is back')
  await program.waitFor('Saved.')
  await rig.sendActions({ type: 'press_key', params: { key: 'home' } })
  await program.waitFor('7. ')
  program.writeLines('undo', 'stop')
  await program.waitFor('Deleted:')

  const review = await program.waitFor('rehearse [')
  for (const words of [
    'unit, string: Which unit, by its name in the list (example: Reception)',
    'temperature, number',
    '1. Choose the given unit',
    'The given unit shows the given temperature',
    'Left out ("keep <number>" restores it)',
    'Several touches that set temperature together (1 action, repeat collapsed)',
  ]) {
    expect(review).toContain(words)
  }
  program.writeLines('keep 9', 'revise colour blue', 'rename unit room')
  await program.waitFor('Enter a number from 1 to')
  await program.waitFor('Unknown field. The fields are title')
  await program.waitFor('room, string')
  program.writeLines('document', 'accept')
  const document = await program.waitFor('Install it for you only?')
  expect(document).toContain('name: "set-a-unit-s-temperature"')
  expect(document).toMatch(/Result: passed, (\d+) of \1 tests passed/)
  expect(await listAbilityIds()).toEqual([])
  program.writeLines('yes')
  await program.waitFor('Installed as learned.set-a-unit-s-temperature.')

  const before = rig.readUnits()
  program.writeLines('run room=Kitchen', 'run room=Kitchen temperature=23')
  await program.waitFor('Missing input temperature. Add temperature=<temperature>')
  await program.waitFor('ok   6/')
  await program.waitFor('the phone shows "23.0 °C"')
  const after = before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 23 } : unit))
  expect(before).not.toEqual(after)
  expect(rig.readUnits()).toEqual(after)
  const { code, stderr } = await program.end()
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/Error|at .*\.js/)
  expect(await listAbilityIds()).toEqual(['learned.set-a-unit-s-temperature'])
  expect(await listRecordingStates()).toEqual(['touch stopped', 'touch stopped'])
})

test('the learned ability runs for another unit, and the screen shows the result', async () => {
  const done = await rig.cli('run', 'set-a-unit-s-temperature', 'room=Lobby', 'temperature=19')
  expect(done.code, done.stderr).toBe(0)
  expect(temperatureOf('Lobby')).toBe(19)
  const seen = await rig.cli('snapshot')
  expect(seen.stdout).toMatch(/"Lobby"[\s\S]*"19\.0 °C"/)
})

test('touches on the phone itself are captured', async () => {
  await resetPhone(rig)
  const program = rig.interact('teach', '--goal', 'Open the gym')
  await program.waitFor('Commands:')
  await touchElement(rig, 'Climate')
  await program.waitFor('1. Tap Climate')
  await touchElement(rig, 'Reception')
  await program.waitFor('2. Tap Reception')
  program.writeLines('cancel')
  expect(await program.end()).toMatchObject({ code: 1 })
  expect(await readLastSession()).toMatchObject({ state: 'cancelled' })
})

test('Ctrl-C cancels the session and ends the capture', async () => {
  const proposals = (await rig.call(listProposals)).total
  const program = rig.interact('teach', '--goal', 'Never mind')
  await program.waitFor('Commands:')
  await rig.sendActions({ type: 'press_key', params: { key: 'home' } })
  await program.waitFor('1. ')
  expect(await readLastSession()).toMatchObject({ state: 'capturing' })
  program.interrupt()
  const { code, stdout } = await program.end()
  expect(code).toBe(130)
  expect(stdout).toContain('Cancelled: nothing was learned')
  expect(await readLastSession()).toMatchObject({ state: 'cancelled' })
  expect(await listRecordingStates()).not.toContain('touch recording')
  expect((await rig.call(listProposals)).total).toBe(proposals)
})

test('an open session is continued: questions, a rehearsal, and a rejection', async () => {
  await resetPhone(rig)
  const first = rig.interact('teach', '--ask', '--goal', 'Warm a unit up')
  await first.waitFor('Commands:')
  await demonstrateTemperature(rig)
  await first.waitFor('6. Tap Save')
  first.writeLines('stop')
  await first.waitFor('Question 1 of 2:')
  first.writeLines('', 'somebody is cold; somebody says so')
  await first.waitFor('Question 2 of 2:')
  const pending = await first.end()
  expect(pending.code).toBe(1)
  expect(pending.stdout).toMatch(/The session stays open\. Continue with `(npx )?apprentice teach`\.\n/)
  expect(await readLastSession()).toMatchObject({ state: 'awaiting_questions' })

  const again = rig.interact('teach')
  await again.waitFor('is still open (awaiting questions).')
  again.writeLines('continue')
  await again.waitFor('Question 1 of 1:')
  again.writeLines('the heating is off')
  const review = await again.waitFor('rehearse [')
  expect(review).toContain('Negative triggers\n  the heating is off')
  const before = temperatureOf('Gym')
  again.writeLines('rehearse unit=Gym temperature=24')
  const tested = await again.waitFor('tests passed')
  expect(tested).toContain('Nothing is deleted or sent.')
  expect(tested).toContain('Result: passed')
  expect([before, temperatureOf('Gym')]).toEqual([20, 24])
  again.writeLines('reject too warm')
  const { code, stdout } = await again.end()
  expect([code, stdout.trim().split('\n').at(-1)]).toEqual([1, 'Rejected: the draft was not installed.'])
  expect(await readLastSession()).toMatchObject({ state: 'rejected' })
  expect(await listAbilityIds()).toHaveLength(1)
})

test('a request that cannot be fulfilled is refused in one line', async () => {
  const stranger = await rig.cli('teach', '--serial', 'nobody')
  expect([stranger.code, stranger.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^apprentice: nobody is not connected\. List the devices with `(npx )?apprentice devices`\.\n$/,
    ),
  ])
  const env = { APPRENTICE_HOME: createHome(), APPRENTICE_TOKEN: 'nobody-listens-here' }
  const alone = await runProgram(['teach', '--url', 'http://127.0.0.1:9'], env)
  expect(alone.code).toBe(1)
  expect(alone.stderr).toMatch(/^apprentice: [^\n]+\n$/)
  const nothing = await rig.cli('teach')
  expect([nothing.code, nothing.stdout.trim().split('\n').at(-1)]).toEqual([
    1,
    'Cancelled: nothing was learned and the capture has ended.',
  ])
  expect(await readLastSession()).toMatchObject({ state: 'cancelled' })
})
