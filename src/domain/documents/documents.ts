import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { countOpenOperations } from '../../store/documents/document-operations.ts'
import * as store from '../../store/documents/documents.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

type NewDocument = Omit<store.DocumentRow, 'document_ref' | 'owner_user_id' | 'created_at' | 'schema_version'>

const BATCH_SIZE = 200
/** A user stores at most so many bytes. */
const MOST_BYTES = 2 * 1024 ** 3

/** Refuses a document of this size for which a user has no room. */
export function assertRoom(reader: Reader, owner: string, bytes: number): void {
  const free_bytes = Math.max(0, MOST_BYTES - store.sumDocumentBytes(reader, owner))
  if (bytes <= free_bytes) return
  throw new Failure('DOCUMENT_QUOTA_EXCEEDED', 'You store as many documents as allowed. Delete some first.', {
    details: { free_bytes, most_bytes: MOST_BYTES },
  })
}

/** Records a document whose content is stored already. */
export function addDocument(ctx: CommandContext, given: NewDocument): StoredDocument {
  const row: store.DocumentRow = {
    document_ref: `doc_${ctx.newId()}`,
    owner_user_id: ctx.actor.user_id,
    ...given,
    created_at: ctx.now,
    schema_version: 1,
  }
  store.insertDocument(ctx.tx, row)
  recordEvent(ctx, `document/${row.document_ref}`, 'document.changed', {
    document_ref: row.document_ref,
    kind: row.kind,
  })
  return toDocument(row)
}

export function listDocuments(
  reader: Reader,
  query: PageQuery & { readonly owner: string; readonly kind?: StoredDocument['kind'] | undefined },
): { documents: StoredDocument[]; total: number } {
  const { rows, total } = store.listOwnDocuments(reader, query)
  return { documents: rows.map(toDocument), total }
}

export function getDocument(reader: Reader, ref: string, owner: string): StoredDocument {
  const row = store.findDocument(reader, ref)
  if (row === undefined || row.owner_user_id !== owner) {
    throw new Failure('DOCUMENT_NOT_FOUND', 'There is no such document.')
  }
  return toDocument(row)
}

export function removeDocument(ctx: CommandContext, ref: string): StoredDocument {
  const document = getDocument(ctx.tx, ref, ctx.actor.user_id)
  if (countOpenOperations(ctx.tx, ref) > 0) {
    throw new Failure('DOCUMENT_IN_USE', 'An operation reads this document. Cancel it, or wait for its end.')
  }
  deleteRow(ctx, ref)
  return document
}

/** Deletes documents whose time has passed. Their contents are deleted by the next night. Returns how many. */
export function sweepDocuments(ctx: CommandContext): number {
  const refs = store.listExpiredDocuments(ctx.tx, ctx.now, BATCH_SIZE)
  for (const ref of refs) deleteRow(ctx, ref)
  return refs.length
}

function deleteRow(ctx: CommandContext, document_ref: string): void {
  store.deleteDocumentRow(ctx.tx, document_ref)
  recordEvent(ctx, `document/${document_ref}`, 'document.changed', { document_ref, deleted: true })
}

const toDocument = ({ owner_user_id: _o, ...document }: store.DocumentRow): StoredDocument => document
