import { type Contract, FailureReply } from '@apprentice/contracts/base/route.ts'
import type { z } from 'zod'
import { ApiFailure } from './client.ts'

/** Uploads a form and reports the uploaded part of it, which `fetch` cannot do. */
export function upload<R extends z.ZodType>(
  contract: Contract<z.ZodType, z.ZodType, z.ZodType, R>,
  form: FormData,
  onProgress: (part: number) => void,
): Promise<z.output<R>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => {
      if (request.status < 300) resolve(contract.reply.parse(request.response))
      else reject(toFailure(request.status, request.response))
    })
    request.addEventListener('error', () => reject(toFailure(0, undefined)))
    request.open(contract.method, contract.url)
    request.send(form)
  })
}

function toFailure(status: number, body: unknown): ApiFailure {
  const read = FailureReply.safeParse(body)
  if (read.success) return new ApiFailure(status, read.data)
  const error = { code: 'UNREACHABLE', message: 'The daemon does not answer.', retryable: true }
  return new ApiFailure(status, { error })
}
