import { fail, type GraphCall, type GraphRoute, ok } from './graph-reply.ts'

interface SearchRequest {
  readonly entityTypes: readonly string[]
  readonly query: { readonly queryString: string }
  readonly size: number
  readonly sortProperties?: readonly unknown[]
}

interface Resource {
  readonly '@odata.type': string
  readonly id?: string
  readonly [field: string]: unknown
}

/** Words in quotes, or all words, must occur in the title. */
function matches(title: string, { queryString }: SearchRequest['query']): boolean {
  const words = queryString
    .replaceAll(/"|\bAND\b/g, ' ')
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
  return words.every((word) => title.toLowerCase().includes(word))
}

function findResources({ state }: GraphCall, type: string): { hitId: string; title: string; resource: Resource }[] {
  if (type === 'driveItem') {
    return Object.entries(state.drives).flatMap(([driveId, items]) =>
      items
        .filter(({ content }) => content !== undefined)
        .map(({ id, name, modified }) => ({
          hitId: `hit-${id}`,
          title: name,
          resource: {
            '@odata.type': '#microsoft.graph.driveItem',
            id,
            name,
            lastModifiedDateTime: modified,
            parentReference: { driveId },
          },
        })),
    )
  }
  if (type === 'site') {
    return state.sites.map(({ id, displayName }) => ({
      hitId: id,
      title: displayName,
      resource: { '@odata.type': '#microsoft.graph.site', id, displayName },
    }))
  }
  if (type === 'message') {
    return state.messages.map(({ id, subject, receivedDateTime }) => ({
      hitId: id,
      title: subject,
      resource: { '@odata.type': '#microsoft.graph.message', subject, lastModifiedDateTime: receivedDateTime },
    }))
  }
  return state.people.map(({ id, displayName }) => ({
    hitId: id,
    title: displayName,
    resource: { '@odata.type': '#microsoft.graph.person', id, displayName },
  }))
}

/** Which types may be asked for together. */
const isAllowed = (types: readonly string[]): boolean =>
  types.length === 1 || types.every((type) => type === 'driveItem' || type === 'site')

export const searchRoutes: readonly GraphRoute[] = [
  {
    method: 'POST',
    path: /^\/search\/query$/,
    scopes: ['Files.Read.All', 'Mail.Read'],
    handle: (call) => {
      const [request, ...more] = call.body['requests'] as SearchRequest[]
      if (request === undefined || more.length > 0 || !isAllowed(request.entityTypes)) return fail(400, 'BadRequest')
      if (request.entityTypes.includes('message') && request.size > 25) return fail(400, 'BadRequest')
      const found = request.entityTypes
        .flatMap((type) => findResources(call, type))
        .filter(({ title }) => matches(title, request.query))
      const hits = found
        .slice(0, request.size)
        .map(({ hitId, resource }, at) => ({ hitId, rank: at + 1, summary: '', resource }))
      return ok({
        value: [{ searchTerms: [], hitsContainers: [{ hits, total: found.length, moreResultsAvailable: false }] }],
      })
    },
  },
]
