import { chooseSources } from '../../../knowledge/m365/call-scopes.ts'
import { readHits, searchRequests } from '../../../knowledge/m365/search-hits.ts'
import type { Operation } from './operation.ts'

/** Sources that Graph does not search together are asked in one batch. */
export const search: Operation<'search'> = async ({ query, entity_filters, max_results }, deps) => {
  const { graph, granted_scopes } = deps
  const { sources, missing_scopes } = chooseSources(entity_filters, granted_scopes)
  const requests = searchRequests({ query, sources, size: max_results })
  const [only] = requests
  const bodies =
    requests.length === 1 && only !== undefined
      ? [await graph.send(only)]
      : (await graph.batch(requests)).map((reply) => graph.readReply(reply))
  return { result: { operation_family: 'search', hits: readHits(bodies, max_results) }, missing_scopes }
}
