import type { LearnedWorkflow, StepMark } from '../../knowledge/interpret/draft/workflow.ts'
import type { Demonstration, ShownStep } from '../capture/demonstration.ts'
import { stateAfter, withoutConcrete } from '../../knowledge/text/label-rewriting.ts'

/** Equal neighbouring actions, taken as one. */
export interface StepCluster {
  readonly step: ShownStep
  readonly event_ids: readonly string[]
  readonly caused_state_change: boolean
}

interface WorkflowNode {
  readonly node_id: string
  readonly kind: StepMark['kind']
  readonly label: string
  readonly source_event_ids: readonly string[]
  readonly control_surface?: string
}

/** The order of what was shown. Internal: it is kept beside a draft and never sent to an agent. */
export interface WorkflowGraph {
  readonly graph_id: string
  readonly learn_session_id: string
  readonly nodes: readonly WorkflowNode[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
  readonly created_at: string
  readonly schema_version: 1
}

type GraphMarks = Pick<WorkflowGraph, 'graph_id' | 'learn_session_id' | 'created_at'>

const labelLimit = 240

/** One user action is often reported several times; equal neighbours are one action. */
export function collapse(steps: readonly ShownStep[]): StepCluster[] {
  const clusters: { step: ShownStep; event_ids: string[]; caused_state_change: boolean }[] = []
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

export function toGraph(shown: Demonstration, marks: GraphMarks): WorkflowGraph {
  const parts = collapse(shown.steps).flatMap((cluster) => [
    clusterNode(cluster),
    ...shown.marks
      .filter(({ after_event_id: at }) => at !== undefined && cluster.event_ids.includes(at))
      .map(markNode),
  ])
  const unplaced = shown.marks.filter((mark) => mark.after_event_id === undefined).map(markNode)
  return graphOf([...unplaced, ...parts], marks)
}

/** The same of what the screens said: steps without anything that was chosen or typed, then the proof. */
export function toLearnedGraph(
  { steps, conditions, verification }: LearnedWorkflow,
  marks: GraphMarks,
): WorkflowGraph {
  const node = (kind: StepMark['kind'], label: string, ids: readonly string[] = []): NodeParts => ({
    kind,
    label: withoutConcrete(label, labelLimit) || 'Unnamed step',
    source_event_ids: ids,
  })
  return graphOf(
    [
      ...conditions.map((label) => node('guard', label)),
      ...steps.map(({ description, source_event_ids }) => ({
        ...node('action', description, source_event_ids),
        control_surface: 'raw_ui',
      })),
      ...verification.map(({ words }) => node('verification', words)),
    ],
    marks,
  )
}

function graphOf(parts: readonly NodeParts[], marks: GraphMarks): WorkflowGraph {
  const nodes = parts.map((node, index) => ({
    node_id: `n${String(index + 1).padStart(2, '0')}`,
    ...node,
  }))
  const edges = nodes.slice(1).map(({ node_id }, index) => ({
    from: nodes[index]?.node_id ?? '',
    to: node_id,
  }))
  return { ...marks, nodes, edges, schema_version: 1 }
}

const isRepeat = (a: ShownStep, b: ShownStep): boolean =>
  a.adapter_kind === b.adapter_kind &&
  a.app_family === b.app_family &&
  a.target_ref === b.target_ref &&
  a.action_label === b.action_label

type NodeParts = Omit<WorkflowNode, 'node_id'>

function clusterNode({ step, event_ids }: StepCluster): NodeParts {
  return {
    kind: 'action',
    label: stateAfter(step.action_label, labelLimit) ?? 'Unnamed action',
    source_event_ids: event_ids,
    ...(step.control_surface === undefined ? {} : { control_surface: step.control_surface }),
  }
}

const markNode = ({ label, kind, after_event_id }: StepMark): NodeParts => ({
  kind,
  label: withoutConcrete(label, labelLimit) || 'Unnamed step',
  source_event_ids: after_event_id === undefined ? [] : [after_event_id],
})
