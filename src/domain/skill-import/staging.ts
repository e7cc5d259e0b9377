import { Failure } from '../../failure/failure.ts'
import { findAbilityIdBySlug } from '../../store/install/install-sagas.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { draftImportedProposal, type StagedBundle } from './import-draft.ts'
import { expireIfDue } from './expiry.ts'
import { queueImportJob, STAGE_JOB_KIND } from './import-jobs.ts'
import { assertImportMove } from './record/import-machine.ts'
import { getOwnImport, moveImport, recordImportReceipt } from './record/import-record.ts'
import { assertPackExists } from './record/packs.ts'
import { findInState } from './scans.ts'

export interface StageRequest {
  readonly requested_pack_id?: string | undefined
  readonly stage_notes?: string | undefined
}

/** Starts to unpack a bundle whose scan found no errors. */
export function beginStage(
  ctx: CommandContext,
  importId: string,
  { requested_pack_id, stage_notes }: StageRequest,
): ImportRow | Failure {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const refused = expireIfDue(ctx, row)
  if (refused !== undefined) return refused
  assertImportMove(row.stage_state, 'staging')
  assertPackExists(ctx.tx, requested_pack_id)
  const changes = {
    skill_pack: requested_pack_id ?? row.skill_pack,
    notes: stage_notes ?? row.notes,
  }
  return startStage(ctx, { ...row, ...changes }, false)
}

export function startStage(ctx: CommandContext, row: ImportRow, retry: boolean): ImportRow {
  assertStageable(ctx, row)
  const { skill_pack, notes } = row
  const changes = { skill_pack, notes, attempts: row.attempts + 1, last_error_code: undefined }
  const staging = moveImport(ctx, row, 'staging', { changes, retry })
  queueImportJob(ctx, STAGE_JOB_KIND, staging)
  return staging
}

/** Checks the name again, because it may have been taken after the scan. */
function assertStageable(ctx: CommandContext, row: ImportRow): void {
  const details = { import_id: row.import_id, skill_name: row.skill_name }
  const taken = findAbilityIdBySlug(ctx.tx, row.skill_name) !== undefined
  if (row.tool_shadowing_check === 'collision_detected' || taken) {
    throw new Failure('SKILL_IMPORT_COLLISION', 'A name in the bundle is already in use.', {
      details,
    })
  }
  if (row.report?.compatible === true && row.report.frontmatter !== undefined) return
  const errors = row.report?.findings.filter(({ severity }) => severity === 'error') ?? []
  throw new Failure('SKILL_IMPORT_NOT_COMPATIBLE', 'The scan found errors in the bundle.', {
    details: { ...details, findings: errors.slice(0, 20) },
  })
}

/** Turns an unpacked bundle into a proposal for review. */
export function finishStage(ctx: CommandContext, importId: string, bundle: StagedBundle): void {
  const row = findInState(ctx.tx, importId, 'staging')
  if (row === undefined) return
  const proposal = draftImportedProposal(ctx, row, bundle)
  const { proposal_id } = proposal
  const moved = moveImport(ctx, row, 'ready_for_review', {
    changes: {
      proposal_id,
      source_ref_kind: 'materialized_bundle',
      source_ref: `staged/${importId}`,
      temp_artifact_expires_at: undefined,
    },
  })
  recordImportReceipt(ctx, moved, 'skill_import.staged', {
    summary: `${row.skill_name} unpacked, ${bundle.file_count} files, ready for review.`,
    details: { assigned_namespace: row.assigned_namespace, draft_hash: proposal.draft_hash },
  })
  recordReceipt(ctx, 'learn.proposal.created', {
    proposal_id,
    ...(proposal.learn_session_id === undefined ? {} : { learn_session_id: proposal.learn_session_id }),
    summary: 'Proposal drafted from an imported bundle.',
    details: { import_id: importId, synthetic: true },
  })
}

export function failStage(given: CommandContext, importId: string, code: string): void {
  const row = findInState(given.tx, importId, 'staging')
  if (row === undefined) return
  const ctx = asSystem(given, row.owner_user_id)
  const changes = { last_error_code: code }
  const moved = moveImport(ctx, row, 'stage_failed', { changes, reason: code })
  recordImportReceipt(ctx, moved, 'skill_import.stage_failed', {
    status: 'failed',
    summary: 'The bundle could not be unpacked.',
    reason: code,
  })
}
