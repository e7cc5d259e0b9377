import { delimiter } from 'node:path'
import { expect, test } from 'vitest'
import type { AdapterHealth } from '@apprentice/contracts/documents/adapter.ts'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { patch } from '../connectors/connector-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { startWithPath, startWithPrograms } from './chosen-programs.ts'
import { addDocument, operate, readCode, readDetails, runOperation } from './document-kit.ts'
import { makePdf, makePicture } from './make-pdf.ts'

const PDF = await makePdf((pen) => pen.write('Some text', 50, 50))
const ALL = ['extract_text', 'extract_tables', 'ocr', 'redaction_prep'] as const

const readHealth = async (daemon: Daemon) => (await daemon.get('/api/adapters/acrobat/health')).json<AdapterHealth>()

async function readServer(daemon: Daemon): Promise<ServerListItem | undefined> {
  const { servers } = (await daemon.get('/api/mcp/servers')).json<{ servers: ServerListItem[] }>()
  return servers.find(({ registry }) => registry.server_id === 'acrobat')
}

test('with all programs the adapter is healthy and is listed as a connector', async () => {
  const daemon = await startDaemon()
  const health = await readHealth(daemon)
  expect(health).toMatchObject({ adapter_state: 'healthy', supported_capabilities: ALL })
  expect(health.reason_code).toBeUndefined()
  expect(health.ocr_languages).toEqual(expect.arrayContaining(['deu', 'eng']))
  expect(health.ocr_languages).not.toContain('osd')
  const server = await readServer(daemon)
  expect(server).toMatchObject({
    registry: { provider: 'acrobat', server_id: 'acrobat', transport: 'local_bridge', supported_tools: ALL },
    health: { health_status: 'healthy' },
    auth: { auth_state: 'healthy' },
    badge_states: ['connected'],
  })
  expect(server?.registry.auth_profile_id).toBeUndefined()
  expect(server?.available_actions).toEqual(['edit', 'policy_update'])
})

test('acrobat_health_blocks_buttons: without programs every action is refused, and the connector is degraded', async () => {
  const { daemon } = await startWithPrograms()
  expect(await readHealth(daemon)).toMatchObject({
    adapter_state: 'missing',
    supported_capabilities: [],
    reason_code: 'adapter_missing',
  })
  expect(await readServer(daemon)).toMatchObject({
    health: { health_status: 'degraded', health_reason_code: 'adapter_missing' },
    badge_states: ['degraded'],
  })
  const { document_ref } = await addDocument(daemon, PDF)
  for (const capability of ALL) {
    const body = capability === 'redaction_prep' ? { pattern_set: ['email'] } : {}
    const reply = await operate(daemon, capability, document_ref, body)
    expect([reply.statusCode, readCode(reply)]).toEqual([503, 'ACROBAT_UNAVAILABLE'])
    expect(reply.json()).toMatchObject({ error: { retryable: true, details: { adapter_state: 'missing' } } })
  }
  expect((await daemon.get('/api/adapters/acrobat/operations')).json()).toMatchObject({ operations: [] })
})

test('without OCR the others work and say so, and programs that are installed later are found', async () => {
  const { daemon, install } = await startWithPrograms('pdfinfo', 'pdftotext', 'pdftoppm')
  expect(await readHealth(daemon)).toMatchObject({
    adapter_state: 'degraded',
    supported_capabilities: ['extract_text', 'extract_tables', 'redaction_prep'],
    reason_code: 'tesseract_missing',
    ocr_languages: [],
  })
  expect((await readServer(daemon))?.health.tool_health['ocr']).toMatchObject({ ok: false })
  const { document_ref } = await addDocument(daemon, PDF)
  const text = await runOperation(daemon, 'extract_text', document_ref, { ocr_fallback: true })
  expect(text).toMatchObject({ status: 'degraded', state: 'succeeded', warning_codes: ['OCR_FALLBACK_UNAVAILABLE'] })
  const reply = await operate(daemon, 'ocr', document_ref)
  expect([reply.statusCode, readCode(reply)]).toEqual([422, 'ACROBAT_OCR_UNSUPPORTED'])
  const picture = await addDocument(daemon, makePicture(['x']), { name: 'scan.png' })
  const none = await runOperation(daemon, 'extract_text', picture.document_ref)
  expect(none.warning_codes).toEqual(['PAGE_WITHOUT_TEXT'])

  install('tesseract')
  expect(await readHealth(daemon)).toMatchObject({ adapter_state: 'healthy' })
  expect((await readServer(daemon))?.health.health_status).toBe('healthy')
})

test('a missing program of one capability leaves the others', async () => {
  const { daemon } = await startWithPrograms('pdfinfo', 'pdftotext')
  expect(await readHealth(daemon)).toMatchObject({
    adapter_state: 'degraded',
    supported_capabilities: ['extract_text', 'redaction_prep'],
    reason_code: 'pdftoppm_missing',
  })
  const { document_ref } = await addDocument(daemon, PDF)
  expect(readCode(await operate(daemon, 'extract_tables', document_ref))).toBe('ACROBAT_UNAVAILABLE')
})

test('a disabled adapter refuses everything, and a capability can be switched off alone', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  await patch(daemon, '/api/mcp/servers/acrobat', { enabled: false })
  expect(await readHealth(daemon)).toMatchObject({ adapter_state: 'disabled', supported_capabilities: [] })
  const refused = await operate(daemon, 'extract_text', document_ref)
  expect([readCode(refused), readDetails(refused)['reason_code']]).toEqual(['ACROBAT_UNAVAILABLE', 'adapter_disabled'])
  expect((await readServer(daemon))?.badge_states).toContain('disabled')
  await patch(daemon, '/api/mcp/servers/acrobat', { enabled: true, supported_tools: ['extract_text'] })
  expect((await operate(daemon, 'extract_text', document_ref)).json()).toMatchObject({ status: 'degraded' })
  expect(readCode(await operate(daemon, 'extract_tables', document_ref))).toBe('ACROBAT_UNAVAILABLE')
})

test('the adapter is a part of the program: it cannot be removed or moved, and is not called like other servers', async () => {
  const daemon = await startDaemon()
  expect(readCode(await daemon.delete('/api/mcp/servers/acrobat'))).toBe('MCP_SERVER_DELETE_BLOCKED')
  const moved = await patch(daemon, '/api/mcp/servers/acrobat', { endpoint_url: 'https://notes.example/mcp' })
  expect(readCode(moved)).toBe('MCP_ENDPOINT_NOT_ALLOWED')
  const called = await daemon.post('/api/capabilities/connectors/call', { server_id: 'acrobat', tool_name: 'ocr' })
  expect(readCode(called)).toBe('INVALID_REQUEST')
  const test = await daemon.post('/api/mcp/servers/acrobat/smoke-test', { server_id: 'acrobat' })
  expect(readCode(test)).toBe('MCP_SERVER_NOT_ACTIVE_IN_BUILD')
  expect((await readServer(daemon))?.health.health_status).toBe('healthy')
})

test('the search path may have folders that do not exist', async () => {
  const daemon = await startWithPath(['/nowhere', '', 'relative', process.env['PATH'] ?? ''].join(delimiter))
  expect(await readHealth(daemon)).toMatchObject({ adapter_state: 'healthy' })
})

test('requests at the same time find the same programs', async () => {
  const daemon = await startDaemon()
  const found = await Promise.all(Array.from({ length: 8 }, () => readHealth(daemon)))
  expect(found.map(({ adapter_state }) => adapter_state)).toEqual(Array.from({ length: 8 }, () => 'healthy'))
})
