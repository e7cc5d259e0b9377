import { afterAll, beforeAll, expect, test } from 'vitest'
import { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { listExecutions } from '@apprentice/contracts/devices/executions.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { startCommandRig, resetPhone, type CommandRig, teachTemperature } from './command-rig.ts'

let rig: CommandRig
let ability: string
const endings: Parameters<WhenOver>[0][] = []

beforeAll(async () => {
  rig = await startCommandRig((end) => endings.push(end))
  ability = await teachTemperature(rig, "Set a unit's temperature")
}, 120_000)

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

const temperatureOf = (name: string) => rig.readUnits().find((unit) => unit.name === name)?.temperature
const executions = async () => (await rig.call(listExecutions)).total

test('an ability runs for a unit that was not demonstrated, and each step is printed', async () => {
  const before = rig.readUnits()
  const done = await rig.cli('run', ability, 'unit=Kitchen', 'temperature=23')
  expect(done.code, done.stderr).toBe(0)
  const lines = done.stdout.trim().split('\n')
  expect(lines[0]).toBe(`Set a unit's temperature (${ability})`)
  expect(lines[1]).toMatch(/^ok {3}1\/\d+ Close the app$/)
  expect(done.stdout).toMatch(/ok {3}\d+\/\d+ Choose "Kitchen"\n/)
  expect(lines.slice(-2)).toEqual([`Done on ${rig.phone.serial} and verified.`, '  the phone shows "23.0 °C"'])
  expect(rig.readUnits()).toEqual(before.map((unit) => (unit.name === 'Kitchen' ? { ...unit, temperature: 23 } : unit)))
  const again = await rig.cli('run', ability, 'unit=Kitchen', 'temperature=23')
  expect(again.code).toBe(0)
  expect(again.stdout).toContain(`Nothing to do on ${rig.phone.serial}`)
  expect(again.stdout).not.toMatch(/^ok .*Press Save/m)
})

test('--each runs the ability once for each value', async () => {
  const done = await rig.cli('run', ability, '--each', 'unit=Kitchen,Lobby', 'temperature=22')
  expect(done.code, done.stdout + done.stderr).toBe(0)
  expect([temperatureOf('Kitchen'), temperatureOf('Lobby')]).toEqual([22, 22])
  expect(done.stdout).toContain('item 1: success\n')
  expect(done.stdout).toContain('  2 of 2 items done')
  const both = await rig.cli('run', ability, '--each', 'unit=Kitchen', '--items', 'none.json', 'temperature=22')
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('either --each or --items')])
})

test('an ability is found by its slug, its title, or words that match it', async () => {
  for (const [at, name] of [
    ['set-a-unit-s-temperature'],
    ["SET a unit's TEMPERATURE"],
    ["please set a unit's temperature for me"],
    ['set', 'a', "unit's", 'temperature'],
  ].entries()) {
    const temperature = 24 + at
    const done = await rig.cli('run', ...name, 'unit=Lobby', `temperature=${temperature}`)
    expect([done.code, temperatureOf('Lobby')], done.stdout + done.stderr).toEqual([0, temperature])
  }
  const before = await executions()
  const nothing = await rig.cli('run', 'feed the cat')
  expect([nothing.code, nothing.stdout, nothing.stderr]).toEqual([
    2,
    '',
    expect.stringMatching(
      /^apprentice: No ability matches "feed the cat"\. List them with `(npx )?apprentice abilities`\.\n$/,
    ),
  ])
  expect(await executions()).toBe(before)
})

test('a run for a missing unit fails, names the step and the reason, and changes nothing', async () => {
  const before = rig.readUnits()
  const failed = await rig.cli('run', ability, 'unit=Ballroom', 'temperature=20')
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/^FAIL /m)
  expect(failed.stdout).toContain(`Failed on ${rig.phone.serial}.`)
  expect(failed.stdout).toContain('at: Choose "Ballroom"')
  expect(failed.stdout).toMatch(/why: The element is not on the screen.*\([A-Z]+_NOT_FOUND: /)
  expect(failed.stdout.trim().split('\n').at(-1)).toBe('Nothing was changed.')
  expect(rig.readUnits()).toEqual(before)
})

