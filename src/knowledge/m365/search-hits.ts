import { z } from 'zod'
import type { M365OperationResult } from '@apprentice/contracts/connectors/m365/operations.ts'
import { formatDocumentRef } from './document-ref.ts'
import { type GraphRequest, post } from './graph-request.ts'
import { clip, Id, readItems, Text, toTime, toUrl } from './values.ts'

type SearchResult = Extract<M365OperationResult, { operation_family: 'search' }>
type Hit = SearchResult['hits'][number]
type Source = 'files' | 'sites' | 'mail' | 'people'

const ENTITY_TYPES: Readonly<Record<Source, string>> = {
  files: 'driveItem',
  sites: 'site',
  mail: 'message',
  people: 'person',
}
/** Sources that one request may ask for together. */
const GROUPS: readonly (readonly Source[])[] = [['files', 'sites'], ['mail'], ['people']]
/** Graph gives at most so many messages. */
const LARGEST_MAIL_PAGE = 25

interface Query {
  readonly query: string
  readonly sources: readonly Source[]
  readonly size: number
  /** Whether the newest come first. */
  readonly newest_first?: boolean
}

/** One request for each group of sources. */
export function searchRequests({ query, sources, size, newest_first = false }: Query): GraphRequest[] {
  return GROUPS.map((group) => group.filter((source) => sources.includes(source)))
    .filter((group) => group.length > 0)
    .map((group) =>
      post(['search', 'query'], {
        requests: [
          {
            entityTypes: group.map((source) => ENTITY_TYPES[source]),
            query: { queryString: query },
            from: 0,
            size: group.includes('mail') ? Math.min(size, LARGEST_MAIL_PAGE) : size,
            ...(newest_first ? { sortProperties: [{ name: 'lastModifiedDateTime', isDescending: true }] } : {}),
          },
        ],
      }),
    )
}

const Reply = z.object({
  value: z.array(z.object({ hitsContainers: z.array(z.object({ hits: z.array(z.unknown()).nullish() })).nullish() })),
})
const GraphHit = z.object({
  hitId: Text,
  resource: z.looseObject({
    '@odata.type': z.string(),
    id: Text,
    name: Text,
    displayName: Text,
    subject: Text,
    webUrl: Text,
    webLink: Text,
    lastModifiedDateTime: Text,
    parentReference: z.looseObject({ driveId: Text }).nullish(),
  }),
})
type GraphHit = z.infer<typeof GraphHit>

const KINDS: Readonly<Record<string, Hit['source_kind']>> = {
  '#microsoft.graph.driveItem': 'file',
  '#microsoft.graph.site': 'site',
  '#microsoft.graph.message': 'mail',
  '#microsoft.graph.person': 'person',
}

/** The hits of several replies in turn, so that no source fills the answer alone. */
export function readHits(bodies: readonly unknown[], max: number): Hit[] {
  const lists = bodies.map((body) => {
    const containers = Reply.safeParse(body).data?.value.flatMap(({ hitsContainers }) => hitsContainers ?? []) ?? []
    return readItems(
      GraphHit,
      containers.flatMap(({ hits }) => hits ?? []),
    ).flatMap(toHit)
  })
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const merged = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
  return merged.slice(0, max)
}

function toHit({ hitId, resource }: GraphHit): Hit[] {
  const source_kind = KINDS[resource['@odata.type']]
  const id = Id.safeParse(source_kind === 'mail' ? hitId : (resource.id ?? hitId)).data
  if (source_kind === undefined || id === undefined) return []
  const drive_id = resource.parentReference?.driveId ?? undefined
  const hit_id = source_kind === 'file' ? formatDocumentRef({ drive_id, item_id: id }) : id
  return [
    {
      hit_id: clip(hit_id),
      source_kind,
      title: clip(resource.subject ?? resource.displayName ?? resource.name),
      url: toUrl(resource.webUrl ?? resource.webLink),
      modified_at: toTime(resource.lastModifiedDateTime),
    },
  ]
}

/** A phrase in the query language of the search. */
export const quotePhrase = (text: string): string => `"${text.replaceAll('"', ' ').trim()}"`
