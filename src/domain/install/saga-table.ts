import type { SagaStep } from '@apprentice/contracts/abilities/installs.ts'
import type { Failure } from '../../failure/failure.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import type { CommandContext } from '../command/context.ts'
import { recordInstallFailed, type RestoredPlaces, withdrawVersion } from './compensation.ts'
import {
  bridgeVersion,
  makeAvailable,
  markAvailabilityPending,
  recordInstalled,
  recordMaterialized,
  recordProjected,
  refreshUnbridged,
  settleProposal,
} from './install-steps.ts'
import { deleteAbilityRecords, recordUninstalled } from './uninstall.ts'

/** A step that can be retried is compensated after this many attempts. */
export const MAX_ATTEMPTS = 3

/**
 * Installs a version of an ability. The command that starts the saga checks the request and writes the version; a job
 * of kind `install.saga` carries out the steps. Each step starts from the stored state and can be repeated, so after a
 * restart the interrupted step runs again.
 */
export const INSTALL_SAGA: Saga = {
  steps: {
    materialize: {
      files: { write: 'canonical' },
      records: recordMaterialized,
      next: 'project',
      onFailure: { compensateAfter: 1 },
      compensation: { restore: 'canonical' },
    },
    project: {
      files: { write: 'projected' },
      records: recordProjected,
      next: 'bridge',
      onFailure: { compensateAfter: 1 },
      compensation: { restore: 'projected' },
    },
    bridge: {
      records: bridgeVersion,
      next: 'availability',
      onFailure: { compensateAfter: MAX_ATTEMPTS, records: refreshUnbridged },
      compensation: { records: withdrawVersion },
    },
    availability: {
      records: makeAvailable,
      next: 'finish',
      onFailure: { compensateAfter: MAX_ATTEMPTS, records: markAvailabilityPending },
      compensation: { none: 'availability is refreshed after every compensation' },
    },
    finish: {
      files: { remove: 'previous_folders' },
      records: settleProposal,
      next: 'done',
      onFailure: 'fail_job',
      compensation: {
        none: 'its records commit with the end of the saga; the file check at startup restores folders',
      },
    },
  },
  onDone: recordInstalled,
  onCompensated: recordInstallFailed,
  onJobFailed: { compensateAfter: MAX_ATTEMPTS },
}

/**
 * Removes an ability. The command that starts the saga has already removed it from the registry and the bridge. The
 * only step has the name of the first one, because every saga starts at `materialize`.
 */
export const UNINSTALL_SAGA: Saga = {
  steps: {
    materialize: {
      files: { remove: 'skill_folders' },
      records: deleteAbilityRecords,
      next: 'done',
      onFailure: { compensateAfter: Infinity },
      compensation: { none: 'a removal is only ever completed: the same request resumes it' },
    },
  },
  onDone: recordUninstalled,
  onJobFailed: { compensateAfter: Infinity },
}

export const SAGAS: Readonly<Record<SagaRow['kind'], Saga>> = {
  install: INSTALL_SAGA,
  approve: INSTALL_SAGA,
  rollback: INSTALL_SAGA,
  uninstall: UNINSTALL_SAGA,
}

export interface Saga {
  readonly steps: Readonly<Partial<Record<SagaStep, SagaStepPlan>>>
  /** Writes records when the saga is completed and its step is `done`. */
  readonly onDone: (ctx: CommandContext, saga: SagaRow) => void
  /** Writes records when all steps are compensated. */
  readonly onCompensated?: (ctx: CommandContext, saga: SagaRow, restored: RestoredPlaces) => void
  /** Applies to errors that no step handles. */
  readonly onJobFailed: Pick<RetryRule, 'compensateAfter'>
}

export interface SagaStepPlan {
  /** Changes files before the records are written. */
  readonly files?: FileEffect
  /** Writes the records of the step in one transaction. A returned failure keeps them, a thrown one does not. */
  readonly records: (ctx: CommandContext, saga: SagaRow, files: FileResult) => Failure | undefined
  readonly next: SagaStep
  /** `fail_job`: no failure is expected here, so every error fails the job. */
  readonly onFailure: RetryRule | 'fail_job'
  readonly compensation: Compensation
}

/** The version's own files are written; folders of the skill or of its previous name are removed. */
export type FileEffect = { readonly write: FilePlace } | { readonly remove: 'skill_folders' | 'previous_folders' }

export interface FileResult {
  readonly written: readonly string[]
  /** Files that were edited by hand and are now replaced. */
  readonly overwritten: readonly string[]
}

export interface RetryRule {
  /** Before this many attempts the saga is degraded, and the same request resumes it; then it is compensated. */
  readonly compensateAfter: number
  /** Writes records of the failure. */
  readonly records?: (ctx: CommandContext, saga: SagaRow) => void
}

/**
 * Files are restored in every place, because an interrupted step may have written some. Records are written only for
 * steps that the saga has reached.
 */
export type Compensation =
  | { readonly restore: FilePlace }
  | { readonly records: (ctx: CommandContext, saga: SagaRow) => void }
  /** Why nothing has to be undone. */
  | { readonly none: string }
