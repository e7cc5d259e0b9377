import { expect, test, vi } from 'vitest'
import type { AcrobatOperation } from '@apprentice/contracts/documents/adapter.ts'
import { commandContext, systemActor } from '../../src/domain/command/context.ts'
import { decideApproval } from '../../src/domain/connectors/approvals.ts'
import { approve, decide, listPending } from '../connectors/call-kit.ts'
import { type Daemon, shareDaemon, startDaemon } from '../kit/daemon.ts'
import { addDocument, operate, readCode, readDetails, readDocument, runOperation } from './document-kit.ts'
import { makePdf, makePicture } from './make-pdf.ts'

interface Overlay {
  proposals: { page: number; kind: string; boxes: { x0: number; x1: number; y0: number }[]; text_hash: string }[]
}

const PDF = await makePdf((pen) => {
  pen.write('Write to ada@example.org or +49 30 1234567.', 50, 50)
  pen.write('Account DE89 3704 0044 0532 0130 00 of Ada Lovelace', 50, 80)
  pen.write('Order 4111 1111 1111 1112 has a wrong number.', 50, 110)
})
const PATTERNS = ['email', 'phone', 'iban', 'card', 'name:Ada Lovelace']

const read = async (daemon: Daemon, id: string): Promise<AcrobatOperation> =>
  (await daemon.get(`/api/adapters/acrobat/operations/${id}`)).json<AcrobatOperation>()

const waitForEnd = (daemon: Daemon, id: string): Promise<AcrobatOperation> =>
  vi.waitUntil(
    async () => {
      const found = await read(daemon, id)
      return found.completed_at === undefined ? undefined : found
    },
    { timeout: 60_000 },
  )

const listOutputs = async (daemon: Daemon): Promise<number> =>
  (await daemon.get('/api/documents?kind=output')).json<{ total: number }>().total

async function askToRedact(daemon: Daemon, ref: string, more: object = {}): Promise<string> {
  const reply = await operate(daemon, 'redaction_prep', ref, { pattern_set: PATTERNS, ...more })
  expect([reply.statusCode, readCode(reply)]).toEqual([403, 'ACROBAT_REDACTION_PREP_REQUIRES_APPROVAL'])
  return readDetails(reply)['dispatch_id'] ?? ''
}

const shared = shareDaemon()

test('acrobat_redaction_prep_ask_first: nothing is read until a person approves, and then it is read once', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF, { metadata: { data_class: 'public' } })
  // Not even a decision that lets the tool write without asking lifts this.
  const target = { target_kind: 'tool', server_id: 'acrobat', tool_name: 'redaction_prep' }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  const id = await askToRedact(daemon, document_ref, { why_needed: 'To send it out.' })
  const [pending] = await listPending(daemon)
  expect(pending).toMatchObject({
    dispatch_id: id,
    server_id: 'acrobat',
    provider: 'acrobat',
    tool_name: 'redaction_prep',
    status: 'pending',
    data_class: 'public',
    why_needed: 'To send it out.',
    effective_policy_target: target,
  })
  // The patterns name a person.
  expect(JSON.stringify(pending)).not.toContain('Lovelace')
  expect(await read(daemon, id)).toMatchObject({ status: 'blocked', state: 'waiting_for_approval', warning_codes: [] })
  expect(await listOutputs(daemon)).toBe(0)

  expect(await approve(daemon, id)).toMatchObject({ resumed: true })
  const done = await waitForEnd(daemon, id)
  expect(done).toMatchObject({ operation_id: id, status: 'ok', correlation_id: pending?.correlation_id })
  const { proposals } = (await readDocument(daemon, done.output_ref ?? '')).json<Overlay>()
  expect(proposals.map(({ kind }) => kind).toSorted()).toEqual(['email', 'iban', 'name', 'phone'])
  expect(proposals.find(({ kind }) => kind === 'email')?.boxes[0]?.y0).toBeCloseTo(51, -1)
  const receipts = (await daemon.get('/api/capabilities/receipts')).json<{ receipts: object[] }>().receipts
  expect(receipts).toMatchObject([
    {
      receipt_id: done.receipt_id,
      capability_id: 'acrobat.redaction_prep',
      approval_mode: 'ask_first',
      result: 'success',
      correlation_id: pending?.correlation_id,
    },
  ])
  await approve(daemon, id)
  expect([await listOutputs(daemon), (await read(daemon, id)).output_ref]).toEqual([1, done.output_ref])
})

