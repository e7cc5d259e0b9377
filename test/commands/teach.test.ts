import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listRecordings } from '@apprentice/contracts/devices/recording.ts'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import { listHistory } from '@apprentice/contracts/learn/runtime.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { openSchool, putDown, type School, showTemperature, touch } from './school.ts'
import { aHome, run } from './program.ts'

let school: School
const endings: Parameters<WhenOver>[0][] = []

beforeAll(async () => {
  school = await openSchool((end) => endings.push(end))
})

// Each command is a process that starts anew, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

const abilityIds = async () =>
  (await school.call(listAvailability)).abilities.map(({ ability_id }) => ability_id)
const lastLesson = async () => (await school.call(listHistory)).items[0]
const recordingStates = async () => {
  const params = { serial: school.phone.serial }
  const { recordings } = await school.call(listRecordings, { params })
  return recordings.map(({ source, state }) => `${source} ${state}`)
}
const temperatureOf = (name: string) =>
  school.units().find((unit) => unit.name === name)?.temperature

test('a person teaches a temperature once, reviews it, installs it and runs it for another unit', async () => {
  await putDown(school)
  const talk = school.talk('teach')
  const intro = await talk.hear('Commands:')
  expect(intro).toContain(`Show it on ${school.phone.serial} now:`)
  expect(intro).toContain('on the phone itself, or')
  expect(intro).toMatch(/live screen at http:\/\/127\.0\.0\.1:\d+\/#\/devices\/SIMULATED01/)
  talk.say('stop', "goal Set a unit's temperature", 'dance')
  await talk.hear('Nothing was seen yet.')
  await talk.hear('Noted what it is for.')
  await talk.hear('Commands:')
  await showTemperature(school)
  const seen = await talk.hear('6. Tap Save')
  expect(seen.split('\n').slice(-6)).toEqual([
    '  1. Open Climate',
    '  2. Tap Reception',
    '  3. Tap Warmer',
    '  4. Tap Warmer',
    '  5. Tap Save',
    '  6. Tap Save',
  ])
  talk.say('mark the list is back')
  await talk.hear('Noted.')
  await school.act({ type: 'press_key', params: { key: 'home' } })
  await talk.hear('7. ')
  talk.say('undo', 'stop')
  await talk.hear('Forgot:')

  const review = await talk.hear('rehearse [')
  for (const words of [
    'unit, string: Which unit, by its name in the list (shown: Reception)',
    'temperature, number',
    '1. Choose the given unit',
    'The unit temperature of the given unit is the given temperature',
    'Left out (keep <number> puts it back)',
    'Several touches taken as one setting of temperature (1 action, repeat collapsed)',
  ]) {
    expect(review).toContain(words)
  }
  talk.say('keep 9', 'revise colour blue', 'rename unit room')
  await talk.hear('Say which: 1 to')
  await talk.hear('It can change title')
  await talk.hear('room, string')
  talk.say('document', 'accept')
  const document = await talk.hear('Install it, for you alone?')
  expect(document).toContain('name: "set-a-unit-s-temperature"')
  expect(document).toMatch(/Tests passed: (\d+) of \1 went well/)
  expect(await abilityIds()).toEqual([])
  talk.say('yes')
  await talk.hear('Installed as learned.set-a-unit-s-temperature.')

  const before = school.units()
  talk.say('run room=Kitchen', 'run room=Kitchen temperature=23')
  await talk.hear('It needs temperature; add temperature=<temperature>')
  await talk.hear('ok   6/')
  await talk.hear('the phone shows "23.0 °C"')
  const after = before.map((unit) =>
    unit.name === 'Kitchen' ? { ...unit, temperature: 23 } : unit,
  )
  expect(before).not.toEqual(after)
  expect(school.units()).toEqual(after)
  const { code, stderr } = await talk.end()
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/Error|at .*\.js/)
  expect(await abilityIds()).toEqual(['learned.set-a-unit-s-temperature'])
  expect(await recordingStates()).toEqual(['touch stopped', 'touch stopped'])
})

