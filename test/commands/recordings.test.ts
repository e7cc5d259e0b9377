import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, tap } from '../teach/teaching.ts'
import { CLIMATE_APP, startCommandRig, type CommandRig } from './command-rig.ts'
import { createHome } from './program.ts'

const undo: (() => unknown)[] = []
let rig: CommandRig

beforeAll(async () => {
  rig = await startCommandRig((work) => undo.push(work))
})
afterAll(async () => {
  for (const work of undo.toReversed()) await work()
})

const json = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await rig.cli(...args)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout) as Record<string, unknown>
}

test('actions on a phone are recorded, downloaded, parsed, exported and compared', async () => {
  const { cli, phone, sendActions } = rig
  const started = (await json('recordings', 'start', phone.serial, '--json')) as {
    recording: { recording_id: string }
  }
  const id = started.recording.recording_id
  await sendActions(open(CLIMATE_APP), tap('Reception'))
  expect((await cli('recordings', 'stop', phone.serial, id)).stdout).toMatch(/^Stopped with \d+ events\.\n$/)
  expect((await cli('recordings', 'list', phone.serial)).stdout).toMatch(new RegExp(`^${id} +stopped +proxy`, 'm'))

  const folder = createHome((work) => undo.push(work))
  const file = (name: string) => join(folder, name)
  await cli('recordings', 'pull', phone.serial, id, '-o', file('it.ndjson'))
  expect(readFileSync(file('it.ndjson'), 'utf8')).toMatch(/^\{"type":"recording_header"/)
  const steps = await json('recordings', 'parse', file('it.ndjson'))
  expect(steps).toMatchObject({
    steps: [{ type: 'open_app' }, { type: 'click', text: 'Reception' }],
  })
  await cli('recordings', 'export', phone.serial, id, '-o', file('it.export.json'))
  const pulled = await json('recordings', 'export-file', file('it.ndjson'))
  expect(JSON.parse(readFileSync(file('it.export.json'), 'utf8'))).toEqual(pulled)

  const checkpoints = ['app_opened', 'reception_opened'].map((one) => ({ id: one, status: 'ok' }))
  const skillResult = {
    contractVersion: '1.0.0',
    skillId: 'org.apprentice.climate.open',
    status: 'success',
    checkpoints,
    terminalVerification: { status: 'verified' },
    source: { kind: 'script' },
  }
  const compare = (result: object) => {
    writeFileSync(file('run.json'), JSON.stringify(result))
    const named = ['--baseline', file('it.export.json'), '--result', file('run.json')]
    return cli('recordings', 'compare', ...named)
  }
  expect(await compare({ skillResult })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^literal_match: .+\n2 of 2 checkpoints/),
  })
  const other = { ...skillResult, checkpoints: checkpoints.slice(0, 1) }
  expect(await compare({ skillResult: other })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('reception_clicked in the recording, missing_expected_checkpoint'),
  })
  expect((await compare(skillResult)).code).not.toBe(0)
  expect((await cli('recordings', 'parse', file('nothing'))).stderr).toContain('cannot be read')
})