test('a proposal contains neither the texts nor what would lead to them, and the document stays as it is', async () => {
  const daemon = shared()
  const { document_ref, content_hash_sha256 } = await addDocument(daemon, PDF)
  const ids = [await askToRedact(daemon, document_ref), await askToRedact(daemon, document_ref)]
  const hashes: string[] = []
  for (const id of ids) {
    await approve(daemon, id)
    const { output_ref = '' } = await waitForEnd(daemon, id)
    const overlay = await readDocument(daemon, output_ref)
    for (const text of ['ada@', 'Ada', 'example', '1234567.', '3704 0044', 'Lovelace'])
      expect(overlay.body).not.toContain(text)
    hashes.push(overlay.json<Overlay>().proposals[0]?.text_hash ?? '')
  }
  // The same text has another hash in another proposal, so that it cannot be tried out.
  expect(hashes[0]).toMatch(/^[0-9a-f]{12}$/)
  expect(hashes[0]).not.toBe(hashes[1])
  expect((await daemon.get(`/api/documents/${document_ref}`)).json()).toMatchObject({ content_hash_sha256 })
  expect((await readDocument(daemon, document_ref)).rawPayload.equals(PDF)).toBe(true)
})

test('pages that are pictures are searched too', async () => {
  const daemon = shared()
  const pdf = await makePdf((pen) => pen.picture(makePicture(['Contact ada@example.org', 'Nothing here'])))
  const { document_ref } = await addDocument(daemon, pdf)
  const id = await askToRedact(daemon, document_ref, { pattern_set: ['email', 'term:nothing here'] })
  await approve(daemon, id)
  const done = await waitForEnd(daemon, id)
  expect(done.warning_codes).toEqual(['OCR_USED'])
  const { proposals } = (await readDocument(daemon, done.output_ref ?? '')).json<Overlay>()
  expect(proposals.map(({ kind, page }) => [kind, page])).toEqual([
    ['email', 1],
    ['term', 1],
  ])
  // In points of the page: the picture has 1240 points for its 595.
  expect(proposals[0]?.boxes[0]?.x1).toBeLessThan(595)
})

test('41. a denied redaction never runs, and an approved one resumes once', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref, { client_request_id: 'one' })
  expect((await decide(daemon, id, 'deny')).json()).toMatchObject({ resumed: false })
  expect(await read(daemon, id)).toMatchObject({ status: 'blocked', state: 'denied', error_code: 'ask_first_denied' })
  expect(readCode(await decide(daemon, id))).toBe('MCP_ASK_FIRST_ALREADY_DECIDED')
  // A repeated request finds the denied operation and does not ask again.
  const again = await operate(daemon, 'redaction_prep', document_ref, {
    pattern_set: PATTERNS,
    client_request_id: 'one',
  })
  expect([again.statusCode, again.json<AcrobatOperation>().status]).toEqual([200, 'blocked'])
  expect(await listPending(daemon)).toEqual([])
  const receipts = (await daemon.get('/api/capabilities/receipts')).json<{ receipts: object[] }>().receipts
  const { receipt_id } = await read(daemon, id)
  expect(receipt_id).toBeDefined()
  expect(receipts).toMatchObject([{ receipt_id, capability_id: 'acrobat.redaction_prep', result: 'denied' }])
  expect(await listOutputs(daemon)).toBe(0)
})

test('an operation that nobody decides about expires and is blocked', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref)
  daemon.clock.advance(15 * 60_000)
  await daemon.system.sweeper.sweepNow()
  expect(await read(daemon, id)).toMatchObject({ status: 'blocked', state: 'expired' })
  expect(readCode(await decide(daemon, id))).toBe('MCP_ASK_FIRST_EXPIRED')
  expect(await listOutputs(daemon)).toBe(0)
})

test('an approval for a session lets the same request through, and no other session', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref, { session_ref: 'one' })
  await approve(daemon, id, 'approve_for_session')
  await waitForEnd(daemon, id)
  const repeated = { pattern_set: PATTERNS, session_ref: 'one' }
  expect((await operate(daemon, 'redaction_prep', document_ref, repeated)).json()).toMatchObject({ status: 'ok' })
  await askToRedact(daemon, document_ref, { session_ref: 'two' })
})

