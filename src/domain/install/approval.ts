import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { marksOf } from './saga-record.ts'

/** Once, however often the installation that follows has to be tried. */
export function recordApproval(ctx: CommandContext, saga: SagaRow, note: string | undefined): void {
  if (saga.attempts > 1) return
  recordReceipt(ctx, 'learn.proposal.approved', {
    ...marksOf(saga),
    summary: `Approved for ${saga.install_lane}.`,
    details: note === undefined ? {} : { approval_note: note },
  })
}
