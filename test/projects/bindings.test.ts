import { expect, test } from 'vitest'
import type { ProjectSourceBinding } from '@apprentice/contracts/projects/bindings.ts'
import { findProject } from '../../src/domain/projects/bindings.ts'
import { shareDaemon } from '../kit/daemon.ts'

const daemon = shareDaemon()
const URL_OF = (id: string): string => `/api/projects/bindings/${encodeURIComponent(id)}`
const put = (id: string, payload: object, token?: string) =>
  daemon().request({ method: 'PUT', url: URL_OF(id), payload, ...(token === undefined ? {} : { token }) })

test('a binding is stored, replaced, listed and forgotten, and its change is recorded', async () => {
  const created = await put('P 17/a', { aliases: ['Harbour', 'Harbour'], source_of_truth: 'sharepoint' })
  expect(created.statusCode, created.body).toBe(200)
  expect(created.json()).toMatchObject({
    project_id: 'P 17/a',
    aliases: ['Harbour'],
    ambiguity_policy: 'use_room_context_then_prompt',
    schema_version: 1,
  })
  await put('P 17/a', { aliases: ['Bridge'], source_of_truth: 'mixed', ambiguity_policy: 'return_all' })
  expect((await daemon().get(URL_OF('P 17/a'))).json()).toMatchObject({
    aliases: ['Bridge'],
    source_of_truth: 'mixed',
    created_at: created.json<ProjectSourceBinding>().created_at,
  })
  expect((await daemon().get('/api/projects/bindings')).json()).toMatchObject({ total: 1, bindings: [{}] })
  expect((await daemon().delete(URL_OF('P 17/a'))).json()).toMatchObject({ deleted: true })
  expect((await daemon().get(URL_OF('P 17/a'))).json()).toMatchObject({ error: { code: 'PROJECT_BINDING_NOT_FOUND' } })
  const changes = daemon()
    .events()
    .filter(({ kind }) => kind === 'project.binding.changed')
  expect(changes.map(({ payload }) => payload['change'])).toEqual(['created', 'changed', 'deleted'])
})

test('fields and values of older clients are stored as their current counterparts', async () => {
  const stored = await put('old', {
    source_of_truth: 'onedrive_sharepoint',
    onedrive_root: '/drive/root',
    onedrive_refs: ['/drive/other'],
    sharepoint_site_id: 'site-1',
    sharepoint_library_id: 'library-1',
  })
  expect(stored.json()).toMatchObject({
    source_of_truth: 'mixed',
    onedrive_refs: ['/drive/root', '/drive/other'],
    sharepoint_refs: ['site-1', 'library-1'],
  })
  expect(stored.json()).not.toHaveProperty('onedrive_root')
  for (const source_of_truth of ['local_files', 'unknown']) {
    expect((await put('old', { source_of_truth })).json()).toMatchObject({ source_of_truth: 'core_project' })
  }
})

test.each(['status', 'deadline', 'client', 'matter', 'members'])(
  'what belongs to the project itself is refused: %s',
  async (field) => {
    const reply = await put('P-1', { source_of_truth: 'mixed', [field]: 'x' })
    expect([reply.statusCode, reply.json()]).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }])
  },
)

test('everybody reads bindings and only administrators change them', async () => {
  await put('shared', { source_of_truth: 'mixed' })
  const writer = await daemon().tokenFor('ada')
  expect((await daemon().get(URL_OF('shared'), writer)).statusCode).toBe(200)
  expect((await put('shared', { source_of_truth: 'mixed' }, writer)).statusCode).toBe(403)
  expect((await daemon().delete(URL_OF('shared'), writer)).statusCode).toBe(403)
})

test('tools find a project by its stored binding, and there is no route for that', async () => {
  await put('P-99', { aliases: ['Lighthouse'], source_of_truth: 'onedrive' })
  const found = daemon().system.store.read((reader) => findProject(reader, { query: 'the lighthouse' }))
  expect(found).toMatchObject({ resolution_state: 'resolved', project_id: 'P-99' })
  expect((await daemon().post('/api/mcp/project/resolve', { query: 'Lighthouse' })).statusCode).toBe(404)
})