test.each([
  ['public', true],
  ['internal', true],
  ['confidential', false],
  ['privileged', false],
  ['unknown', false],
  [undefined, false],
])('a document of class %s is read without asking: %s', async (data_class, isOpen) => {
  const daemon = shared()
  const { document_ref } = await addDocument(daemon, PDF, { metadata: { ...(data_class && { data_class }) } })
  const reply = await operate(daemon, 'extract_text', document_ref)
  expect(reply.statusCode).toBe(isOpen ? 200 : 403)
  if (isOpen) return
  expect(readCode(reply)).toBe('MCP_ASK_FIRST_REQUIRED')
  await approve(daemon, readDetails(reply)['dispatch_id'] ?? '')
  const done = await waitForEnd(daemon, readDetails(reply)['dispatch_id'] ?? '')
  expect(done.status).toBe('ok')
  // What was read is as sensitive as the document.
  expect((await daemon.get(`/api/documents/${done.output_ref}`)).json()).toMatchObject({
    data_class: data_class ?? 'unknown',
  })
})

test('a policy that switches the adapter off refuses, also what was approved before', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref)
  const target = { target_kind: 'provider', provider: 'acrobat' }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect(readCode(await operate(daemon, 'extract_text', document_ref))).toBe('MCP_POLICY_DENIED')
  await approve(daemon, id)
  expect(await waitForEnd(daemon, id)).toMatchObject({ status: 'failed', error_code: 'MCP_POLICY_DENIED' })
  expect(await listOutputs(daemon)).toBe(0)
})

test('a document that waits for a decision cannot be deleted, and a withdrawn operation does not run', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref)
  expect(readCode(await daemon.delete(`/api/documents/${document_ref}`))).toBe('DOCUMENT_IN_USE')
  const ben = await daemon.tokenFor('ben')
  const cancel = `/api/adapters/acrobat/operations/${id}/cancel`
  expect(readCode(await daemon.post(cancel, {}, ben))).toBe('ACROBAT_OPERATION_NOT_FOUND')
  expect((await daemon.post(cancel, {})).json()).toMatchObject({ status: 'blocked', state: 'cancelled' })
  expect(readCode(await decide(daemon, id))).toBe('MCP_ASK_FIRST_ALREADY_DECIDED')
  expect((await daemon.delete(`/api/documents/${document_ref}`)).statusCode).toBe(200)
  expect(await listOutputs(daemon)).toBe(0)
})

test('an operation that was approved right before the daemon ended runs once after the next start', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF)
  const id = await askToRedact(daemon, document_ref)
  // The jobs are stopped, so the decision is committed and nothing takes up the operation.
  await daemon.system.jobs.stop()
  const { store, clock, newId } = daemon.system
  await store.write((tx) =>
    decideApproval(commandContext(tx, { clock, newId }, systemActor('local'), newId()), id, {
      decision: 'approve_once',
    }),
  )
  await daemon.stop()
  const second = await startDaemon({ home: daemon.home })
  const done = await waitForEnd(second, id)
  expect(done).toMatchObject({ status: 'ok' })
  await second.stop()
  const third = await startDaemon({ home: daemon.home })
  expect(await read(third, id)).toEqual(done)
  expect(await listOutputs(third)).toBe(1)
})

test('an operation that a stop interrupts runs again after the next start, and records its outputs once', async () => {
  const daemon = await startDaemon()
  const pdf = await makePdf((pen) =>
    pen.picture(makePicture(Array.from({ length: 15 }, () => 'A line of a scanned page'))),
  )
  const { document_ref } = await addDocument(daemon, pdf)
  const asking = operate(daemon, 'ocr', document_ref).catch(() => undefined)
  const id = await vi.waitUntil(
    async () => {
      const { operations } = (await daemon.get('/api/adapters/acrobat/operations')).json<{
        operations: AcrobatOperation[]
      }>()
      return operations.find(({ state }) => state === 'running')?.operation_id
    },
    { timeout: 60_000 },
  )
  await daemon.stop()
  await asking
  const next = await startDaemon({ home: daemon.home })
  expect(await waitForEnd(next, id)).toMatchObject({ status: 'ok', operation_id: id })
  expect(await listOutputs(next)).toBe(2)
})

test('a repeated request is one operation', async () => {
  const daemon = shared()
  const { document_ref } = await addDocument(daemon, PDF)
  const first = await runOperation(daemon, 'extract_text', document_ref, { client_request_id: 'same' })
  const second = await runOperation(daemon, 'extract_text', document_ref, { client_request_id: 'same' })
  expect(second.operation_id).toBe(first.operation_id)
})
