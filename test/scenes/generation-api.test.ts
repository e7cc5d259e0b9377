import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { SceneGeneration } from '@apprentice/contracts/scenes/generations.ts'
import { openBundleFile } from '../../src/files/bundle-storage.ts'
import { runGeneratedTest } from '../../src/workers/generated-test.ts'
import { type Daemon, shareDaemon, startDaemon } from '../kit/daemon.ts'
import { upload } from '../skill-import/import-kit.ts'
import { zipScenario as zipScenarioWithin } from './scenario-files.ts'

const daemon = shareDaemon()

const zipScenario = (name: string): Buffer => zipScenarioWithin(name, `${name}/`)

async function uploadScenario(on: Daemon, bytes: Buffer, filename = 'saved-page.zip'): Promise<string> {
  return (await upload(on, bytes, { filename })).temp_artifact.temp_artifact_ref
}

async function generate(on: Daemon, bytes: Buffer, answers: object = {}): Promise<SceneGeneration> {
  const temp_artifact_ref = await uploadScenario(on, bytes)
  const reply = await on.post('/api/scenes/generate', { temp_artifact_ref, answers })
  expect(reply.statusCode, reply.body).toBe(202)
  const { generation } = reply.json<{ generation: SceneGeneration }>()
  await on.system.jobs.waitUntilSettled(generation.generation_id, 120_000)
  return readGeneration(on, generation.generation_id)
}

async function readGeneration(on: Daemon, id: string): Promise<SceneGeneration> {
  return (await on.get(`/api/scenes/generations/${id}`)).json<{ generation: SceneGeneration }>().generation
}

test('an uploaded folder becomes a package that can be downloaded, with events on the way', async () => {
  const generation = await generate(daemon(), zipScenario('fetch-grid'), { id: 'sales', stand_in: true })
  expect(generation).toMatchObject({
    state: 'ready',
    scene_id: 'sales',
    example_instruction: '兰州公司 2026-03 售电量。。。',
    refusals: [],
  })
  const url = `/api/scenes/generations/${generation.generation_id}`
  const download = await daemon().get(`${url}/package`)
  expect(download.headers['content-disposition']).toBe('attachment; filename="sales.zip"')
  const file = join(daemon().home, 'package.zip')
  writeFileSync(file, download.rawPayload)
  const bundle = await openBundleFile(file)
  expect(bundle.entries.map(({ path }) => path)).toEqual(generation.files.map((path) => `sales/${path}`))
  await bundle.close()
  expect(generation.files).toContain('stand-in/sales/api/monthly/list.json')
  const { analysis } = (await daemon().get(`${url}/analysis`)).json<{ analysis: SceneAnalysis }>()
  expect(analysis.requests[1]?.evidence).toMatchObject({ file: 'js/sales.js', line: 27 })
  const events = daemon()
    .events()
    .filter(({ subject }) => subject === `scene-generation/${generation.generation_id}`)
  expect(events.map(({ kind, payload }) => [kind, payload['step'] ?? payload['state']])).toEqual([
    ['scene.generation.queued', undefined],
    ['scene.generation.progressed', 'started'],
    ['scene.generation.progressed', 'reading'],
    ['scene.generation.progressed', 'analyzing'],
    ['scene.generation.progressed', 'generating'],
    ['scene.generation.progressed', 'testing'],
    ['scene.generation.settled', 'ready'],
  ])
})

test('a broken folder is refused with reasons, and its package has no manifest that a registry reads', async () => {
  const generation = await generate(daemon(), zipScenario('broken'))
  expect(generation.state).toBe('refused')
  expect(generation.refusals.map(({ rule }) => rule)).toContain('bootstrap.target-url')
  expect(generation.refusals.find(({ answer }) => answer === 'rows_path')?.evidence).toMatchObject([
    { file: 'js/stock.js', line: 5 },
  ])
  expect(generation.files).toContain('scene.draft.toml')
  expect(generation.files).not.toContain('scene.toml')
})

test('a package whose example is no plan is refused by the trial', async () => {
  const generation = await generate(daemon(), zipScenario('fetch-grid'), { exclude_keywords: ['公司'] })
  expect(generation).toMatchObject({
    state: 'refused',
    refusals: [
      {
        rule: 'validation.registry',
        reason: 'The instruction 兰州公司 2026-03 售电量。。。 gives no_scene, not a plan.',
      },
    ],
  })
  expect(generation.files).toContain('scene.draft.toml')
})

test('the test of a package runs without files and programs, and names what failed', async () => {
  const start = "import { test } from 'node:test'\nimport assert from 'node:assert/strict'\n"
  const passed = await runGeneratedTest(`${start}test('fine', () => assert.ok(true))`)
  const failed = await runGeneratedTest(`${start}test('fine', () => {})\ntest('wrong', () => assert.ok(false))`)
  expect([passed, failed]).toEqual([[], ['wrong']])
  const reading = await runGeneratedTest(
    `${start}import fs from 'node:fs'\ntest('reads', () => fs.readFileSync(${JSON.stringify(import.meta.filename)}))`,
  )
  expect(reading).toEqual(['reads'])
  expect(await runGeneratedTest('this is no program')).toEqual(['The test ended with 1.'])
})

test('a zip file that cannot be read fails the generation, and there is no package', async () => {
  const zip = zipScenario('static-table')
  const generation = await generate(daemon(), Buffer.concat([zip.subarray(0, 60), zip.subarray(90)]))
  expect(generation).toMatchObject({ state: 'failed', error: { code: 'SCENARIO_UNREADABLE' } })
  const url = `/api/scenes/generations/${generation.generation_id}`
  for (const part of ['package', 'analysis']) expect((await daemon().get(`${url}/${part}`)).statusCode).toBe(409)
})

test('generations and uploads of another user do not exist', async () => {
  const generation = await generate(daemon(), zipScenario('static-table'))
  const other = await daemon().tokenFor('other')
  const url = `/api/scenes/generations/${generation.generation_id}`
  for (const part of ['', '/package', '/analysis', '/events']) {
    expect((await daemon().get(url + part, other)).statusCode).toBe(404)
  }
  const temp_artifact_ref = await uploadScenario(daemon(), zipScenario('static-table'))
  const reply = await daemon().post('/api/scenes/generate', { temp_artifact_ref }, other)
  expect(reply.json()).toMatchObject({ error: { code: 'SKILL_IMPORT_UPLOAD_NOT_FOUND' } })
})

test('a generation that was interrupted starts again with the next daemon', async () => {
  const first = await startDaemon()
  const temp_artifact_ref = await uploadScenario(first, zipScenario('static-table'))
  const reply = await first.post('/api/scenes/generate', { temp_artifact_ref })
  const { generation } = reply.json<{ generation: SceneGeneration }>()
  await first.stop()
  const second = await startDaemon({ home: first.home })
  await second.system.jobs.waitUntilSettled(generation.generation_id, 120_000)
  expect(await readGeneration(second, generation.generation_id)).toMatchObject({ state: 'ready' })
})
