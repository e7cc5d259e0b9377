import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { buildBundle } from './zip-builder.ts'
import { listReportCodes, uploadAndScan } from './import-kit.ts'

const URL = '/api/skills/import/override-findings'
const REASON = 'The script was read; it asks for a password once.'

test('an administrator overrides a heuristic finding with a reason, and the bundle can be staged', async () => {
  const daemon = await startDaemon()
  const script = { name: 'scripts/setup.sh', content: '#!/bin/sh\nsudo apt list # json\n' }
  const found = await uploadAndScan(daemon, [...buildBundle(), script])
  expect(listReportCodes(found)).toContain('SCRIPT_PRIVILEGE_ESCALATION')
  const { import_id } = found.import_record
  const codes = ['SCRIPT_PRIVILEGE_ESCALATION']
  expect((await daemon.post('/api/skills/import/stage', { import_id })).json()).toMatchObject({
    error: { code: 'SKILL_IMPORT_NOT_COMPATIBLE' },
  })

  const structural = await daemon.post(URL, { import_id, codes: ['LICENSE_MISSING'], reason: REASON })
  expect([structural.statusCode, structural.json()]).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }])
  const without = await daemon.post(URL, { import_id, codes, reason: ' ' })
  expect(without.statusCode).toBe(400)

  const unprivileged = await daemon.post(
    URL,
    { import_id, codes, reason: REASON },
    await daemon.tokenFor('local', 'write'),
  )
  expect([unprivileged.statusCode, unprivileged.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])

  const done = await daemon.post(URL, { import_id, codes, reason: REASON })
  expect(done.statusCode, done.body).toBe(200)
  const { compatibility_report: report, receipt_id } = done.json<{
    compatibility_report: { compatible: boolean; findings: { code: string; override?: object }[] }
    receipt_id: string
  }>()
  expect(report.compatible).toBe(true)
  expect(report.findings.find(({ code }) => code === codes[0])?.override).toMatchObject({ reason: REASON })
  const { receipts } = (await daemon.get('/api/learn/receipts')).json<{ receipts: { receipt_id: string }[] }>()
  expect(receipts.find((one) => one.receipt_id === receipt_id)).toMatchObject({ reason: REASON })

  const staged = await daemon.post('/api/skills/import/stage', { import_id })
  expect(staged.statusCode, staged.body).toBe(200)
  expect((await daemon.post(URL, { import_id, codes, reason: REASON })).json()).toMatchObject({
    error: { code: 'SKILL_IMPORT_INVALID_STATE' },
  })
})
