import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { buildBundle, buildZip } from './zip-builder.ts'
import {
  runCommand,
  listReportCodes,
  getDetail,
  runStep,
  readOutcome,
  scanUpload,
  uploadAndScan,
  importAndStage,
  upload,
} from './import-kit.ts'

const HOUR_MS = 3_600_000
const readState = async (daemon: Daemon, id: string) => (await getDetail(daemon, id)).import_record.stage_state
const listReceiptKinds = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts.map(({ receipt_kind }) => receipt_kind)
    .filter((kind) => kind.startsWith('skill_import.'))
    .toReversed()

test('an upload expires after 24 hours with a warning before, but not once it is ready for review', async () => {
  const daemon = await startDaemon()
  const review = await importAndStage(daemon, buildBundle('kept-one'))
  const [idle, scannedOnly, failed] = [
    await upload(daemon, buildBundle('idle-one')),
    await uploadAndScan(daemon, buildBundle('looked-at')),
    await uploadAndScan(daemon, [{ name: 'README.md', content: '# none' }]),
  ]
  const ids = [idle.import_id, scannedOnly.import_record.import_id, failed.import_record.import_id]
  daemon.clock.advance(22 * HOUR_MS + 1)
  for (const id of ids) expect((await getDetail(daemon, id)).warnings).toEqual(['upload_expiring_soon'])
  expect((await getDetail(daemon, review.import_id)).warnings).toEqual([])
  daemon.clock.advance(2 * HOUR_MS)
  const onAccess = await runCommand(daemon, 'stage', { import_id: ids[1] })
  expect(readOutcome(onAccess)).toBe('SKILL_IMPORT_UPLOAD_EXPIRED')
  expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_imports: 2 })
  for (const id of ids) expect(await readState(daemon, id)).toBe('expired')
  const { temp_artifact_ref } = idle.temp_artifact
  const late = await runCommand(daemon, 'scan', { source: 'manual_upload', temp_artifact_ref })
  expect(readOutcome(late)).toBe('SKILL_IMPORT_UPLOAD_EXPIRED')
  await expect.poll(() => existsSync(join(daemon.home, 'imports', 'tmp', temp_artifact_ref))).toBe(false)
  daemon.clock.advance(15 * 24 * HOUR_MS)
  await daemon.system.sweeper.sweepNow()
  expect(await readState(daemon, review.import_id)).toBe('ready_for_review')
  expect((await getDetail(daemon, review.import_id)).warnings).toEqual(['review_stale'])
  expect(listReceiptKinds(daemon).filter((kind) => kind === 'skill_import.expired')).toHaveLength(3)
})

