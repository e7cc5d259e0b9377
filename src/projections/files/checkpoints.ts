import { listCheckpointReceiptsSince } from '../../store/abilities/checkpoint-receipts.ts'
import { countPartUpTo, countRowsUpTo, listCheckpointAggregates } from '../../store/projections/projection-cursors.ts'
import { listOutboxSince, type OutboxEntry } from '../../store/command/outbox.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const checkpointReceipts = logProjection({
  path: 'learning/checkpoint_receipts.jsonl',
  rows: (reader, _key, span) => listCheckpointReceiptsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'checkpoint_receipts', upTo),
  shrinks: ({ kinds }) => kinds.has('learn.checkpoints.compacted') || kinds.has('learn.session.deleted'),
})

const checkpointAggregates = documentProjection({
  path: 'learning/checkpoint_aggregates.json',
  touched: ({ kinds }) => (kinds.has('learn.checkpoints.compacted') ? [SINGLE_KEY] : []),
  render: (reader) => {
    const aggregates = listCheckpointAggregates(reader)
    return aggregates.length === 0 ? undefined : formatDocument({ aggregates, schema_version: 1 })
  },
})

/** Messages to other systems: friction for skipped checkpoints, repairs for failed ones. */
const createOutbox = (path: string, target: 'doc8' | 'doc9') =>
  logProjection({
    path,
    rows: (reader, _key, span) =>
      listOutboxSince(reader, target, span).map(({ position, entry }) => ({
        position,
        entry: withoutDelivery(entry),
      })),
    count: (reader, _key, upTo) => countPartUpTo(reader, 'outbox', target, upTo),
    shrinks: ({ kinds }) => kinds.has('learn.checkpoints.compacted') || kinds.has('learn.session.deleted'),
  })

export const checkpointProjections: readonly Projection[] = [
  checkpointReceipts,
  checkpointAggregates,
  createOutbox('learning/outbox/doc8_friction.jsonl', 'doc8'),
  createOutbox('learning/outbox/doc9_repair.jsonl', 'doc9'),
]

/** Removes the time of delivery, because it changes after the line was written. */
function withoutDelivery({ delivered_at: _, ...entry }: OutboxEntry): object {
  return entry
}
