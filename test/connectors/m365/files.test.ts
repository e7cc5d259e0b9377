import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCode } from '../connector-kit.ts'
import { OWN_DRIVE, SITE_DRIVE, SITE_ID } from './graph-state.ts'
import { callFamily, readFamily, shareM365 } from './m365-kit.ts'

const shared = shareM365()
const ref = (id: string): string => `m365:${SITE_DRIVE}:${id}`
const contentUrl = (contentRef: unknown): string => `/api/capabilities/connectors/contents/${String(contentRef)}`

test('search asks files and sites, mail and people in one batch, and takes hits of each in turn', async () => {
  const server = shared()
  server.graph.requests.length = 0
  const { result } = await readFamily(server, 'search', { query: 'roof' })
  expect(result).toMatchObject({
    operation_family: 'search',
    hits: [
      { source_kind: 'file', hit_id: ref('doc-1'), title: 'roof-plan-1.txt' },
      { source_kind: 'mail', hit_id: 'msg-1', title: 'Roof offer' },
      { source_kind: 'person', hit_id: 'person-1', title: 'Roof Person' },
      { source_kind: 'file', hit_id: ref('doc-2'), modified_at: '2026-02-05T08:00:00.123Z' },
      { source_kind: 'mail' },
      { source_kind: 'site', hit_id: SITE_ID, title: 'Roof' },
      { source_kind: 'mail' },
      { source_kind: 'mail' },
    ],
  })
  expect(server.graph.requests).toEqual(['POST /$batch', ...Array<string>(3).fill('POST /search/query')])
})

test('a search for one kind is one request without a batch, and is cut at its maximum', async () => {
  const server = shared()
  server.graph.requests.length = 0
  const { result } = await readFamily(server, 'search', { query: 'roof', entity_filters: ['files'], max_results: 1 })
  expect(result).toMatchObject({ hits: [{ source_kind: 'file' }] })
  expect(server.graph.requests).toEqual(['POST /search/query'])
})

test('sharepoint_list_documents follows pages, leaves folders out and knows sites by id and by path', async () => {
  const server = shared()
  const documents = [
    { document_ref: ref('doc-1'), title: 'roof-plan-1.txt', modified_at: '2026-01-05T08:00:00.000Z' },
    { document_ref: ref('doc-2'), url: 'https://contoso.sharepoint.com/roof-plan-2.docx' },
    { document_ref: ref('doc-3') },
  ]
  for (const site_ref of [SITE_ID, 'contoso.sharepoint.com:/sites/roof']) {
    server.graph.requests.length = 0
    const { result } = await readFamily(server, 'sharepoint_list_documents', { site_ref })
    expect(result).toMatchObject({ documents })
    expect(server.graph.requests).toHaveLength(2)
  }
  const inFolder = { site_ref: SITE_ID, folder_ref: ref('folder-1') }
  expect((await readFamily(server, 'sharepoint_list_documents', inFolder)).result).toMatchObject({
    documents: [{ document_ref: ref('doc-4') }],
  })
  const first = { site_ref: SITE_ID, drive_ref: SITE_DRIVE, max_results: 1 }
  expect((await readFamily(server, 'sharepoint_list_documents', first)).result).toMatchObject({
    documents: [{ document_ref: ref('doc-1') }],
  })
})

test.each(['../../me/messages', 'contoso.sharepoint.com:/sites/../me', 'a/b', '.', 'host:path', 'a:/b:/c'])(
  'the site reference %s is refused before anything is sent',
  async (site_ref) => {
    const server = shared()
    const { requests } = server.graph
    requests.length = 0
    const reply = await callFamily(server, 'sharepoint_list_documents', { site_ref })
    expect(reply.json()).toMatchObject({ status: 'failed', error_code: 'graph_invalid_request' })
    expect(requests).toEqual([])
  },
)

test('onedrive_fetch_file names a file, and stores its content for its owner if asked', async () => {
  const server = shared()
  const { daemon, graph } = server
  const facts = await readFamily(server, 'onedrive_fetch_file', { drive_item_ref: 'own-1' })
  expect(facts.result).toEqual({
    operation_family: 'onedrive_fetch_file',
    document_ref: `m365:${OWN_DRIVE}:own-1`,
    file_name: 'notes.txt',
    download_url: expect.stringContaining('/download/'),
  })
  const stored = await readFamily(server, 'onedrive_fetch_file', { drive_item_ref: 'own-1', include_content: true })
  expect(stored.result).not.toHaveProperty('download_url')
  expect(graph.downloaded['authorization']).toBeUndefined()
  const { content_ref } = stored.result as { content_ref?: string }
  const reply = await daemon.get(contentUrl(content_ref))
  expect([reply.statusCode, reply.body]).toEqual([200, 'my notes'])
  expect(reply.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''notes.txt",
  })
  const digest = createHash('sha256').update('my notes').digest('hex')
  expect(existsSync(join(daemon.home, 'connector-files', digest.slice(0, 2), digest))).toBe(true)
  const other = await daemon.get(contentUrl(content_ref), await daemon.tokenFor('ben'))
  expect(readCode(other)).toBe('CONNECTOR_CONTENT_NOT_FOUND')
})

