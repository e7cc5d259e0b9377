import { Buffer } from 'node:buffer'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { deleteUpload, uploadBundle, UploadMetadata } from '@apprentice/contracts/skills/imports.ts'
import { deleteUpload as deleteStoredUpload } from '../../domain/skill-import/upload-deletion.ts'
import {
  abandonUpload,
  beginUpload,
  finishUpload,
  deleteDuplicateUpload,
} from '../../domain/skill-import/record/uploads.ts'
import { Failure } from '../../failure/failure.ts'
import { MalformedForm, type FormPart, readForm, registerForms } from '../../http/multipart-form.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { parseStrictJson } from '../../http/strict-json.ts'
import type { System } from '../../daemon/system.ts'

const MAX_BYTES = 100 * 1024 * 1024
const MAX_METADATA_BYTES = 16 * 1024
const ZIP_TYPES = new Set(['application/zip', 'application/x-zip-compressed'])
/** Accepted, because the file name tells the type. */
const UNSPECIFIED_TYPE = 'application/octet-stream'

export async function skillImportUploadRoutes(app: FastifyInstance, system: System): Promise<void> {
  // In a scope of its own, because only this route accepts forms.
  await app.register(async (scope) => {
    await registerForms(scope)
    mountContract(scope)(uploadBundle)((request, reply) => receiveUpload(system, request, reply))
  })
  mountContract(app)(deleteUpload)((request) =>
    system.commands.command(request, (ctx) => deleteStoredUpload(ctx, request.params.tempArtifactRef)),
  )
}

async function receiveUpload(system: System, request: RequestContext, reply: FastifyReply) {
  try {
    return await new UploadReceiver(system, request).receive(readForm(reply.request))
  } catch (error) {
    throw error instanceof MalformedForm ? malformedForm(error.message) : error
  }
}

const malformedForm = (why: string): Failure =>
  new Failure('INVALID_REQUEST', `The form in the body is invalid: ${why}`, {
    details: { field: 'body' },
  })

/** Receives one upload as a stream. */
class UploadReceiver {
  readonly #system: System
  readonly #request: RequestContext
  #upload: { readonly import_id: string; readonly ref: string } | undefined
  #bytes: { readonly content_hash_sha256: string; readonly byte_size: number } | undefined
  #filename = ''
  #metadata: UploadMetadata = UploadMetadata.parse({})

  constructor(system: System, request: RequestContext) {
    this.#system = system
    this.#request = request
  }

  async receive(parts: AsyncGenerator<FormPart>) {
    try {
      for await (const part of parts) await this.#readPart(part)
      return await this.#finish()
    } catch (error) {
      await this.#markAbandoned(error)
      throw error
    }
  }

  async #readPart(part: FormPart): Promise<void> {
    const { name = '' } = part
    if (name === 'metadata') this.#metadata = await readMetadata(part)
    else if (name === 'bundle' && this.#upload === undefined) await this.#readBundle(part)
    else if (this.#upload === undefined && part.filename !== undefined)
      throw archiveRequired(`Send the archive as the part bundle, not "${name.slice(0, 40)}".`)
    else
      throw new MalformedForm(
        `it has a part "${name.slice(0, 40)}"; send one part bundle and at most one part metadata.`,
      )
  }

  async #readBundle({ filename = '', type, body }: FormPart): Promise<void> {
    assertName(filename, type)
    this.#filename = filename
    const { bundles, newId } = this.#system
    const ref = `tmpart_${newId()}`
    const import_id = await this.#system.commands.write(this.#request, (ctx) =>
      beginUpload(ctx, { temp_artifact_ref: ref, filename }),
    )
    this.#upload = { import_id, ref }
    const { head, ...bytes } = await bundles.receive(ref, body, MAX_BYTES).catch(throwTooLarge)
    if (!isZip(head)) throw archiveRequired('The part bundle is empty or not a zip archive.')
    this.#bytes = bytes
  }

  /** A repeated upload gets the first reply again, and its second copy is removed. */
  async #finish() {
    const [upload, bytes] = [this.#upload, this.#bytes]
    if (upload === undefined || bytes === undefined) throw archiveRequired('The part bundle is missing.')
    const { commands, bundles } = this.#system
    await bundles.keep(upload.ref)
    const { client_request_id } = this.#metadata
    const body = {
      ...this.#metadata,
      ...bytes,
      original_filename: this.#filename,
      ...(client_request_id === undefined ? {} : { client_request_id }),
    }
    const reply = await commands.command({ ...this.#request, body }, (ctx) =>
      finishUpload(ctx, { import_id: upload.import_id, metadata: this.#metadata, ...bytes }),
    )
    if (reply.import_id !== upload.import_id) await this.#deleteDuplicate(upload)
    return reply
  }

  async #deleteDuplicate({ import_id, ref }: { import_id: string; ref: string }): Promise<void> {
    await this.#system.commands.write(this.#request, (ctx) => deleteDuplicateUpload(ctx, import_id))
    await this.#system.bundles.removeUpload(ref)
  }

  async #markAbandoned(error: unknown): Promise<void> {
    const upload = this.#upload
    if (upload === undefined) return
    const code = error instanceof Failure ? error.code : 'INTERRUPTED'
    await this.#system.commands.write(this.#request, (ctx) => abandonUpload(ctx, upload.import_id, code))
    await this.#system.bundles.removeUpload(upload.ref)
  }
}

/** Converts the storage's TooManyBytes error. */
function throwTooLarge(error: unknown): never {
  if ((error as Error).name !== 'TooManyBytes') throw error
  throw new Failure('SKILL_IMPORT_FILE_TOO_LARGE', 'The part bundle may have at most 100 MB.', {
    details: { most_bytes: MAX_BYTES },
  })
}

function assertName(filename: string, type: string): void {
  if (filename === '') throw archiveRequired('The part bundle has no file name.')
  if (!/\.(?:zip|skill)$/i.test(filename)) {
    throw new Failure(
      'SKILL_IMPORT_UNSUPPORTED_EXTENSION',
      'The file name of the part bundle must end in .zip or .skill.',
    )
  }
  if (ZIP_TYPES.has(type) || type === UNSPECIFIED_TYPE) return
  throw new Failure(
    'SKILL_IMPORT_UNSUPPORTED_MIME',
    `Send the part bundle as application/zip, not ${type.slice(0, 80)}.`,
  )
}

const isZip = (head: Buffer): boolean => head.subarray(0, 2).equals(Buffer.from('PK')) && [3, 5].includes(head[2] ?? 0)

const archiveRequired = (why: string): Failure => new Failure('SKILL_IMPORT_ARCHIVE_REQUIRED', why)

async function readMetadata({ body }: FormPart): Promise<UploadMetadata> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_METADATA_BYTES)
      throw new MalformedForm(`the part metadata has more than ${MAX_METADATA_BYTES} bytes.`)
    parts.push(piece)
  }
  const read = UploadMetadata.safeParse(parseMetadata(Buffer.concat(parts)))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = ['metadata', ...(issue?.path ?? [])].join('.')
  throw new Failure('INVALID_REQUEST', `body ${field}: ${issue?.message ?? 'is invalid'}`, {
    details: { field, in: 'body' },
  })
}

function parseMetadata(text: Buffer): unknown {
  try {
    return parseStrictJson(text)
  } catch {
    throw new Failure('INVALID_REQUEST', 'The part metadata is not valid JSON.', {
      details: { field: 'metadata', in: 'body' },
    })
  }
}
