import type { z } from 'zod'
import type { SupportPackBinding } from '@apprentice/contracts/admin/intents.ts'
import type { ImportSource } from '@apprentice/contracts/skills/import-record.ts'
import type { Failure } from '../../failure/failure.ts'
import { listEnabledTriggers, listSkillNames } from '../../store/abilities/abilities-names.ts'
import { listBridgeEntries } from '../../store/capabilities/bridge.ts'
import { type ConfigDocument, listConfigDocuments } from '../../store/config/config-documents.ts'
import { findPack, listPackIds } from '../../store/skill-import/skill-packs.ts'
import { PACKS_FOLDER } from '../intents/document-names.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  findImport,
  findImportByUpload,
  type ImportRow,
  listNamespaces,
  wasImportedBefore,
} from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import type { ScanOutcome } from '../../knowledge/bundle-scan/bundle-scan.ts'
import { expireIfDue } from './expiry.ts'
import { queueImportJob, SCAN_JOB_KIND } from './import-jobs.ts'
import { invalidState } from './record/import-machine.ts'
import { moveImport, recordImportReceipt, formatImportSubject } from './record/import-record.ts'
import type { ScanDeps } from '../../knowledge/bundle-scan/scan-deps.ts'
import { uploadNotFound } from './record/uploads.ts'

/** Starts the scan of an upload, unless it was scanned or is being scanned. */
export function beginImportScan(
  ctx: CommandContext,
  { ref, source }: { ref: string; source: ImportSource },
): ImportRow | Failure {
  const row = findImportByUpload(ctx.tx, ref)
  if (row === undefined || row.owner_user_id !== ctx.actor.user_id) throw uploadNotFound(ref)
  const refused = expireIfDue(ctx, row)
  if (refused !== undefined) return refused
  if (row.stage_state === 'scanning' || row.stage_state === 'scan_complete') return row
  if (row.stage_state !== 'uploaded') throw invalidState(row.stage_state, 'scanning')
  return startImportScan(ctx, { ...row, source }, false)
}

export function startImportScan(ctx: CommandContext, row: ImportRow, retry: boolean): ImportRow {
  const changes = { source: row.source, attempts: row.attempts + 1, last_error_code: undefined }
  const scanning = moveImport(ctx, row, 'scanning', { changes, retry })
  queueImportJob(ctx, SCAN_JOB_KIND, scanning)
  return scanning
}

/** Records the progress of a scan or a stage as an event. */
export function recordImportProgress(
  ctx: CommandContext,
  importId: string,
  progress: { readonly done: number; readonly of: number; readonly bytes: number },
): void {
  recordEvent(ctx, formatImportSubject(importId), 'skill.import.progressed', {
    import_id: importId,
    ...progress,
  })
}

/** Undefined when the import has left this state. */
export function findInState(reader: Reader, importId: string, state: ImportRow['stage_state']): ImportRow | undefined {
  const row = findImport(reader, importId)
  return row?.stage_state === state ? row : undefined
}

export function finishImportScan(ctx: CommandContext, importId: string, outcome: ScanOutcome): void {
  const row = findInState(ctx.tx, importId, 'scanning')
  if (row === undefined) return
  const { report, fatal, collision, skill_name, skill_pack, assigned_namespace } = outcome
  const changes: Partial<ImportRow> = {
    report,
    requires_adapter: report.requires_adapter,
    tool_shadowing_check: collision ? 'collision_detected' : 'clear',
    skill_name: skill_name ?? row.skill_name,
    skill_pack: row.skill_pack ?? (findPack(ctx.tx, skill_pack ?? '') === undefined ? undefined : skill_pack),
    assigned_namespace,
    last_error_code: fatal,
  }
  const to = fatal === undefined ? 'scan_complete' : 'scan_failed'
  const moved = moveImport(ctx, row, to, { changes, reason: fatal })
  const errors = report.findings.filter(({ severity }) => severity === 'error').length
  recordImportReceipt(ctx, moved, fatal === undefined ? 'skill_import.scanned' : 'skill_import.scan_failed', {
    status: fatal === undefined ? 'ok' : 'failed',
    summary: `${moved.skill_name} scanned: ${report.findings.length} findings, ${errors} errors.`,
    reason: fatal,
    details: { compatible: report.compatible, findings: report.findings.length, errors },
  })
}

/** The scan job failed; it can be retried. */
export function failImportScan(given: CommandContext, importId: string, code: string): void {
  const row = findInState(given.tx, importId, 'scanning')
  if (row === undefined) return
  const ctx = asSystem(given, row.owner_user_id)
  const moved = moveImport(ctx, row, 'scan_failed', {
    changes: { last_error_code: code },
    reason: code,
  })
  recordImportReceipt(ctx, moved, 'skill_import.scan_failed', {
    status: 'failed',
    summary: 'The scan failed.',
    reason: code,
  })
}

/** Everything the names in a bundle may collide with, limited to what its owner may see. */
export function readScanDeps(reader: Reader, row: ImportRow): Omit<ScanDeps, 'blocked_terms' | 'agent_names'> {
  const { owner_user_id, import_id, source, content_hash_sha256 = '' } = row
  const names = listSkillNames(reader)
  const entries = listBridgeEntries(reader)
  const documents = listConfigDocuments(reader)
  const listKeys = (prefix: string) =>
    new Set(documents.filter(({ name }) => name.startsWith(prefix)).flatMap(({ body }) => Object.keys(body)))
  return {
    source,
    content_hash_sha256,
    skill_names: new Set(names.filter(({ native }) => !native).map(({ skill_slug }) => skill_slug)),
    native_names: new Set(names.filter(({ native }) => native).map(({ skill_slug }) => skill_slug)),
    capability_ids: new Set(entries.map(({ capability_id }) => capability_id)),
    tool_names: new Set(entries.flatMap(({ aliases }) => aliases)),
    namespaces: new Set(listNamespaces(reader, import_id)),
    triggers: listEnabledTriggers(reader, owner_user_id),
    imported_before: wasImportedBefore(reader, content_hash_sha256, import_id),
    packs: new Set(listPackIds(reader)),
    connectors: listKeys('_connectors/'),
    support_packs: new Set(listBoundPacks(documents)),
  }
}

function listBoundPacks(documents: readonly ConfigDocument[]): string[] {
  return documents
    .filter(({ name }) => name.startsWith(PACKS_FOLDER))
    .flatMap(({ body }) => (body as z.infer<typeof SupportPackBinding>).support_pack_refs ?? [])
}

export const getReport = (row: ImportRow): NonNullable<ImportRow['report']> => {
  if (row.report !== undefined) return row.report
  const message = 'The scan failed before it found anything. Retry the scan.'
  return {
    compatible: false,
    requires_adapter: false,
    rule_version: 'none',
    findings: [{ code: row.last_error_code ?? 'INTERRUPTED', severity: 'error', message }],
    schema_version: 1,
  }
}
