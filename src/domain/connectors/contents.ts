import { Failure } from '../../failure/failure.ts'
import * as store from '../../store/connectors/contents.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

const PREFIX = 'content:'
const KEPT_MS = 24 * 3_600_000
const BATCH_SIZE = 500
/** A user keeps at most so many bytes. */
const MOST_BYTES = 1 << 30

export const formatContentRef = (contentId: string): string => `${PREFIX}${contentId}`

/** How many more bytes a user may keep. */
export const countFreeBytes = (reader: Reader, userId: string): number =>
  Math.max(0, MOST_BYTES - store.sumContentBytes(reader, userId))

/** Records a content whose file is on disk. Returns its reference. */
export function recordContent(
  ctx: CommandContext,
  content: Omit<store.ContentRow, 'content_id' | 'user_id' | 'created_at'>,
): string {
  const content_id = ctx.newId()
  store.insertContent(ctx.tx, { ...content, content_id, user_id: ctx.actor.user_id, created_at: ctx.now })
  const { server_id, bytes } = content
  recordEvent(ctx, `connector/${server_id}`, 'mcp.content.changed', { content_id, bytes })
  return formatContentRef(content_id)
}

/** A content as its owner may read it. */
export function getContent(reader: Reader, ref: string, userId: string): store.ContentRow {
  const found = ref.startsWith(PREFIX) ? store.findContent(reader, ref.slice(PREFIX.length)) : undefined
  if (found === undefined || found.user_id !== userId) {
    throw new Failure('CONNECTOR_CONTENT_NOT_FOUND', 'There is no such content, or it is not kept any more.')
  }
  return found
}

/** Deletes contents that are older than a day. Their files go with the next start. Returns how many. */
export function sweepContents(ctx: CommandContext): number {
  const before = new Date(Date.parse(ctx.now) - KEPT_MS).toISOString()
  const deleted = store.deleteContentsBefore(ctx.tx, before, BATCH_SIZE)
  if (deleted > 0) recordEvent(ctx, 'connector/all', 'mcp.content.changed', { deleted })
  return deleted
}