test('what was learned runs for yet another unit, and the screen shows it', async () => {
  const done = await school.cli('run', 'set-a-unit-s-temperature', 'room=Lobby', 'temperature=19')
  expect(done.code, done.stderr).toBe(0)
  expect(temperatureOf('Lobby')).toBe(19)
  const seen = await school.cli('snapshot')
  expect(seen.stdout).toMatch(/"Lobby"[\s\S]*"19\.0 °C"/)
})

test('fingers on the phone itself are watched as well', async () => {
  await putDown(school)
  const talk = school.talk('teach', '--goal', 'Open the gym')
  await talk.hear('Commands:')
  await touch(school, 'Climate')
  await talk.hear('1. Tap Climate')
  await touch(school, 'Reception')
  await talk.hear('2. Tap Reception')
  talk.say('cancel')
  expect(await talk.end()).toMatchObject({ code: 1 })
  expect(await lastLesson()).toMatchObject({ state: 'cancelled' })
})

test('Ctrl-C cancels the lesson and watches nothing any more', async () => {
  const proposals = (await school.call(listProposals)).total
  const talk = school.talk('teach', '--goal', 'Never mind')
  await talk.hear('Commands:')
  await school.act({ type: 'press_key', params: { key: 'home' } })
  await talk.hear('1. ')
  expect(await lastLesson()).toMatchObject({ state: 'capturing' })
  talk.interrupt()
  const { code, stdout } = await talk.end()
  expect(code).toBe(130)
  expect(stdout).toContain('Cancelled: nothing was learned')
  expect(await lastLesson()).toMatchObject({ state: 'cancelled' })
  expect(await recordingStates()).not.toContain('touch recording')
  expect((await school.call(listProposals)).total).toBe(proposals)
})

test('a lesson that was left is gone on with: questions, a rehearsal, and a decision against it', async () => {
  await putDown(school)
  const first = school.talk('teach', '--ask', '--goal', 'Warm a unit up')
  await first.hear('Commands:')
  await showTemperature(school)
  await first.hear('6. Tap Save')
  first.say('stop')
  await first.hear('Question 1 of 2:')
  first.say('', 'somebody is cold; somebody says so')
  await first.hear('Question 2 of 2:')
  const left = await first.end()
  expect(left.code).toBe(1)
  expect(left.stdout).toContain('`apprentice teach` goes on with it.')
  expect(await lastLesson()).toMatchObject({ state: 'awaiting_questions' })

  const again = school.talk('teach')
  await again.hear('is still open (awaiting questions).')
  again.say('continue')
  await again.hear('Question 1 of 1:')
  again.say('the heating is off')
  const review = await again.hear('rehearse [')
  expect(review).toContain('Not for\n  the heating is off')
  const before = temperatureOf('Gym')
  again.say('rehearse unit=Gym temperature=24')
  const tested = await again.hear('went well')
  expect(tested).toContain('nothing is deleted there and nothing is sent')
  expect(tested).toContain('Tests passed')
  expect([before, temperatureOf('Gym')]).toEqual([20, 24])
  again.say('reject too warm')
  const { code, stdout } = await again.end()
  expect([code, stdout.trim().split('\n').at(-1)]).toEqual([1, 'Rejected: it was not installed.'])
  expect(await lastLesson()).toMatchObject({ state: 'rejected' })
  expect(await abilityIds()).toHaveLength(1)
})

test('what cannot be done is said in one line', async () => {
  const stranger = await school.cli('teach', '--serial', 'nobody')
  expect([stranger.code, stranger.stderr]).toEqual([
    2,
    'apprentice: nobody is not connected; `apprentice devices` lists what is.\n',
  ])
  const env = { APPRENTICE_HOME: aHome(), APPRENTICE_TOKEN: 'nobody-listens-here' }
  const alone = await run(['teach', '--url', 'http://127.0.0.1:9'], env)
  expect(alone.code).toBe(1)
  expect(alone.stderr).toMatch(/^apprentice: [^\n]+\n$/)
  const nothing = await school.cli('teach')
  expect([nothing.code, nothing.stdout.trim().split('\n').at(-1)]).toEqual([
    1,
    'Cancelled: nothing was learned, and nothing is watched any more.',
  ])
  expect(await lastLesson()).toMatchObject({ state: 'cancelled' })
})
