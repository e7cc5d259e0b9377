import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { type SceneOptions, writePackage, writeSceneToml } from './make-scene.ts'

const LINELOSS = { id: 'lineloss', include: ['线损', '月累计'], exclude: ['知乎'] }
const ABILITY = '/api/abilities/scene.lineloss'

function write(daemon: Daemon, options: SceneOptions, changes: Readonly<Record<string, string>> = {}): void {
  for (const [path, text] of Object.entries({ ...writePackage(options), ...changes })) {
    const file = join(daemon.home, 'skills', options.id ?? 'report', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const availability = async (daemon: Daemon) => (await daemon.get(`${ABILITY}/availability`)).json()
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5000 })

async function startWithScene(): Promise<Daemon> {
  const daemon = await startDaemon()
  write(daemon, LINELOSS)
  await until(async () => expect(await availability(daemon)).toMatchObject({ usable_now: true }))
  return daemon
}

test('a registered scene is an ability with its parameters as inputs', async () => {
  const daemon = await startWithScene()
  expect(await availability(daemon)).toMatchObject({
    ability_id: 'scene.lineloss',
    scene_id: 'lineloss',
    title: 'lineloss',
    source: 'native',
    kind: 'runnable',
    install_lane: 'approved_workspace',
    current_version: 1,
    inputs: [
      { name: 'org', type: 'string', required: true, summary: 'Such as 兰州, 天水' },
      { name: 'period', type: 'string', required: true },
    ],
  })
  // Scenes come from the operator, so every user finds them.
  const other = await daemon.tokenFor('another', 'read')
  expect((await daemon.get('/api/abilities/availability', other)).json()).toMatchObject({
    abilities: [{ ability_id: 'scene.lineloss', usable_now: true }],
  })
  expect((await daemon.get('/api/abilities/catalog')).json()).toMatchObject({
    items: [{ ability_id: 'scene.lineloss' }],
  })
  const found = await daemon.post('/api/abilities/lookup', {
    user_query: '台区线损 月累计',
    require_text_match: true,
    include_inputs: true,
    schema_version: 1,
  })
  expect(found.json()).toMatchObject({
    matches: [{ ability_id: 'scene.lineloss', inputs: [{ name: 'org' }, { name: 'period' }] }],
  })
})

test('a changed package is a further version, and a restart without changes writes nothing', async () => {
  const daemon = await startWithScene()
  writeFileSync(join(daemon.home, 'skills/lineloss/scripts/collect.js'), '// another\n')
  await until(async () => expect(await availability(daemon)).toMatchObject({ current_version: 2, usable_now: true }))
  const before = daemon.events().length
  await daemon.stop()
  const again = await startDaemon({ home: daemon.home })
  expect(await availability(again)).toMatchObject({ current_version: 2, usable_now: true })
  expect(
    again
      .events()
      .slice(before)
      .filter(({ kind }) => kind.startsWith('ability.')),
  ).toEqual([])
})

test('a refused package keeps its ability, which is unusable, and what was decided about it', async () => {
  const daemon = await startWithScene()
  await daemon.post(`${ABILITY}/deactivate`)
  const manifest = join(daemon.home, 'skills/lineloss/scene.toml')
  writeFileSync(manifest, writeSceneToml(LINELOSS).replace('"1"', '"9"'))
  await until(async () => expect((await daemon.get('/api/scenes/lineloss')).statusCode).toBe(409))
  await daemon.system.scenesStored()
  expect(await availability(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'disabled' })
  await daemon.post(`${ABILITY}/activate`)
  expect(await availability(daemon)).toMatchObject({ usable_now: false, reason_unusable: 'scene_refused' })
  await daemon.post(`${ABILITY}/deactivate`)
  writeFileSync(manifest, writeSceneToml(LINELOSS))
  await until(async () => expect((await daemon.get('/api/scenes/lineloss')).statusCode).toBe(200))
  await daemon.system.scenesStored()
  expect(await availability(daemon)).toMatchObject({ enabled: false, usable_now: false, reason_unusable: 'disabled' })
})

test('a package that is gone takes its ability with it', async () => {
  const daemon = await startWithScene()
  rmSync(join(daemon.home, 'skills/lineloss'), { recursive: true })
  await until(async () => expect((await daemon.get(`${ABILITY}/availability`)).statusCode).toBe(404))
  expect((await daemon.get('/api/abilities/availability')).json()).toMatchObject({ abilities: [] })
})
