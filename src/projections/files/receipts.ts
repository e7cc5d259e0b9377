import {
  countPartUpTo,
  listArchivedReceiptsSince,
  listArchiveMonths,
} from '../../store/projections/projection-cursors.ts'
import { listReceiptsSince } from '../../store/command/receipts.ts'
import { logProjection, type Projection } from '../engine/projection.ts'

const receipts = logProjection({
  path: 'learning/receipts.jsonl',
  rows: (reader, _key, span) => listReceiptsSince(reader, undefined, span),
  count: (reader, _key, upTo) => countPartUpTo(reader, 'receipts', null, upTo),
  shrinks: ({ kinds }) => kinds.has('learn.receipts.rolled'),
})

/** A month may get receipts that are older than its last line, so its rows are always counted. */
const archivedReceipts = logProjection({
  path: 'learning/archived/receipts-<month>.jsonl',
  keys: listArchiveMonths,
  touched: ({ kinds }, reader) => (kinds.has('learn.receipts.rolled') ? listArchiveMonths(reader) : []),
  rows: listArchivedReceiptsSince,
  count: (reader, month, upTo) => countPartUpTo(reader, 'archived_receipts', month, upTo),
  shrinks: () => true,
})

export const receiptProjections: readonly Projection[] = [receipts, archivedReceipts]
