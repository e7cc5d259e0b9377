/** The daemon refused, or could not be reached. */
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
  throw failureOf(response.status, await response.json().catch(() => ({})))
}

/**
 * @param {number} status
 * @param {{ error?: { code?: string, message?: string } }} said
 */
function failureOf(status, said) {
  // The login has run out: the daemon shows how to get another.
  if (status === 401) location.reload()
  return new ApiFailure(
    said.error?.code ?? 'UNKNOWN',
    said.error?.message ?? `The daemon answered ${status}.`,
  )
}

/**
 * Sends a form, and tells how much of it has left.
 *
 * @template T
 * @param {string} path
 * @param {FormData} form
 * @param {(part: number) => void} onProgress
 * @returns {Promise<T>}
 */
export function send(path, form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status < 300) resolve(response)
      else reject(failureOf(status, response ?? {}))
    })
    request.addEventListener('error', () =>
      reject(new ApiFailure('UNREACHABLE', 'The daemon does not answer.')),
    )
    request.open('POST', path)
    request.send(form)
  })
}

/**
 * Follows an event stream. `onDown` is told each time it breaks off, `onUp` when it is there (again).
 *
 * @param {string} path
 * @param {{ events: readonly string[], onEvent: (name: string, data: any) => void,
 *   onUp?: () => void, onDown?: () => void }} listener
 * @returns {() => void} ends it
 */
export function follow(path, { events, onEvent, onUp, onDown }) {
  const source = new EventSource(path)
  for (const name of events) {
    source.addEventListener(name, (event) => {
      // A broken connection is also called `error`, but brings no data.
      if (event instanceof MessageEvent) onEvent(name, JSON.parse(event.data))
    })
  }
  source.addEventListener('open', () => onUp?.())
  source.addEventListener('error', (event) => {
    if (!(event instanceof MessageEvent)) onDown?.()
  })
  return () => source.close()
}
