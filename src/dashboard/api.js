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
  // The login has run out: the daemon shows how to get another.
  if (response.status === 401) location.reload()
  const said = await response.json().catch(() => ({}))
  throw new ApiFailure(
    said.error?.code ?? 'UNKNOWN',
    said.error?.message ?? `The daemon answered ${response.status}.`,
  )
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
