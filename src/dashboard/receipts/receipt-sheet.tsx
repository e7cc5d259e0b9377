import type { ComponentChildren } from 'preact'
import { StateBadge, Time } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatDateTime } from '../parts/format.ts'
import { further } from '../text/further.ts'
import { ReceiptFacts } from './receipt-row.tsx'

interface ReceiptSheetProps {
  readonly title: string
  readonly state: string
  readonly at: string
  readonly summary: string
  /** Fields of the receipt. Ids get a button to copy them. */
  readonly facts: Readonly<Record<string, string | undefined>>
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** All that a receipt says, in a drawer. */
export const ReceiptSheet = ({ title, state, at, summary, facts, onClose, children }: ReceiptSheetProps) => (
  <Dialog title={`${further.connectorReceipts.sheet}: ${title}`} kind="drawer" onClose={onClose}>
    <p class="badges">
      <StateBadge state={state} /> <Time at={at} /> <small>{formatDateTime(at)}</small>
    </p>
    <p>{summary}</p>
    <ReceiptFacts facts={facts} />
    {children}
  </Dialog>
)
