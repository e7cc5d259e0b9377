import { hash } from 'node:crypto'
import type { Reader } from '../../store/db/db.ts'
import {
  countLifecycleEvents,
  isLifecycle,
  listLifecycleEventsSince,
  listRepliesBelow,
} from '../../store/projections/projection-cursors.ts'
import { documentProjection, logProjection, type Projection, only } from '../engine/projection.ts'

const lifecycleEvents = logProjection({
  path: 'learning/lifecycle_events.jsonl',
  touched: ({ unboundKinds }) => ([...unboundKinds].some(isLifecycle) ? [only] : []),
  rows: (reader, _key, span) => listLifecycleEventsSince(reader, span),
  count: (reader, _key, upTo) => countLifecycleEvents(reader, upTo),
  shrinks: () => false,
})

const replyLimit = 10_000
const replyPage = 250

/** Which requests would be answered again, and the digest of the answer. The answer itself is not told. */
const rememberedReplies = documentProjection({
  path: 'learning/idempotency.json',
  touched: ({ kinds }) => (kinds.has('learn.idempotency.changed') ? [only] : []),
  render: (reader) =>
    listRepliesBelow(reader, undefined, 1).length === 0 ? undefined : replyPieces(reader),
  everyMs: 30_000,
})

export const ledgerMirrors: readonly Projection[] = [lifecycleEvents, rememberedReplies]

function* replyPieces(reader: Reader): Iterable<string> {
  yield '{\n  "replies": {'
  let last: Reply | undefined
  for (let written = 0; written < replyLimit; written += replyPage) {
    const page = listRepliesBelow(reader, last, replyPage)
    if (page.length === 0) break
    yield (written === 0 ? '' : ',') + page.map(replyText).join(',')
    last = page.at(-1)
  }
  yield '\n  },\n  "schema_version": 1\n}\n'
}

type Reply = ReturnType<typeof listRepliesBelow>[number]

function replyText(reply: Reply): string {
  const key = JSON.stringify(`${reply.user_id} ${reply.route} ${reply.request_id}`)
  const reply_sha256 = hash('sha256', reply.reply, 'hex')
  const { expires_at } = reply
  return `\n    ${key}: ${JSON.stringify({ reply_sha256, expires_at })}`
}
