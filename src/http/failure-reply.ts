import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import type { FailureReply } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'
import { toStorageFailure } from '../failure/storage-failure.ts'
import { toInvalidRequest } from './invalid-request.ts'

/** Creates the error handler of the server. `onFailure` gets the code of each failure it sends. */
export const createErrorHandler =
  (onFailure: (code: FailureCode) => void) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toFailure(error, request.log)
    onFailure(failure.code)
    if (failure.status >= 500) request.log.error({ err: error, code: failure.code }, 'request failed')
    else request.log.debug({ code: failure.code }, 'request refused')
    void reply
      .code(failure.status)
      .header('content-type', 'application/json; charset=utf-8')
      // Set here too, because a request refused by the framework has passed no hook.
      .header('x-correlation-id', request.id)
      .serializer(JSON.stringify)
      .send(toErrorEnvelope(failure, request.id))
  }

/** Answers bytes that are not an HTTP request: sends the error envelope and closes the connection. */
export const createClientErrorHandler =
  (newId: () => string) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (socket.writable) socket.write(formatRawReply(error.code, newId()))
    socket.destroy(error)
  }

function formatRawReply(reason: string | undefined, correlation_id: string): string {
  const tooLarge = reason === 'HPE_HEADER_OVERFLOW'
  const failure = new Failure(
    'INVALID_REQUEST',
    tooLarge ? 'The headers are too large.' : 'This is not a readable HTTP request.',
    { details: { field: tooLarge ? 'headers' : 'request' } },
  )
  const body = JSON.stringify(toErrorEnvelope(failure, correlation_id))
  const head = [
    `HTTP/1.1 ${failure.status} Bad Request`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-correlation-id: ${correlation_id}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export function toErrorEnvelope(failure: Failure, correlation_id: string): FailureReply {
  return {
    error: {
      code: failure.code,
      message: failure.message,
      retryable: failure.retryable,
      correlation_id,
      ...(failure.details === undefined ? {} : { details: failure.details }),
    },
    ...failure.beside,
  }
}

function toFailure(error: FastifyError, log: FastifyBaseLogger): Failure {
  if (error instanceof Failure) return error
  if (hasZodFastifySchemaValidationErrors(error)) return toInvalidPart(error)
  const storageFailure = toStorageFailure(error)
  if (storageFailure !== undefined) return storageFailure
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Failure('PAYLOAD_TOO_LARGE', 'The body is larger than this route accepts.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
    default:
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    // Only the code: the message repeats the URL, which may contain a login code.
    log.info({ reason: error.code }, 'request could not be parsed')
    return new Failure('INVALID_REQUEST', 'The request could not be read.', {
      details: { field: 'request' },
    })
  }
  return new Failure('INTERNAL_ERROR', 'Internal error. Try again.')
}

function toInvalidPart(error: FastifyError & { validation: unknown[]; validationContext?: string }): Failure {
  const issues = (error.validation as { instancePath: string; message: string }[]).map(({ instancePath, message }) => ({
    path: instancePath.slice(1).split('/'),
    message,
  }))
  return toInvalidRequest(issues, error.validationContext ?? 'body')
}
