import { Buffer } from 'node:buffer'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { deleteUpload, uploadBundle, UploadMetadata } from '@apprentice/contracts/skills/imports.ts'
import { deleteUpload as deleteIt } from '../domain/skill-import/delete-upload.ts'
import {
  abandonUpload,
  beginUpload,
  finishUpload,
  forgetUpload,
} from '../domain/skill-import/record/uploads.ts'
import { Failure } from '../failure/failure.ts'
import { BrokenForm, type FormPart, readForm, takeForms } from '../http/forms.ts'
import { type RequestContext, mounting } from '../http/mount.ts'
import { parseStrictJson } from '../http/strict-json.ts'
import type { System } from '../daemon/system.ts'

const mostBytes = 100 * 1024 * 1024
const mostMetadataBytes = 16 * 1024
const accepted = new Set(['application/zip', 'application/x-zip-compressed'])
/** Accepted for what the name says it is. */
const unnamed = 'application/octet-stream'

export async function skillImportUploadRoutes(app: FastifyInstance, system: System): Promise<void> {
  // In a scope of its own: forms are taken here and nowhere else.
  await app.register(async (scope) => {
    await takeForms(scope)
    mounting(scope)(uploadBundle)((asked, reply) => receive(system, asked, reply))
  })
  mounting(app)(deleteUpload)((asked) =>
    system.commands.command(asked, (ctx) => deleteIt(ctx, asked.params.tempArtifactRef)),
  )
}

async function receive(system: System, asked: RequestContext, reply: FastifyReply) {
  const { request } = reply
  try {
    return await new UploadReceiver(system, asked).take(readForm(request))
  } catch (error) {
    // What is still on its way is of no use; the refusal must be heard all the same.
    request.raw.unpipe().resume()
    void reply.header('connection', 'close')
    throw error instanceof BrokenForm ? brokenForm(error.message) : error
  }
}

const brokenForm = (why: string): Failure =>
  new Failure('INVALID_REQUEST', `The form cannot be read: ${why}`, { details: { field: 'body' } })

/** Takes one upload in, as it comes. */
class UploadReceiver {
  readonly #system: System
  readonly #asked: RequestContext
  #upload: { readonly import_id: string; readonly ref: string } | undefined
  #bytes: { readonly content_hash_sha256: string; readonly byte_size: number } | undefined
  #filename = ''
  #metadata: UploadMetadata = UploadMetadata.parse({})

  constructor(system: System, asked: RequestContext) {
    this.#system = system
    this.#asked = asked
  }

  async take(parts: AsyncGenerator<FormPart>) {
    try {
      for await (const part of parts) await this.#part(part)
      return await this.#finish()
    } catch (error) {
      await this.#abandon(error)
      throw error
    }
  }

  async #part(part: FormPart): Promise<void> {
    const { name = 'without a name' } = part
    if (name === 'metadata') this.#metadata = await readMetadata(part)
    else if (name === 'bundle' && this.#upload === undefined) await this.#bundle(part)
    else throw new BrokenForm(`there is a part ${name.slice(0, 40)} too much.`)
  }

  async #bundle({ filename = '', type, body }: FormPart): Promise<void> {
    assertName(filename, type)
    this.#filename = filename
    const { bundles, newId } = this.#system
    const ref = `tmpart_${newId()}`
    const import_id = await this.#system.commands.write(this.#asked, (ctx) =>
      beginUpload(ctx, { temp_artifact_ref: ref, filename }),
    )
    this.#upload = { import_id, ref }
    const { head, ...bytes } = await bundles.receive(ref, body, mostBytes).catch(tooLarge)
    if (!isZip(head)) throw archiveRequired('The bundle is empty or no zip.')
    this.#bytes = bytes
  }

  /** An upload that was asked for before is answered as it was; the bytes that came again go. */
  async #finish() {
    const [upload, bytes] = [this.#upload, this.#bytes]
    if (upload === undefined || bytes === undefined) throw archiveRequired('There is no bundle.')
    const { commands, bundles } = this.#system
    await bundles.keep(upload.ref)
    const { client_request_id } = this.#metadata
    const body = {
      ...this.#metadata,
      ...bytes,
      original_filename: this.#filename,
      ...(client_request_id === undefined ? {} : { client_request_id }),
    }
    const reply = await commands.command({ ...this.#asked, body }, (ctx) =>
      finishUpload(ctx, { import_id: upload.import_id, metadata: this.#metadata, ...bytes }),
    )
    if (reply.import_id !== upload.import_id) await this.#forget(upload)
    return reply
  }

  async #forget({ import_id, ref }: { import_id: string; ref: string }): Promise<void> {
    await this.#system.commands.write(this.#asked, (ctx) => forgetUpload(ctx, import_id))
    await this.#system.bundles.removeUpload(ref)
  }

  async #abandon(error: unknown): Promise<void> {
    const upload = this.#upload
    if (upload === undefined) return
    const code = error instanceof Failure ? error.code : 'INTERRUPTED'
    await this.#system.commands.write(this.#asked, (ctx) =>
      abandonUpload(ctx, upload.import_id, code),
    )
    await this.#system.bundles.removeUpload(upload.ref)
  }
}

/** Whoever keeps the bytes says that there are too many by giving that a name. */
function tooLarge(error: unknown): never {
  if ((error as Error).name !== 'TooManyBytes') throw error
  throw new Failure('SKILL_IMPORT_FILE_TOO_LARGE', 'A bundle has at most 100 MB.', {
    details: { most_bytes: mostBytes },
  })
}

function assertName(filename: string, type: string): void {
  if (filename === '') throw archiveRequired('The bundle has no file name.')
  if (!/\.zip$/i.test(filename)) {
    throw new Failure('SKILL_IMPORT_UNSUPPORTED_EXTENSION', 'The name must end in .zip.')
  }
  if (accepted.has(type) || type === unnamed) return
  throw new Failure('SKILL_IMPORT_UNSUPPORTED_MIME', `A bundle is not ${type.slice(0, 80)}.`)
}

const isZip = (head: Buffer): boolean =>
  head.subarray(0, 2).equals(Buffer.from('PK')) && [3, 5].includes(head[2] ?? 0)

const archiveRequired = (why: string): Failure => new Failure('SKILL_IMPORT_ARCHIVE_REQUIRED', why)

async function readMetadata({ body }: FormPart): Promise<UploadMetadata> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > mostMetadataBytes) throw new BrokenForm('the metadata are too long.')
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
    throw new Failure('INVALID_REQUEST', 'The metadata are not JSON.', {
      details: { field: 'metadata', in: 'body' },
    })
  }
}
