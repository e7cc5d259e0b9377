/** The daemon refused a request or could not be reached. */
export class ApiFailure extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/**
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
export function get(path) {
  return call('GET', path)
}

/**
 * @template T
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<T>}
 */
export function post(path, body = {}) {
  return call('POST', path, body)
}

/** @param {string} path */
export function remove(path) {
  return call('DELETE', path)
}

/**
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<T>}
 */
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiFailure('UNREACHABLE', 'The daemon does not answer.')
  })
  if (response.ok) return response.json()
  throw toFailure(response.status, await response.json().catch(() => ({})))
}

/**
 * @param {number} status
 * @param {{ error?: { code?: string, message?: string } }} reply
 */
function toFailure(status, reply) {
  // The login has expired. The daemon then serves the login page.
  if (status === 401) location.reload()
  return new ApiFailure(reply.error?.code ?? 'UNKNOWN', reply.error?.message ?? `The daemon answered ${status}.`)
}

/**
 * Uploads a form and reports the uploaded part of it.
 *
 * @template T
 * @param {string} path
 * @param {FormData} form
 * @param {(part: number) => void} onProgress
 * @returns {Promise<T>}
 */
export function upload(path, form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status < 300) resolve(response)
      else reject(toFailure(status, response ?? {}))
    })
    request.addEventListener('error', () => reject(new ApiFailure('UNREACHABLE', 'The daemon does not answer.')))
    request.open('POST', path)
    request.send(form)
  })
}

/**
 * Follows an event stream. `onUp` is called when it is connected, `onDown` when the connection is lost.
 *
 * @param {string} path
 * @param {{ events: readonly string[], onEvent: (name: string, data: any) => void,
 *   onUp?: () => void, onDown?: () => void }} listener
 * @returns {() => void} closes the stream
 */
export function followEvents(path, { events, onEvent, onUp, onDown }) {
  const source = new EventSource(path)
  for (const name of events) {
    source.addEventListener(name, (event) => {
      // A lost connection is an `error` event too, but it has no data.
      if (event instanceof MessageEvent) onEvent(name, JSON.parse(event.data))
    })
  }
  source.addEventListener('open', () => onUp?.())
  source.addEventListener('error', (event) => {
    if (!(event instanceof MessageEvent)) onDown?.()
  })
  return () => source.close()
}
