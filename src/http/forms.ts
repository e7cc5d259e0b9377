import type { Buffer } from 'node:buffer'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'

/** One part of a form. Its body must be read before the next part is asked for. */
export interface FormPart {
  readonly name: string | undefined
  readonly filename: string | undefined
  readonly type: string
  readonly body: AsyncIterable<Buffer>
}

/** The form breaks the rules of multipart bodies. */
export class BrokenForm extends Error {}

const mostParts = 20
/** For the headers of all parts and what stands between them. */
const mostAround = 16 * 1024

const reading = {
  // It logs what it is given, and it is given the request's.
  headers: { authorization: '', cookie: '' },
  // Every part is a stream: how much of it is taken, and as what it is read, its reader knows.
  isPartAFile: () => true,
  preservePath: true,
  // More than comes in one piece: the parser waits for ever behind a part it skips that is larger than its room.
  fileHwm: 1 << 20,
  limits: { parts: mostParts, fileSize: Infinity, headerSize: mostAround },
}

/** Has a scope take forms, which are read as they come. */
export async function takeForms(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart)
}

/** A part may lack what its type promises. */
type Told = Pick<MultipartFile, 'mimetype' | 'file'> &
  Partial<Pick<MultipartFile, 'fieldname' | 'filename'>>

/** Reads a form as it comes in; never more than a piece of it is in memory. */
export async function* readForm(request: FastifyRequest): AsyncGenerator<FormPart> {
  if (!request.isMultipart()) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as multipart/form-data.')
  }
  const bytes = { received: 0, read: 0 }
  request.raw.on('data', ({ length }: Buffer) => (bytes.received += length))
  for await (const part of told(request.parts(reading))) {
    const { fieldname: name, mimetype: type, file, ...more }: Told = part as MultipartFile
    // A browser sends a quote so.
    const filename = more.filename?.replaceAll('%22', '"')
    yield { name, filename, type, body: counted(told<Buffer>(file), bytes) }
  }
  if (bytes.received === 0) throw new BrokenForm('there is none.')
  // The parser reads over what is too long or has no name.
  if (bytes.received - bytes.read > mostAround) {
    throw new BrokenForm('there is too much around the parts.')
  }
}

async function* counted(
  pieces: AsyncIterable<Buffer>,
  bytes: { read: number },
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    bytes.read += piece.length
    yield piece
  }
}

/** What goes wrong in there is the form's fault. */
async function* told<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const item of source) yield item
  } catch (error) {
    throw problemOf(error as FastifyError)
  }
}

function problemOf({ code, message }: FastifyError): Error {
  if (code === 'FST_PARTS_LIMIT') return new BrokenForm('there are too many parts.')
  if (code === 'FST_PROTO_VIOLATION') return new BrokenForm('a part has a name that is not taken.')
  return message.includes('Boundary not found')
    ? new Failure('UNSUPPORTED_MEDIA_TYPE', 'The type of a form names its boundary.')
    : new BrokenForm('it ends in the middle of a part.')
}
