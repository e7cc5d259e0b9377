import type { Buffer } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { DocumentMetadata, type StoredDocument, uploadDocument } from '@apprentice/contracts/documents/documents.ts'
import type { System } from '../../daemon/system.ts'
import { addDocument, assertRoom } from '../../domain/documents/documents.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'
import { type FormPart, MalformedForm, readForm, registerForms } from '../../http/multipart-form.ts'
import { parseStrictJson } from '../../http/strict-json.ts'

const MAX_BYTES = 100 * 1024 * 1024
const MAX_METADATA_BYTES = 16 * 1024
const LONGEST_NAME = 160
const DAY_MS = 86_400_000

export async function documentUploadRoutes(app: FastifyInstance, system: System): Promise<void> {
  // In a scope of its own, because only this route accepts forms.
  await app.register(async (scope) => {
    await registerForms(scope)
    mountContract(scope)(uploadDocument)(async (request, reply) => {
      try {
        const document = await receive(system, request, readForm(reply.request))
        return { document, schema_version: 1 as const }
      } catch (error) {
        throw toFailure(error)
      }
    })
  })
}

/** The part `metadata` must come first, because the document is recorded when its last byte has come. */
async function receive(
  system: System,
  request: RequestContext,
  parts: AsyncGenerator<FormPart>,
): Promise<StoredDocument> {
  let metadata: DocumentMetadata = DocumentMetadata.parse({})
  let document: StoredDocument | undefined
  for await (const part of parts) {
    const { name = '' } = part
    if (document !== undefined || (name !== 'metadata' && name !== 'document')) {
      throw new MalformedForm(
        `it has a part "${name.slice(0, 40)}"; send at most one part metadata, and then one part document.`,
      )
    }
    if (name === 'metadata') metadata = await readMetadata(part)
    else document = await store(system, request, { part, metadata })
  }
  if (document === undefined) throw new MalformedForm('the part document is missing.')
  return document
}

function store(
  { documents, commands }: System,
  request: RequestContext,
  { part, metadata }: { readonly part: FormPart; readonly metadata: DocumentMetadata },
): Promise<StoredDocument> {
  const file_name = cleanName(part.filename ?? '')
  // Whoever has no room at all need not send everything first.
  commands.read((reader) => assertRoom(reader, request.caller.user_id, 1))
  return documents.storage.receive(part.body, MAX_BYTES, (received) => {
    const { data_class, retention_days } = metadata
    // What the request id of a repeated upload is compared with.
    const body = { ...metadata, ...received, file_name }
    return commands.command({ ...request, body }, (ctx) => {
      assertRoom(ctx.tx, ctx.actor.user_id, received.byte_size)
      const expires_at = new Date(Date.parse(ctx.now) + retention_days * DAY_MS).toISOString()
      return addDocument(ctx, { kind: 'upload', file_name, ...received, data_class, expires_at })
    })
  })
}

/** The name without folders and characters that control a terminal. */
function cleanName(given: string): string {
  const name = given.split(/[\\/]/).at(-1) ?? ''
  const clean = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim()
  return clean === '' ? 'document' : clean.slice(0, LONGEST_NAME)
}

async function readMetadata({ body }: FormPart): Promise<DocumentMetadata> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_METADATA_BYTES)
      throw new MalformedForm(`the part metadata has more than ${MAX_METADATA_BYTES} bytes.`)
    pieces.push(piece)
  }
  const parsed = DocumentMetadata.safeParse(parseStrictJson(globalThis.Buffer.concat(pieces)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new MalformedForm(`metadata.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`)
}

function toFailure(error: unknown): unknown {
  if (error instanceof MalformedForm) {
    return new Failure('INVALID_REQUEST', `The form in the body is invalid: ${error.message}`, {
      details: { field: 'body' },
    })
  }
  const { reason } = error as { readonly reason?: unknown }
  if (reason === 'too_large') {
    return new Failure('DOCUMENT_TOO_LARGE', 'The part document may have at most 100 MB.', {
      details: { most_bytes: MAX_BYTES },
    })
  }
  if (reason === 'unknown_type') {
    return new Failure(
      'DOCUMENT_TYPE_UNSUPPORTED',
      'The part document is neither a PDF nor a PNG, JPEG or TIFF picture.',
    )
  }
  return error
}
