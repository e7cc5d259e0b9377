import type { LearnedWorkflow, WorkflowMark } from '../../../knowledge/interpret/draft/workflow.ts'
import type { Demonstration, DemonstratedAction } from '../../capture/demonstration.ts'
import { describeStateAfter, removeConcrete } from '../../../knowledge/text/label-rewriting.ts'

/** Equal consecutive actions merged into one. */
export interface ActionCluster {
  readonly step: DemonstratedAction
  readonly event_ids: readonly string[]
  readonly caused_state_change: boolean
}

interface WorkflowNode {
  readonly node_id: string
  readonly kind: WorkflowMark['kind']
  readonly label: string
  readonly source_event_ids: readonly string[]
  readonly control_surface?: string
}

/** The order of the demonstrated steps. Internal: stored with the draft and never sent to an agent. */
export interface WorkflowGraph {
  readonly graph_id: string
  readonly learn_session_id: string
  readonly nodes: readonly WorkflowNode[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
  readonly created_at: string
  readonly schema_version: 1
}

type GraphHeader = Pick<WorkflowGraph, 'graph_id' | 'learn_session_id' | 'created_at'>

const MAX_LABEL = 240

/** Merges equal consecutive steps, because adapters often report one action several times. */
export function mergeRepeats(steps: readonly DemonstratedAction[]): ActionCluster[] {
  const clusters: {
    step: DemonstratedAction
    event_ids: string[]
    caused_state_change: boolean
  }[] = []
  for (const step of steps) {
    const last = clusters.at(-1)
    if (last !== undefined && isRepeat(last.step, step)) {
      last.event_ids.push(step.event_id)
      last.caused_state_change ||= step.caused_state_change
    } else {
      const { event_id, caused_state_change } = step
      clusters.push({ step, event_ids: [event_id], caused_state_change })
    }
  }
  return clusters
}

export function buildGraph(demonstration: Demonstration, header: GraphHeader): WorkflowGraph {
  const parts = mergeRepeats(demonstration.steps).flatMap((cluster) => [
    toActionNode(cluster),
    ...demonstration.marks
      .filter(({ after_event_id: at }) => at !== undefined && cluster.event_ids.includes(at))
      .map(toMarkNode),
  ])
  const unplaced = demonstration.marks.filter((mark) => mark.after_event_id === undefined).map(toMarkNode)
  return linkNodes([...unplaced, ...parts], header)
}

/** Builds the graph from a learned workflow: conditions, steps without chosen or typed values, verifications. */
export function buildLearnedGraph(
  { steps, conditions, verification }: LearnedWorkflow,
  header: GraphHeader,
): WorkflowGraph {
  const node = (kind: WorkflowMark['kind'], label: string, ids: readonly string[] = []): NodeParts => ({
    kind,
    label: removeConcrete(label, MAX_LABEL) || 'Unnamed step',
    source_event_ids: ids,
  })
  return linkNodes(
    [
      ...conditions.map((label) => node('guard', label)),
      ...steps.map(({ description, source_event_ids }) => ({
        ...node('action', description, source_event_ids),
        control_surface: 'raw_ui',
      })),
      ...verification.map(({ text }) => node('verification', text)),
    ],
    header,
  )
}

function linkNodes(parts: readonly NodeParts[], header: GraphHeader): WorkflowGraph {
  const nodes = parts.map((node, index) => ({
    node_id: `n${String(index + 1).padStart(2, '0')}`,
    ...node,
  }))
  const edges = nodes.slice(1).map(({ node_id }, index) => ({
    from: nodes[index]?.node_id ?? '',
    to: node_id,
  }))
  return { ...header, nodes, edges, schema_version: 1 }
}

const isRepeat = (a: DemonstratedAction, b: DemonstratedAction): boolean =>
  a.adapter_kind === b.adapter_kind &&
  a.app_family === b.app_family &&
  a.target_ref === b.target_ref &&
  a.action_label === b.action_label

type NodeParts = Omit<WorkflowNode, 'node_id'>

function toActionNode({ step, event_ids }: ActionCluster): NodeParts {
  return {
    kind: 'action',
    label: describeStateAfter(step.action_label, MAX_LABEL) ?? 'Unnamed action',
    source_event_ids: event_ids,
    ...(step.control_surface === undefined ? {} : { control_surface: step.control_surface }),
  }
}

const toMarkNode = ({ label, kind, after_event_id }: WorkflowMark): NodeParts => ({
  kind,
  label: removeConcrete(label, MAX_LABEL) || 'Unnamed step',
  source_event_ids: after_event_id === undefined ? [] : [after_event_id],
})