test('matching elements are listed if there are several, and a blocking dialog is named', async () => {
  const before = rig.readUnits()
  const [lobby] = before
  rig.setUnits(before.flatMap((unit) => (unit === lobby ? [unit, { ...unit, id: 99 }] : [unit])))
  const twice = rig.readUnits()
  const unsure = await rig.cli('run', ability, 'unit=Lobby', 'temperature=20')
  expect(unsure.code).toBe(1)
  expect(unsure.stdout).toContain('Several elements match, so none was chosen.')
  expect(unsure.stdout.match(/^ {4}\S.*#org\.apprentice\.climate:id\//gm)).toHaveLength(2)
  expect(rig.readUnits()).toEqual(twice)
  rig.setUnits(before)

  rig.phone.popUp({
    cancelable: false,
    title: 'Storage almost full',
    message: 'Delete everything?',
    buttons: [
      { role: 'negative', text: 'Keep' },
      { role: 'positive', text: 'Delete' },
    ],
  })
  const stopped = await rig.cli('run', ability, 'unit=Gym', 'temperature=19')
  expect(stopped.code).toBe(1)
  expect(stopped.stdout).toMatch(/blocked by: "Storage almost full/)
  expect(rig.readUnits()).toEqual(before)
  await rig.sendActions({ type: 'click', params: { matcher: { textEquals: 'Keep' } } })
})

test('an invalid request is refused in one line, and nothing is done', async () => {
  const before = await executions()
  const refused = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await rig.cli('run', ...args)
    expect(code, stdout + stderr).toBe(2)
    expect(stderr.trim()).not.toContain('\n')
    return stderr.trim()
  }
  expect(await refused(ability)).toBe(
    'apprentice: Missing inputs unit and temperature. Add unit=<unit> temperature=<temperature>',
  )
  expect(await refused(ability, 'unit=Gym')).toBe(
    'apprentice: Missing input temperature. Add temperature=<temperature>',
  )
  expect(await refused(ability, 'unit=Gym', 'temperature=warm')).toContain('must be a number')
  expect(await refused(ability, 'unit=Gym', 'temperature=20', 'colour=red')).toContain('RECIPE_INPUT_INVALID')
  expect(await refused(ability, 'unit=Gym', 'temperature=20', '--serial', 'nobody')).toContain('DEVICE_NOT_FOUND')
  expect(await refused(ability, '--allow', 'everything')).toContain('Expected one of observe')
  expect(await refused(ability, '--wait', 'long')).toContain('Expected a number of seconds')
  expect(await refused()).toContain("missing required argument 'ability'")
  expect(await refused('unit=Gym')).toContain('Name the ability to run')
  expect(await executions()).toBe(before)
})

test('with --json the run is on standard output and the steps are on standard error', async () => {
  const done = await rig.cli('run', ability, 'unit=Roof terrace', 'temperature=18', '--json')
  expect(done.code).toBe(0)
  const { run, ...rest } = JSON.parse(done.stdout) as { run: unknown }
  expect(rest).toEqual({})
  expect(AbilityRun.parse(run)).toMatchObject({
    ability_id: ability,
    state: 'success',
    acted: true,
    input_names: ['temperature', 'unit'],
    verification: [{ held: true, observed: '18.0 °C' }],
  })
  expect(done.stderr).toMatch(/^ok {3}1\//m)
  const failed = await rig.cli('run', ability, 'unit=Ballroom', 'temperature=18', '--json')
  expect(failed.code).toBe(1)
  expect(JSON.parse(failed.stdout)).toMatchObject({
    run: { state: 'failed', acted: false, trouble: { step_id: 'choose_unit' } },
  })
  const unclear = await rig.cli('run', 'feed the cat', '--json')
  expect([unclear.code, JSON.parse(unclear.stdout)]).toEqual([2, { matches: [] }])
})

test('a run that outlasts the wait is reported as unfinished, and Ctrl-C cancels a run', async () => {
  const unfinished = await rig.cli('run', ability, 'unit=Gym', 'temperature=25', '--wait', '0')
  expect(unfinished.code).toBe(3)
  expect(unfinished.stdout).toMatch(/^Still (waiting for|running on) SIMULATED01; run [0-9a-f-]{36}$/m)
  await expect.poll(() => temperatureOf('Gym'), { timeout: 30_000 }).toBe(25)
  await resetPhone(rig)

  const before = rig.readUnits()
  rig.phone.setLatency('realistic')
  const program = rig.interact('run', ability, 'unit=Workshop', 'temperature=30')
  await program.waitFor('Open the app')
  program.interrupt()
  const { code, stdout } = await program.end()
  rig.phone.setLatency('fast')
  expect(code).toBe(1)
  expect(stdout).toContain('Cancelling the run.')
  expect(stdout).toContain(`Cancelled on ${rig.phone.serial}.`)
  expect(rig.readUnits()).toEqual(before)
})

test('abilities are listed, found and shown', async () => {
  const { cli } = rig
  const listed = await cli('abilities')
  expect(listed.stdout).toMatch(/^ABILITY +USABLE +LANE/)
  expect(listed.stdout).toMatch(new RegExp(`^${ability} +yes +experimental_private`, 'm'))
  const json = await cli('abilities', 'list', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    abilities: expect.arrayContaining([expect.objectContaining({ ability_id: ability })]),
  })
  const found = await cli('abilities', 'lookup', 'set', 'temperature', 'unit')
  expect(found.stdout).toContain(ability)
  expect((await cli('abilities', 'lookup', 'feed the cat')).stdout).toBe('No ability matches.\n')
  const shown = await cli('abilities', 'show', ability)
  expect(shown.stdout).toContain('unit (string): Which unit, by its name in the list')
  const versions = await cli('abilities', 'versions', 'set-a-unit-s-temperature')
  expect(versions.stdout).toMatch(/^1 +\S+Z +- +experimental_private +[0-9a-f]{12} +current$/m)
})

test('an ability that is switched off or quarantined does not run, and a removed one is not listed', async () => {
  const { cli } = rig
  const asked = ['run', ability, 'unit=Gym', 'temperature=21'] as const
  await cli('abilities', 'deactivate', ability)
  const off = await cli(...asked)
  expect([off.code, off.stderr]).toEqual([1, expect.stringContaining('ABILITY_UNUSABLE')])
  await cli('abilities', 'activate', ability)
  const taken = await cli('abilities', 'quarantine', ability, '--reason', 'odd')
  expect([taken.code, taken.stdout]).toEqual([0, `Quarantined ${ability}: odd\n`])
  expect((await cli('abilities')).stdout).toMatch(/no, quarantined +quarantined/)
  expect((await cli('abilities', 'unquarantine', ability)).code).toBe(0)
  expect((await cli(...asked)).code).toBe(0)
  expect(temperatureOf('Gym')).toBe(21)

  // The fifth failed run quarantines the ability.
  const stopped = await cli('run', ability, '--each', 'unit=Ballroom,Kitchen', 'temperature=25')
  expect([stopped.code, temperatureOf('Kitchen')]).toEqual([1, 22])
  expect(stopped.stdout).toContain('  not started: 2')

  expect((await cli('abilities', 'rollback', ability)).code).toBe(1)
  expect((await cli('abilities', 'show', 'nothing')).code).toBe(2)
  const gone = await cli('abilities', 'uninstall', ability)
  expect([gone.code, gone.stdout]).toEqual([0, `Removed ${ability}.\n`])
  expect((await cli('abilities')).stdout).not.toContain(ability)
})
