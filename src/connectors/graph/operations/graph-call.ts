import type { GraphFaultFacts } from '../../../knowledge/m365/graph-fault.ts'
import { get } from '../../../knowledge/m365/graph-request.ts'
import type { ReadOperation } from '../../../knowledge/m365/operation-request.ts'
import { GraphClient, type GraphClientDeps, GraphFault } from '../graph-client.ts'
import type { OperationAnswer, OperationDeps } from './operation.ts'
import { runOperation } from './run-operation.ts'

export type GraphFinding =
  | { readonly kind: 'answer'; readonly answer: OperationAnswer }
  | { readonly kind: 'fault'; readonly facts: GraphFaultFacts }

type CallParts = Omit<OperationDeps, 'graph' | 'narrow_to'>

/** Performs one operation. Never throws because of Graph. */
export async function callGraph(
  { request, narrow_to }: ReadOperation,
  parts: CallParts,
  deps: GraphClientDeps,
): Promise<GraphFinding> {
  return withClient(deps, async (graph) => ({
    kind: 'answer',
    answer: await runOperation(request, { ...parts, graph, narrow_to }),
  }))
}

/** Asks Graph who is signed in. It changes nothing. A service has no profile of its own and asks for the organization. */
export async function pingGraph(
  { is_service }: { readonly is_service: boolean },
  deps: GraphClientDeps,
): Promise<GraphFaultFacts | undefined> {
  const segments = is_service ? ['organization'] : ['me']
  const finding = await withClient<GraphFinding | undefined>(deps, async (graph) => {
    await graph.send(get(segments, { $select: 'id' }))
    return undefined
  })
  return finding?.kind === 'fault' ? finding.facts : undefined
}

async function withClient<T>(
  deps: GraphClientDeps,
  work: (graph: GraphClient) => Promise<T>,
): Promise<T | Extract<GraphFinding, { kind: 'fault' }>> {
  const graph = new GraphClient(deps)
  try {
    return await work(graph)
  } catch (error) {
    if (error instanceof GraphFault) return { kind: 'fault', facts: error.facts }
    throw error
  } finally {
    await graph.close()
  }
}
