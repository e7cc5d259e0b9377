import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addAbility } from '../abilities/ability-rows.ts'
import { createTempFolder, startWithRoots, writeRegistry, writeSkill } from './skill-roots.ts'

test('the generated indexes are resources with their hash as ETag, without the skills of others', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.test.own'), writeSkill(root, 'com.test.shared')])
  const daemon = await startWithRoots([root])
  const query = `?root=${encodeURIComponent(root)}`
  const missing = await daemon.get(`/api/skills/indexes/manifest.json${query}`)
  expect(missing.statusCode).toBe(404)
  const written = await daemon.post('/api/skills/indexes', { root })
  expect(written.statusCode, written.body).toBe(200)

  const manifest = await daemon.get(`/api/skills/indexes/manifest.json${query}`)
  expect(manifest.body).toBe(readFileSync(join(root, 'skills', 'generated', 'manifest.json'), 'utf8'))
  const { artifacts, shards } = manifest.json<{
    artifacts: { minIndex: { sha256: string } }
    shards: { byApp: { applicationId: string; sha256: string }[]; byPrefix: { prefix: string; sha256: string }[] }
  }>()
  const small = await daemon.get(`/api/skills/indexes/skills-index.min.json${query}`)
  expect(small.headers['etag']).toBe(`"${artifacts.minIndex.sha256}"`)
  const headers = { 'if-none-match': String(small.headers['etag']) }
  const again = await daemon.request({
    method: 'GET',
    url: `/api/skills/indexes/skills-index.min.json${query}`,
    headers,
  })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  const lines = await daemon.get(`/api/skills/indexes/skills-index.jsonl${query}`)
  expect(lines.body.trim().split('\n')).toHaveLength(2)
  for (const { applicationId, sha256 } of shards.byApp) {
    const shard = await daemon.get(`/api/skills/indexes/by-app/${applicationId}${query}`)
    expect(createHash('sha256').update(shard.body).digest('hex')).toBe(sha256)
  }
  for (const { prefix, sha256 } of shards.byPrefix) {
    const shard = await daemon.get(`/api/skills/indexes/by-prefix/${prefix}${query}`)
    expect(shard.headers['etag']).toBe(`"${sha256}"`)
  }

  await addAbility(daemon, { skill_slug: 'com.test.own', install_lane: 'experimental_private' })
  const stranger = await daemon.tokenFor('stranger', 'admin')
  const theirs = await daemon.get(`/api/skills/indexes/skills-index.jsonl${query}`, stranger)
  expect(theirs.body).not.toContain('com.test.own')
  expect(theirs.body).toContain('com.test.shared')
})
