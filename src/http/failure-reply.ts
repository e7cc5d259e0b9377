import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { FailureReply } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'

export function replyWithFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const failure = toFailure(error, request.log)
  if (failure.status >= 500) request.log.error({ err: error, code: failure.code }, 'request failed')
  else request.log.debug({ code: failure.code }, 'request refused')
  void reply
    .code(failure.status)
    .header('content-type', 'application/json; charset=utf-8')
    // Said here too: a request refused before the gate has passed no hook.
    .header('x-correlation-id', request.id)
    .serializer(JSON.stringify)
    .send(envelope(failure, request.id))
}

/** For bytes that never became a request: the same envelope, said on the bare connection, which then ends. */
export const refusingConnections =
  (newId: () => string) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (socket.writable) socket.write(bareRefusal(error.code, newId()))
    socket.destroy(error)
  }

function bareRefusal(reason: string | undefined, correlation_id: string): string {
  const tooMuch = reason === 'HPE_HEADER_OVERFLOW'
  const failure = new Failure(
    'INVALID_REQUEST',
    tooMuch ? 'The headers are larger than is taken.' : 'This is not a readable HTTP request.',
    { details: { field: tooMuch ? 'headers' : 'request' } },
  )
  const body = JSON.stringify(envelope(failure, correlation_id))
  const head = [
    `HTTP/1.1 ${failure.status} Bad Request`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-correlation-id: ${correlation_id}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export function envelope(failure: Failure, correlation_id: string): FailureReply {
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
  if (hasZodFastifySchemaValidationErrors(error)) return invalidRequest(error)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Failure('PAYLOAD_TOO_LARGE', 'The body is larger than this route takes.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
    default:
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    // Only the kind: the message repeats the address, which may carry a login code.
    log.info({ reason: error.code }, 'request not understood')
    return new Failure('INVALID_REQUEST', 'The request could not be read.', {
      details: { field: 'request' },
    })
  }
  return new Failure('INTERNAL_ERROR', 'Something failed on our side; try again.')
}

interface Issue {
  readonly instancePath: string
  readonly message: string
}

function invalidRequest(
  error: FastifyError & { validation: unknown[]; validationContext?: string },
): Failure {
  const part = error.validationContext ?? 'body'
  const issues = (error.validation as Issue[]).slice(0, 10).map(({ instancePath, message }) => ({
    field: instancePath.slice(1).replaceAll('/', '.') || part,
    message,
  }))
  const [first] = issues
  return new Failure(
    'INVALID_REQUEST',
    `${part} ${first?.field ?? ''}: ${first?.message ?? 'is invalid'}`,
    {
      details: { field: first?.field ?? part, in: part, issues },
    },
  )
}
