import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { shareDaemon } from '../kit/daemon.ts'
import { writePackage, writeSceneToml } from './make-scene.ts'

const daemon = shareDaemon({
  now: '2026-03-18T04:00:00.000Z',
  settings: { scenes: { samples: false, roots: ['more'], time_zone: 'UTC' } },
})

function write(path: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(daemon().home, path, name)), { recursive: true })
    writeFileSync(join(daemon().home, path, name), text)
  }
}

beforeAll(async () => {
  write('skills/lineloss', writePackage({ id: 'lineloss', include: ['线损', '月累计'] }))
  write('more/other', writePackage({ id: 'other', include: ['report'] }))
  write('more/broken', { 'scene.toml': writeSceneToml({ id: 'broken' }).replace('"1"', '"9"') })
  // The folder `more` is new, and is looked for again after a while.
  await vi.waitUntil(async () => (await daemon().system.scenes.catalog()).scenes.length === 2, {
    timeout: 5000,
    interval: 100,
  })
  // Registered scenes become abilities, which is recorded.
  await daemon().system.scenesStored()
})

test('the list has the scenes of all roots and the refusals with file, key and reason', async () => {
  const list = (await daemon().get('/api/scenes')).json()
  expect(list).toMatchObject({
    total: 2,
    scenes: [
      {
        scene_id: 'lineloss',
        ability_id: 'scene.lineloss',
        manifest: 'skills/lineloss/scene.toml',
        params: [
          { name: 'org', resolver: 'dictionary_entity', required: true, examples: ['兰州', '天水'] },
          { name: 'period', resolver: 'month_week_period' },
        ],
      },
      { scene_id: 'other', manifest: 'other/scene.toml', root: join(daemon().home, 'more') },
    ],
    refusals: [
      {
        root: join(daemon().home, 'more'),
        manifest: 'broken/scene.toml',
        scene_id: 'broken',
        file: 'scene.toml',
        key: 'manifest.schema_version',
        reason: 'is "9", and this daemon reads "1"',
      },
    ],
    roots: [daemon().home, join(daemon().home, 'more')],
  })
  const second = (await daemon().get('/api/scenes?page=2&page_size=1')).json()
  expect(second).toMatchObject({ total: 2, scenes: [{ scene_id: 'other' }] })
})

test('one scene has its manifest and its script', async () => {
  expect((await daemon().get('/api/scenes/lineloss')).json()).toMatchObject({
    scene: { scene_id: 'lineloss', version: '1.0.0' },
    manifest: { manifest: { schema_version: '1' }, deterministic: { suffix: '。。。' } },
    script: 'scripts/collect.js',
  })
  expect((await daemon().get('/api/scenes/none')).json()).toMatchObject({ error: { code: 'SCENE_NOT_FOUND' } })
  expect((await daemon().get('/api/scenes/broken')).json()).toMatchObject({
    error: { code: 'SCENE_REFUSED', details: { refusals: [{ key: 'manifest.schema_version' }] } },
  })
})

test('a dispatch returns a plan by the clock and the time zone, and leaves nothing behind', async () => {
  const before = daemon().events().length
  const body = { instruction: '兰州公司 上月 线损。。。', page: { title: 'any' } }
  const reply = (await daemon().post('/api/scenes/dispatch', body)).json()
  expect(reply).toMatchObject({
    planned_at: '2026-03-18T04:00:00.000Z',
    dispatch: {
      outcome: 'plan',
      plan: { scene_id: 'lineloss', args: { org_code: '62401', period: { start: '2026-02-01', end: '2026-02-28' } } },
    },
  })
  expect(daemon().events()).toHaveLength(before)
  expect((await daemon().post('/api/scenes/dispatch', { instruction: '线损' })).json()).toMatchObject({
    dispatch: { outcome: 'not_deterministic' },
  })
})

test('an instruction that is empty or too long is refused', async () => {
  for (const instruction of ['', 'x'.repeat(1001)]) {
    expect((await daemon().post('/api/scenes/dispatch', { instruction })).statusCode).toBe(400)
  }
})
