import type { ObservedStep, ObservedTrace } from '../../../src/knowledge/steps/observed-step.ts'
import type { Hierarchy, UiNode } from '../../../src/screen/tree/hierarchy.ts'
import { attribute } from '../../../src/screen/tree/hierarchy.ts'
import { screen, type Sketch } from '../../screen/tree-builder.ts'

export interface Touch {
  readonly kind?: ObservedStep['kind']
  /** The text or description of the touched node. */
  readonly on: string
  /** Which of the nodes with the label, from 0. */
  readonly nth?: number
  readonly direction?: ObservedStep['direction']
  readonly text?: string
}

/** A trace of touches, each with the screen after it. The first sketch is the screen before the first touch. */
export function demonstrate(first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]): ObservedTrace {
  let before = screen(first)
  return {
    trace_id: 'shown',
    steps: steps.map(([{ kind = 'tap', on, nth, direction, text }, sketch], at) => {
      const after = screen(sketch)
      const step: ObservedStep = {
        event_id: `e${at}`,
        trace_id: 'shown',
        kind,
        app: 'com.example',
        action_label: kind,
        caused_state_change: true,
        created_at: '2026-01-01T00:00:00.000Z',
        before,
        after,
        node_path: find(before, on, nth).path,
        ...(direction !== undefined && { direction }),
        ...(text !== undefined && { text }),
      }
      before = after
      return step
    }),
  }
}

export function find({ nodes }: Hierarchy, label: string, nth = 0): UiNode {
  const alike = nodes.filter((node) => attribute(node, 'text') === label || attribute(node, 'content-desc') === label)
  const found = alike[nth]
  if (found === undefined) throw new Error(`Nothing shows ${label}.`)
  return found
}
