import type { ImportState, RetryKind } from '@apprentice/contracts/skills/import-record.ts'
import { Failure } from '../../../failure/failure.ts'

/**
 * The life of an import. Only the moves below exist; a move to the same state is not one of them.
 *
 * upload_pending    its bytes are coming in                    -> uploaded | discarded | expired
 * uploaded          waits to be scanned                        -> scanning | discarded | expired
 * scanning          is being looked through                    -> scan_complete | scan_failed | expired
 * scan_failed       nothing can be made of it as it is         -> scanning (retry) | discarded | expired
 * scan_complete     the report can be read                     -> staging | discarded | rejected | expired
 * staging           is being unpacked                          -> ready_for_review | stage_failed | discarded
 * stage_failed      could not be unpacked                      -> staging (retry) | discarded | expired
 * ready_for_review  a person decides; it waits without end     -> install_queued | approved | rejected | discarded
 * install_queued    the install saga runs                      -> installed_private | install_failed
 * install_failed    everything is as it was                    -> install_queued (retry) | discarded | rejected
 * installed_private, approved, rejected, discarded, expired    end
 */
export const importMoves: Readonly<Record<ImportState, readonly ImportState[]>> = {
  upload_pending: ['uploaded', 'discarded', 'expired'],
  uploaded: ['scanning', 'discarded', 'expired'],
  scanning: ['scan_complete', 'scan_failed', 'expired'],
  scan_failed: ['scanning', 'discarded', 'expired'],
  scan_complete: ['staging', 'discarded', 'rejected', 'expired'],
  staging: ['ready_for_review', 'stage_failed', 'discarded'],
  stage_failed: ['staging', 'discarded', 'expired'],
  ready_for_review: ['install_queued', 'approved', 'rejected', 'discarded'],
  install_queued: ['installed_private', 'install_failed'],
  install_failed: ['install_queued', 'discarded', 'rejected'],
  installed_private: [],
  approved: [],
  rejected: [],
  discarded: [],
  expired: [],
}

/** What failed, and what trying it again makes of it. */
export const retries: Readonly<Record<RetryKind, readonly [from: ImportState, to: ImportState]>> = {
  scan: ['scan_failed', 'scanning'],
  stage: ['stage_failed', 'staging'],
  install: ['install_failed', 'install_queued'],
}

/** Time ends these when their upload is no longer kept. */
export const expiringStates: readonly ImportState[] = [
  'uploaded',
  'scanning',
  'scan_failed',
  'scan_complete',
  'stage_failed',
]

/** Somebody works on the bytes of the upload. */
export const busyStates: readonly ImportState[] = ['scanning', 'staging', 'install_queued']

export const isOver = (state: ImportState): boolean => importMoves[state].length === 0

/** A way back to work that failed is open to a retry alone. */
export function assertImportMove(from: ImportState, to: ImportState, retry = false): void {
  const isRetry = Object.values(retries).some(([failed, again]) => failed === from && again === to)
  if (importMoves[from].includes(to) && isRetry === retry) return
  throw invalidState(from, to)
}

export const invalidState = (from: ImportState, to: string): Failure =>
  new Failure('SKILL_IMPORT_INVALID_STATE', `An import that is ${from} cannot become ${to}.`, {
    details: { from, to },
  })
