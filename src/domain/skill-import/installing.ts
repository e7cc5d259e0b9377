import { Failure } from '../../failure/failure.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { startInstall } from '../install/start-install.ts'
import { assertImportMove, invalidState } from './record/import-machine.ts'
import {
  getOwnImport,
  moveImport,
  recordImportReceipt,
  saveImport,
} from './record/import-record.ts'

export interface ImportInstall {
  readonly kind: 'install' | 'approve'
  readonly privileged: boolean
  readonly target_scope?: 'private' | 'workspace' | undefined
  readonly retry?: boolean
}

export interface InstallBegun {
  readonly row: ImportRow
  readonly saga: SagaRow
  readonly receipt_id: string
}

/** Begins to install a reviewed bundle, by the same saga as everything else. */
export function beginImportInstall(
  ctx: CommandContext,
  importId: string,
  wanted: ImportInstall,
): InstallBegun {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const { kind, retry = false } = wanted
  const visibility = wanted.target_scope ?? row.visibility
  assertImportMove(row.stage_state, kind === 'install' ? 'install_queued' : 'approved', retry)
  if (kind === 'approve' && row.requires_adapter) {
    throw new Failure('SKILL_IMPORT_ADAPTER_REQUIRED', 'The skill needs an adapter first.', {
      details: { import_id: importId },
    })
  }
  if (visibility === 'workspace' && !wanted.privileged) throw notForAll()
  const saga = start(ctx, row, wanted)
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
    summary: `Installation into ${saga.install_lane} asked for.`,
  })
  return { row: saved, saga, receipt_id }
}

const notForAll = (): Failure =>
  new Failure('INSTALL_LANE_DENIED', 'Only an administrator shows a skill to the workspace.', {
    details: { field: 'target_scope', privilege: 'admin' },
  })

function start(ctx: CommandContext, row: ImportRow, { kind, privileged }: ImportInstall): SagaRow {
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
    throw inOurWords(error, row)
  }
}

/** What stops a proposal, in the words of imports. */
function inOurWords(error: unknown, { import_id, stage_state }: ImportRow): unknown {
  if (!(error instanceof Failure)) return error
  const { code, details } = error
  if (code === 'INSTALL_LANE_DENIED' && details?.['collision'] !== undefined) {
    return new Failure('SKILL_IMPORT_COLLISION', error.message, {
      details: { ...details, import_id },
    })
  }
  if (code === 'INSTALL_LANE_DENIED' || code === 'INSTALL_IN_PROGRESS') return error
  return new Failure('SKILL_IMPORT_INVALID_STATE', error.message, {
    details: { import_id, from: stage_state, to: 'install_queued', cause: code },
  })
}
