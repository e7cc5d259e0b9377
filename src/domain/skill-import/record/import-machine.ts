import type { ImportState, RetryKind } from '@apprentice/contracts/skills/import-record.ts'
import { Failure } from '../../../failure/failure.ts'

/**
 * The states of an import and all allowed moves.
 *
 * upload_pending    the upload is being received               -> uploaded | discarded | expired
 * uploaded          the upload is complete                     -> scanning | discarded | expired
 * scanning          the scan job runs                          -> scan_complete | scan_failed | expired
 * scan_failed       the bundle is unusable, or the job failed  -> scanning (retry) | discarded | expired
 * scan_complete     the report is available                    -> staging | discarded | rejected | expired
 * staging           the bundle is being unpacked               -> ready_for_review | stage_failed | discarded
 * stage_failed      the bundle could not be unpacked           -> staging (retry) | discarded | expired
 * ready_for_review  waits for a decision, without time limit   -> install_queued | approved | rejected | discarded
 * install_queued    the install saga runs                      -> installed_private | install_failed
 * install_failed    the install saga was compensated           -> install_queued (retry) | discarded | rejected
 * installed_private, approved, rejected, discarded, expired    final
 */
export const IMPORT_MOVES: Readonly<Record<ImportState, readonly ImportState[]>> = {
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

/** The moves that only a retry may make. */
export const RETRY_MOVES: Readonly<Record<RetryKind, readonly [from: ImportState, to: ImportState]>> = {
  scan: ['scan_failed', 'scanning'],
  stage: ['stage_failed', 'staging'],
  install: ['install_failed', 'install_queued'],
}

/** States that expire with the upload. */
export const EXPIRING_STATES: readonly ImportState[] = [
  'uploaded',
  'scanning',
  'scan_failed',
  'scan_complete',
  'stage_failed',
]

/** Open states in which the files of the bundle are stored, so that the upload is not needed any more. */
export const UNPACKED_STATES: readonly ImportState[] = ['ready_for_review', 'install_failed']

/** States in which a job reads the upload. */
export const BUSY_STATES: readonly ImportState[] = ['scanning', 'staging', 'install_queued']

export const isFinalState = (state: ImportState): boolean => IMPORT_MOVES[state].length === 0

/** A move in `RETRY_MOVES` requires `retry`; other moves forbid it. */
export function assertImportMove(from: ImportState, to: ImportState, retry = false): void {
  const isRetry = Object.values(RETRY_MOVES).some(([failed, again]) => failed === from && again === to)
  if (IMPORT_MOVES[from].includes(to) && isRetry === retry) return
  throw invalidState(from, to)
}

export const invalidState = (from: ImportState, to: string): Failure =>
  new Failure('SKILL_IMPORT_INVALID_STATE', `An import that is ${from} cannot become ${to}.`, {
    details: { from, to },
  })
