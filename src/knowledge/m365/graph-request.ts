/** A request to Microsoft Graph. Every segment of the path is encoded when it is sent. */
export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly segments: readonly string[]
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export const get = (segments: readonly string[], query: Readonly<Record<string, string>> = {}): GraphRequest => ({
  method: 'GET',
  segments,
  query,
})

export const post = (segments: readonly string[], body: unknown): GraphRequest => ({ method: 'POST', segments, body })

export const patch = (segments: readonly string[], body: unknown): GraphRequest => ({
  method: 'PATCH',
  segments,
  body,
})

/** The address below the base URL. A segment may contain only what `encodeURIComponent` keeps, and `:` of site paths. */
export function formatPath({ segments, query = {} }: Pick<GraphRequest, 'segments' | 'query'>): string {
  const path = segments.map(encodeSegment).join('/')
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return pairs.length === 0 ? `/${path}` : `/${path}?${pairs.join('&')}`
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') throw new Error('Not a segment of a path.')
  return encodeURIComponent(segment).replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%24', '$')
}

/** A string in a filter. */
export const quoteFilter = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A phrase in a search. */
export const quoteSearch = (text: string): string => `"${text.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`
