import type { Buffer } from 'node:buffer'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'

/** One part of a form. Its body must be read before the next part is requested. */
export interface FormPart {
  readonly name: string | undefined
  readonly filename: string | undefined
  readonly type: string
  readonly body: AsyncIterable<Buffer>
}

/** The body is not a valid multipart form. */
export class MalformedForm extends Error {}

const MAX_PARTS = 20
/** Bytes outside the bodies of the parts: headers and boundaries. */
const MAX_OVERHEAD_BYTES = 16 * 1024

const parserOptions = {
  // The parser logs its headers, so it must not get those of the request.
  headers: { authorization: '', cookie: '' },
  // Every part is read as a stream. Its reader limits and decodes it.
  isPartAFile: () => true,
  preservePath: true,
  // Larger than one chunk: the parser stalls behind a skipped part that does not fit into its buffer.
  fileHwm: 1 << 20,
  limits: { parts: MAX_PARTS, fileSize: Infinity, headerSize: MAX_OVERHEAD_BYTES },
}

/** Lets a scope accept multipart forms. */
export async function registerForms(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart)
}

/** The parser's type claims a name and a file name, but a part may lack both. */
type ParsedPart = Pick<MultipartFile, 'mimetype' | 'file'> & Partial<Pick<MultipartFile, 'fieldname' | 'filename'>>

/** Reads a form as a stream. Only one chunk of it is in memory at a time. */
export async function* readForm(request: FastifyRequest): AsyncGenerator<FormPart> {
  if (!request.isMultipart()) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as multipart/form-data.')
  }
  const bytes = { received: 0, read: 0 }
  request.raw.on('data', ({ length }: Buffer) => (bytes.received += length))
  for await (const part of withFormErrors(request.parts(parserOptions))) {
    const { fieldname: name, mimetype: type, file, ...more }: ParsedPart = part as MultipartFile
    // Browsers send a quote as %22.
    const filename = more.filename?.replaceAll('%22', '"')
    yield { name, filename, type, body: countBytes(withFormErrors<Buffer>(file), bytes) }
  }
  if (bytes.received === 0) throw new MalformedForm('the body is empty.')
  // The parser skips headers and parts that are too long or have no name.
  if (bytes.received - bytes.read > MAX_OVERHEAD_BYTES) {
    throw new MalformedForm(`there are more than ${MAX_OVERHEAD_BYTES} bytes outside the parts.`)
  }
}

async function* countBytes(pieces: AsyncIterable<Buffer>, bytes: { read: number }): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    bytes.read += piece.length
    yield piece
  }
}

/** Converts errors of the parser: they are caused by the form. */
async function* withFormErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const item of source) yield item
  } catch (error) {
    throw toFormError(error as FastifyError)
  }
}

function toFormError({ code, message }: FastifyError): Error {
  if (code === 'FST_PARTS_LIMIT') return new MalformedForm(`there are more than ${MAX_PARTS} parts.`)
  if (code === 'FST_PROTO_VIOLATION') return new MalformedForm('a part has a forbidden name.')
  return message.includes('Boundary not found')
    ? new Failure('UNSUPPORTED_MEDIA_TYPE', 'Content-Type lacks a boundary.')
    : new MalformedForm('it ends in the middle of a part.')
}
