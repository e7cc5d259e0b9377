import { Failure } from '../../failure/failure.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { startInstall } from '../install/start-install.ts'
import { assertImportMove, invalidState } from './record/import-machine.ts'
import { getOwnImport, moveImport, recordImportReceipt, saveImport } from './record/import-record.ts'

export interface ImportInstall {
  readonly kind: 'install' | 'approve'
  readonly privileged: boolean
  readonly target_scope?: 'private' | 'workspace' | undefined
  readonly retry?: boolean
}

export interface StartedInstall {
  readonly row: ImportRow
  readonly saga: SagaRow
  readonly receipt_id: string
}

/** Starts the install saga of a reviewed bundle. */
export function beginImportInstall(ctx: CommandContext, importId: string, request: ImportInstall): StartedInstall {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const { kind, retry = false } = request
  const visibility = request.target_scope ?? row.visibility
  assertImportMove(row.stage_state, kind === 'install' ? 'install_queued' : 'approved', retry)
  if (kind === 'approve' && row.requires_adapter) {
    throw new Failure('SKILL_IMPORT_ADAPTER_REQUIRED', 'The skill requires an adapter.', {
      details: { import_id: importId },
    })
  }
  if (visibility === 'workspace' && !request.privileged) throw workspaceDenied()
  const saga = startSaga(ctx, row, request)
  const { saga_id } = saga
  const changes = { saga_id, last_error_code: undefined, partial_deployment: undefined }
  const saved =
    kind === 'install'
      ? moveImport(ctx, row, 'install_queued', {
          changes: { ...changes, visibility },
          retry,
        })
      : saveImport(ctx, row, changes)
  const receipt_id = recordImportReceipt(ctx, saved, 'skill_import.install_requested', {
    summary: `Installation into ${saga.install_lane} requested.`,
  })
  return { row: saved, saga, receipt_id }
}

const workspaceDenied = (): Failure =>
  new Failure('INSTALL_LANE_DENIED', 'target_scope workspace requires an admin token.', {
    details: { field: 'target_scope', privilege: 'admin' },
  })

function startSaga(ctx: CommandContext, row: ImportRow, { kind, privileged }: ImportInstall): SagaRow {
  const proposal = row.proposal_id === undefined ? undefined : findProposal(ctx.tx, row.proposal_id)
  if (proposal === undefined) throw invalidState(row.stage_state, 'installed')
  try {
    return startInstall(ctx, proposal.proposal_id, {
      kind,
      lane: kind === 'install' ? 'experimental_private' : 'approved_workspace',
      draft_hash: proposal.draft_hash,
      privileged,
    })
  } catch (error) {
    throw toImportFailure(error, row)
  }
}

const KEPT_CODES: ReadonlySet<string> = new Set([
  'INSTALL_LANE_DENIED',
  'INSTALL_IN_PROGRESS',
  'CHECKPOINT_LINT_FAILED',
  'RECIPE_INVALID',
])

/** Translates failures of the proposal installation into failure codes of imports. */
function toImportFailure(error: unknown, { import_id, stage_state }: ImportRow): unknown {
  if (!(error instanceof Failure)) return error
  const { code, details } = error
  if (code === 'INSTALL_LANE_DENIED' && details?.['collision'] !== undefined) {
    return new Failure('SKILL_IMPORT_COLLISION', error.message, {
      details: { ...details, import_id },
    })
  }
  if (KEPT_CODES.has(code)) return error
  return new Failure('SKILL_IMPORT_INVALID_STATE', error.message, {
    details: { import_id, from: stage_state, to: 'install_queued', cause: code },
  })
}