test('deleting an upload is idempotent for a day and refused while a job reads it', async () => {
  const daemon = await startDaemon()
  const uploaded = await upload(daemon)
  const { temp_artifact_ref } = uploaded.temp_artifact
  const url = `/api/skills/import/uploads/${temp_artifact_ref}`
  const other = await daemon.tokenFor('mallory', 'admin')
  expect(readOutcome(await daemon.delete(url, other))).toBe('SKILL_IMPORT_UPLOAD_NOT_FOUND')
  for (const state of ['scanning', 'staging', 'install_queued']) {
    await daemon.system.store.write((tx) => {
      tx.db.prepare('UPDATE skill_imports SET stage_state = ?').run(state)
    })
    expect(readOutcome(await daemon.delete(url))).toBe('SKILL_IMPORT_UPLOAD_IN_USE')
  }
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE skill_imports SET stage_state = 'uploaded'`)
  })
  const first = await daemon.delete(url)
  expect(first.json()).toEqual({ deleted: true, temp_artifact_ref, schema_version: 1 })
  expect((await daemon.delete(url)).body).toBe(first.body)
  expect(await readState(daemon, uploaded.import_id)).toBe('discarded')
  await expect.poll(() => existsSync(join(daemon.home, 'imports', 'tmp', temp_artifact_ref))).toBe(false)
  daemon.clock.advance(25 * HOUR_MS)
  expect(readOutcome(await daemon.delete(url))).toBe('SKILL_IMPORT_UPLOAD_NOT_FOUND')
})

test('a scan interrupted by a restart has failed and can be retried', async () => {
  const daemon = await startDaemon()
  const uploaded = await upload(daemon)
  const { import_id } = uploaded
  const { home } = daemon
  await daemon.system.jobs.stop()
  const { temp_artifact_ref } = uploaded.temp_artifact
  await daemon.system.commands.command(
    {
      contract: { method: 'POST', url: 'x' },
      headers: {},
      body: {},
      params: {},
      query: {},
      caller: { user_id: 'local' },
      correlation_id: 'c',
    } as never,
    (given) => {
      given.tx.db
        .prepare(`UPDATE skill_imports SET stage_state = 'scanning', attempts = 1 WHERE temp_artifact_ref = ?`)
        .run(temp_artifact_ref)
      given.tx.db
        .prepare(
          `INSERT INTO jobs (job_id, kind, lane, state, priority, principal, payload, run_after, correlation_id, created_at, started_at)
           VALUES (?, 'skill_import.scan', 'skill_import', 'running', 0, 'local', ?, ?, 'c', ?, ?)`,
        )
        .run(`${import_id}:1`, JSON.stringify({ import_id }), given.now, given.now, given.now)
      return {}
    },
  )
  await daemon.stop()
  const next = await startDaemon({ home })
  expect((await getDetail(next, import_id)).import_record).toMatchObject({
    stage_state: 'scan_failed',
    last_error_code: 'INTERRUPTED',
  })
  const direct = await runCommand(next, 'scan', { source: 'manual_upload', temp_artifact_ref })
  expect(readOutcome(direct)).toBe('SKILL_IMPORT_INVALID_STATE')
  const retried = await runStep(next, 'retry', { import_id, retry_kind: 'scan' })
  expect(retried).toMatchObject({ stage_state: 'scan_complete', retry_count: 1 })
  rmSync(home, { recursive: true, force: true })
})

test('a retry with the same client_request_id is executed once', async () => {
  const daemon = await startDaemon()
  const { import_record } = await uploadAndScan(daemon, [{ name: 'README.md', content: '# none' }])
  const { import_id } = import_record
  expect(import_record).toMatchObject({
    stage_state: 'scan_failed',
    last_error_code: 'SKILL_MD_MISSING',
  })
  const body = { import_id, retry_kind: 'scan', client_request_id: 'again' }
  const [one, two] = [await runCommand(daemon, 'retry', body), await runCommand(daemon, 'retry', body)]
  expect(two.body).toBe(one.body)
  expect((await getDetail(daemon, import_id)).import_record.retry_counts).toEqual({
    scan: 1,
    stage: 0,
    install: 0,
  })
  for (let more = 0; more < 2; more += 1) await runStep(daemon, 'retry', { import_id, retry_kind: 'scan' })
  expect((await getDetail(daemon, import_id)).warnings).toEqual(['retry_limit_reached:scan'])
})

test('an open import session moves to review with its bundle', async () => {
  const daemon = await startDaemon()
  const made = await daemon.post('/api/learn/sessions', { entry_mode: 'import_skill' })
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const { import_id, proposal_id } = await importAndStage(daemon)
  expect(daemon.session(id)).toMatchObject({ state: 'ready_for_review', proposal_id })
  const detailed = await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
  expect(detailed.json()).toMatchObject({
    proposal: {
      learn_session_id: id,
      source_trace_ids: [import_id],
      proposal_state: 'ready_for_review',
    },
  })
  const receipts = daemon.system.store.read((reader) =>
    listReceipts(reader, 'local', { page: 1, page_size: 100, learn_session_id: id }),
  ).receipts
  const synthetic = receipts.filter(({ details }) => details['synthetic'] === true)
  expect(synthetic.map(({ receipt_kind }) => receipt_kind).toSorted()).toEqual([
    'learn.capture.started',
    'learn.capture.stopped',
    'learn.proposal.created',
  ])
  await runStep(daemon, 'install-private', { import_id })
  expect(daemon.session(id)?.state).toBe('installed_private')
})

test('blocked terms are findings, and reports and moves are projected', async () => {
  const daemon = await startDaemon()
  writeFileSync(join(daemon.home, 'blocked-terms.txt'), '# ours\nnightjar\n')
  const entries = [...buildBundle(), { name: 'references/a.md', content: 'Project Nightjar\n' }]
  const { import_record, compatibility_report } = await scanUpload(daemon, await upload(daemon, buildZip(entries)))
  expect(listReportCodes({ compatibility_report })).toContain('BLOCKED_TERM')
  await daemon.waitForProjections()
  const report = daemon.readProjection(`skills/imports/reports/${import_record.import_id}.json`)
  expect(JSON.parse(report ?? '{}')).toEqual(compatibility_report)
  const moves = (daemon.readProjection('skills/imports/import-events.jsonl') ?? '').trim().split('\n')
  expect(moves.map((line) => (JSON.parse(line) as { to_state: string }).to_state)).toEqual([
    'upload_pending',
    'uploaded',
    'scanning',
    'scan_complete',
  ])
  const current = daemon.readProjection('skills/imports/imports_current.json') ?? ''
  expect(JSON.parse(current)).toMatchObject({ imports: [{ stage_state: 'scan_complete' }] })
})

test('records of an older version are migrated, and their paths are not revealed', async () => {
  const daemon = await startDaemon()
  const { home } = daemon
  await daemon.stop()
  const states = {
    cancelled: 'discarded',
    needs_adapter: 'scan_complete',
    promoted_shared: 'approved',
    promoted: 'approved',
    scanned: 'scan_complete',
    staged: 'stage_failed',
    awaiting_review: 'stage_failed',
    approved_for_workspace: 'approved',
    lint_failed: 'scan_failed',
    failed: 'scan_failed',
    approved: 'approved',
    rejected: 'rejected',
    installed_private: 'installed_private',
    scanning: 'scan_failed',
    'something else': 'scan_failed',
  }
  const records = Object.keys(states).map((stage_state, at) => ({
    import_id: `00000000-0000-4000-8000-0000000000${String(at).padStart(2, '0')}`,
    stage_state,
    skill_name: `skill ${at}`,
    input_path: `/home/somebody/private/${at}.zip`,
  }))
  const file = join(home, 'imports', 'legacy-imports.json')
  mkdirSync(join(home, 'imports'), { recursive: true })
  writeFileSync(file, JSON.stringify([...records, 'nonsense', { import_id: 'x' }]))
  const next = await startDaemon({ home })
  for (const [at, [, expected]] of Object.entries(states).entries()) {
    const found = await getDetail(next, records[at]?.import_id ?? '')
    expect(found.import_record.stage_state).toBe(expected)
    expect(found.import_record.source_ref).toMatch(/^legacy:[0-9a-f]{8}$/)
    expect(found.warnings).toContain('migrated_from_legacy')
    expect(JSON.stringify(found)).not.toContain('/home/somebody')
  }
  const adapter = await getDetail(next, records[1]?.import_id ?? '')
  expect(adapter).toMatchObject({
    import_record: { requires_adapter: true },
    compatibility_report: { requires_adapter: true },
  })
  expect(adapter.compatibility_report?.findings.map(({ code }) => code)).toEqual(['ADAPTER_REQUIRED'])
  const unknown = await getDetail(next, records.at(-1)?.import_id ?? '')
  expect(unknown.import_record.last_error_code).toBe('UNKNOWN_LEGACY_STATE')
  const page = { page: 1, page_size: 100, receipt_kind: 'migration_backfill' }
  const receipts = next.system.store.read((reader) => listReceipts(reader, 'local', page))
  expect(receipts.total).toBe(records.length)
  expect([existsSync(file), existsSync(`${file}.migrated`)]).toEqual([false, true])
  expect(readFileSync(`${file}.migrated`, 'utf8')).toContain('nonsense')
  await next.stop()
  rmSync(home, { recursive: true, force: true })
})

test('missing files of an installed bundle are restored at the next start', async () => {
  const daemon = await startDaemon()
  const { home } = daemon
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  await daemon.stop()
  const picture = join(home, 'workspace', 'skills', 'tidy-notes', 'assets', 'picture.bin')
  rmSync(picture)
  const next = await startDaemon({ home })
  expect([...readFileSync(picture)]).toEqual([0, 1, 2, 3, 250, 251])
  expect(await readState(next, import_id)).toBe('installed_private')
  await next.stop()
  rmSync(home, { recursive: true, force: true })
})