test('a file that is larger than any answer is downloaded into an artifact, piece by piece', async () => {
  const { daemon, graph, ...server } = shared()
  const content = Buffer.alloc(24 << 20, 'a page of a large drawing ')
  const name = 'drawing.dwg'
  graph.state.drives[OWN_DRIVE]?.push({
    id: 'large',
    name,
    parent_id: 'root',
    content,
    modified: '2026-02-01T08:00:00Z',
  })
  const given = { drive_item_ref: 'large', include_content: true }
  const { result } = await readFamily({ daemon, graph, ...server }, 'onedrive_fetch_file', given)
  const { content_ref } = result as { content_ref?: string }
  const reply = await daemon.get(contentUrl(content_ref))
  expect(reply.headers).toMatchObject({ 'content-length': String(content.length) })
  expect(reply.rawPayload.equals(content)).toBe(true)
  const digest = createHash('sha256').update(content).digest('hex')
  expect(existsSync(join(daemon.home, 'connector-files', digest.slice(0, 2), digest))).toBe(true)
})

test('what Graph does not know is an answer and not a fault of the server', async () => {
  const server = shared()
  for (let n = 0; n < 4; n += 1) {
    const reply = await callFamily(server, 'onedrive_fetch_file', { drive_item_ref: 'missing' })
    expect(reply.json()).toMatchObject({
      status: 'failed',
      error_code: 'graph_not_found',
      error_message: 'Microsoft Graph does not know what the request names. (itemNotFound)',
      result: { is_error: true, structured_content: { status: 'failed', error_code: 'graph_not_found' } },
    })
    expect(reply.body).not.toContain('A text of the server')
  }
  const health = await server.daemon.get(`/api/mcp/servers/${server.server_id}/health`)
  expect(health.json()).toMatchObject({ health_status: 'healthy', failure_count_rolling: 0 })
})

test('word_fetch_content reads the text of a document as it is now, and counts its comments', async () => {
  const server = shared()
  const plain = await readFamily(server, 'word_fetch_content', { document_ref: ref('doc-2') })
  expect(plain.result).toMatchObject({ document_ref: ref('doc-2'), comment_count: 0 })
  const { result } = await readFamily(server, 'word_fetch_content', {
    document_ref: ref('doc-2'),
    include_comments: true,
  })
  expect(result).toMatchObject({ comment_count: 2 })
  const text = await server.daemon.get(contentUrl((result as { content_ref?: string }).content_ref))
  expect(text.body).toBe('The roof\t is <red>.\nIt leaks.\nDrawn once.')
})

test('word_fetch_comments lists comments, and refuses what is not a Word document', async () => {
  const server = shared()
  const { result } = await readFamily(server, 'word_fetch_comments', { document_ref: ref('doc-2') })
  expect(result).toEqual({
    operation_family: 'word_fetch_comments',
    document_ref: ref('doc-2'),
    comments: [
      { comment_id: '0', author: 'Ben', created_at: '2026-02-05T09:00:00.000Z', preview: 'Which red?' },
      { comment_id: '1', author: 'Cleo', preview: 'Since when?' },
    ],
  })
  const one = await readFamily(server, 'word_fetch_comments', { document_ref: ref('doc-2'), max_results: 1 })
  expect(one.result).toMatchObject({ comments: [{ comment_id: '0' }] })
  const reply = await callFamily(server, 'word_fetch_comments', { document_ref: ref('doc-1') })
  expect(reply.json()).toMatchObject({ error_code: 'graph_invalid_request' })
})

test('project_get_latest_document asks the places of the project first, and the search if nothing is there', async () => {
  const server = shared()
  const { daemon, graph } = server
  const bind = (project_id: string, refs: object) =>
    daemon.request({
      method: 'PUT',
      url: `/api/projects/bindings/${project_id}`,
      payload: { source_of_truth: 'sharepoint', ambiguity_policy: 'require_disambiguation', ...refs },
    })
  const find = async (given: object) => (await readFamily(server, 'project_get_latest_document', given)).result
  await bind('p-site', { sharepoint_refs: [SITE_ID], aliases: ['The hall'] })
  graph.requests.length = 0
  expect(await find({ project_id: 'p-site' })).toMatchObject({
    document_ref: ref('doc-3'),
    resolved_via: 'project_binding',
  })
  expect(graph.requests.filter((one) => one.includes('search'))).toEqual([])
  expect(await find({ project_id: 'The hall', title_hint: 'roof plan' })).toMatchObject({
    project_id: 'The hall',
    document_ref: ref('doc-2'),
    resolved_via: 'project_binding',
  })
  await bind('p-folder', { onedrive_refs: [ref('folder-1')], sharepoint_refs: ['gone.sharepoint.com:/sites/x'] })
  expect(await find({ project_id: 'p-folder' })).toMatchObject({ document_ref: ref('doc-4') })
  await bind('p-library', { sharepoint_refs: [SITE_DRIVE] })
  expect(await find({ project_id: 'p-library' })).toMatchObject({ document_ref: ref('doc-3') })
  await bind('roof', { sharepoint_refs: ['gone.sharepoint.com,1,2'] })
  expect(await find({ project_id: 'roof' })).toMatchObject({ resolved_via: 'connector_search' })
})

test('project_get_latest_document finds the newest document by a search, or says that there is none', async () => {
  const server = shared()
  const find = async (given: object) => (await readFamily(server, 'project_get_latest_document', given)).result
  expect(await find({ project_id: 'roof' })).toEqual({
    operation_family: 'project_get_latest_document',
    project_id: 'roof',
    document_ref: ref('doc-2'),
    resolved_via: 'connector_search',
  })
  expect(await find({ project_id: 'roof', title_hint: 'plan-1' })).toMatchObject({ document_ref: ref('doc-1') })
  expect(await find({ project_id: 'cellar' })).toEqual({
    operation_family: 'project_get_latest_document',
    project_id: 'cellar',
    resolved_via: 'none',
  })
})
