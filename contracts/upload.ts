import type { AnyContract } from './base/route.ts'
import {
  type AnyCallOptions,
  buildHeaders,
  buildUrl,
  type ClientOptions,
  readFailure,
  sendRequest,
  toFailure,
} from './request.ts'

export interface UploadOptions extends AnyCallOptions {
  readonly form: FormData
  /** Called with the uploaded part, from 0 to 1. Programs without XMLHttpRequest report the end only. */
  readonly onProgress?: ((part: number) => void) | undefined
}

/** Sends a form and returns the reply. Browsers report the progress of an upload only to XMLHttpRequest. */
export async function sendForm(client: ClientOptions, contract: AnyContract, options: UploadOptions): Promise<unknown> {
  const { onProgress } = options
  const { XMLHttpRequest: BrowserRequest } = globalThis as Browser
  if (onProgress !== undefined && BrowserRequest !== undefined && client.fetch === undefined) {
    return await sendWithProgress(new BrowserRequest(), client, { contract, options: { ...options, onProgress } })
  }
  const response = await sendRequest(client, contract, options, 'application/json')
  if (!response.ok) throw await readFailure(response)
  onProgress?.(1)
  return await response.json()
}

/** The part of a browser that is used here. The types of this package are those of all programs. */
interface Browser {
  readonly XMLHttpRequest?: new () => BrowserRequest
}

interface BrowserRequest {
  responseType: string
  readonly status: number
  readonly response: unknown
  readonly upload: {
    addEventListener: (name: 'progress', listener: (event: { loaded: number; total: number }) => void) => void
  }
  addEventListener(name: 'load' | 'error' | 'abort', listener: () => void): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: FormData): void
  abort(): void
}

type ProgressOptions = UploadOptions & { readonly onProgress: (part: number) => void }

function sendWithProgress(
  request: BrowserRequest,
  client: ClientOptions,
  { contract, options }: { readonly contract: AnyContract; readonly options: ProgressOptions },
): Promise<unknown> {
  const { form, onProgress, signal } = options
  return new Promise((resolve, reject) => {
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status >= 200 && status < 300) resolve(response)
      else reject(toFailure(status, response))
    })
    request.addEventListener('error', () => reject(new TypeError('The daemon could not be reached.')))
    request.addEventListener('abort', () => reject(signal?.reason as Error))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.open(contract.method, buildUrl(client.baseUrl, contract, options))
    for (const [name, value] of Object.entries(buildHeaders(client, options, 'application/json'))) {
      request.setRequestHeader(name, value)
    }
    request.send(form)
  })
}
