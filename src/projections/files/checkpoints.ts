import { listCheckpointReceiptsSince } from '../../store/abilities/checkpoint-receipts.ts'
import {
  countPartUpTo,
  countRowsUpTo,
  listCheckpointAggregates,
} from '../../store/projections/projection-cursors.ts'
import { listOutboxSince, type OutboxEntry } from '../../store/command/outbox.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, only } from '../engine/projection.ts'

const checkpointReceipts = logProjection({
  path: 'learning/checkpoint_receipts.jsonl',
  rows: (reader, _key, span) => listCheckpointReceiptsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'checkpoint_receipts', upTo),
  shrinks: ({ kinds }) =>
    kinds.has('learn.checkpoints.compacted') || kinds.has('learn.session.deleted'),
})

const checkpointAggregates = documentProjection({
  path: 'learning/checkpoint_aggregates.json',
  touched: ({ kinds }) => (kinds.has('learn.checkpoints.compacted') ? [only] : []),
  render: (reader) => {
    const aggregates = listCheckpointAggregates(reader)
    return aggregates.length === 0 ? undefined : documentText({ aggregates, schema_version: 1 })
  },
})

/** What others are to learn of: friction from checkpoints skipped, repairs from those failed. */
const outbox = (path: string, target: 'doc8' | 'doc9') =>
  logProjection({
    path,
    rows: (reader, _key, span) =>
      listOutboxSince(reader, target, span).map(({ position, entry }) => ({
        position,
        entry: asPutOut(entry),
      })),
    count: (reader, _key, upTo) => countPartUpTo(reader, 'outbox', target, upTo),
    shrinks: ({ kinds }) =>
      kinds.has('learn.checkpoints.compacted') || kinds.has('learn.session.deleted'),
  })

export const checkpointMirrors: readonly Projection[] = [
  checkpointReceipts,
  checkpointAggregates,
  outbox('learning/outbox/doc8_friction.jsonl', 'doc8'),
  outbox('learning/outbox/doc9_repair.jsonl', 'doc9'),
]

/** When an entry was fetched is not part of the log: a line once written stays as it is. */
function asPutOut({ delivered_at: _, ...entry }: OutboxEntry): object {
  return entry
}
