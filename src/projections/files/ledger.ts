import { hash } from 'node:crypto'
import type { Reader } from '../../store/db/db.ts'
import {
  countLifecycleEvents,
  isLifecycleKind,
  listLifecycleEventsSince,
  listRepliesBelow,
} from '../../store/projections/projection-cursors.ts'
import { documentProjection, logProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const lifecycleEvents = logProjection({
  path: 'learning/lifecycle_events.jsonl',
  touched: ({ kindsWithoutSession }) => ([...kindsWithoutSession].some(isLifecycleKind) ? [SINGLE_KEY] : []),
  rows: (reader, _key, span) => listLifecycleEventsSince(reader, span),
  count: (reader, _key, upTo) => countLifecycleEvents(reader, upTo),
  shrinks: () => false,
})

const MAX_REPLIES = 10_000
const REPLIES_PER_PAGE = 250

/** The stored replies of idempotent requests: key, expiry and digest, without the reply itself. */
const rememberedReplies = documentProjection({
  path: 'learning/idempotency.json',
  touched: ({ kinds }) => (kinds.has('learn.idempotency.changed') ? [SINGLE_KEY] : []),
  render: (reader) => (listRepliesBelow(reader, undefined, 1).length === 0 ? undefined : renderReplies(reader)),
  minIntervalMs: 30_000,
})

export const ledgerProjections: readonly Projection[] = [lifecycleEvents, rememberedReplies]

function* renderReplies(reader: Reader): Iterable<string> {
  yield '{\n  "replies": {'
  let last: Reply | undefined
  for (let written = 0; written < MAX_REPLIES; written += REPLIES_PER_PAGE) {
    const page = listRepliesBelow(reader, last, REPLIES_PER_PAGE)
    if (page.length === 0) break
    yield (written === 0 ? '' : ',') + page.map(formatReply).join(',')
    last = page.at(-1)
  }
  yield '\n  },\n  "schema_version": 1\n}\n'
}

type Reply = ReturnType<typeof listRepliesBelow>[number]

function formatReply(reply: Reply): string {
  const key = JSON.stringify(`${reply.user_id} ${reply.route} ${reply.request_id}`)
  const reply_sha256 = hash('sha256', reply.reply, 'hex')
  const { expires_at } = reply
  return `\n    ${key}: ${JSON.stringify({ reply_sha256, expires_at })}`
}
