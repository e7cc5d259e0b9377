import { expect } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import type { LearnedWorkflow } from '../../../src/knowledge/interpret/draft/workflow.ts'
import type { ObservedStep } from '../../../src/knowledge/steps/observed-step.ts'
import type { UiNode } from '../../../src/screen/tree/hierarchy.ts'
import { readLabel } from '../../../src/screen/tree/roles.ts'
import { screen, type Sketch } from '../../screen/tree-builder.ts'

/** A touch on the node with a label on a page, the first or the nth of them, or a text typed into the only field of it. */
export type Touch =
  | { readonly tap: string; readonly nth?: number }
  | { readonly hold: string }
  | { readonly type: string }

/** Interprets touches on pages that a test draws. Each touch leads to the page after it; the last page is the end. */
export function learnFromPages(
  goal: string,
  ...parts: readonly (Sketch | Touch)[]
): LearnedWorkflow & { readonly described: readonly string[] } {
  const steps = observePages(...parts)
  const workflow = interpretTraces([{ trace_id: 'trace', steps }], { goal, marks: [] })
  return { ...workflow, described: workflow.steps.map(({ description }) => description) }
}

/** The steps of touches on pages. */
export function observePages(...parts: readonly (Sketch | Touch)[]): ObservedStep[] {
  const steps: ObservedStep[] = []
  for (let at = 0; at + 2 < parts.length; at += 2) {
    const [before, touch, after] = parts.slice(at, at + 3)
    if (before === undefined || touch === undefined || after === undefined) break
    steps.push(toStep(before as Sketch, touch as Touch, after as Sketch, `event-${at}`))
  }
  return steps
}

function toStep(before: Sketch, touch: Touch, after: Sketch, event_id: string): ObservedStep {
  const tree = screen(before)
  const target = 'type' in touch ? undefined : 'tap' in touch ? touch.tap : touch.hold
  const isField = (one: UiNode) => one.attributes['class'] === 'android.widget.EditText'
  const found = tree.nodes.filter((one) =>
    target === undefined ? isField(one) : !isField(one) && readLabel(one) === target,
  )
  const node = found['nth' in touch ? (touch.nth ?? 0) : 0]
  if (node === undefined) return expect.fail(`no node is labelled ${target}`)
  return {
    event_id,
    trace_id: 'trace',
    kind: 'type' in touch ? 'text' : 'tap' in touch ? 'tap' : 'long_press',
    app: 'com.example',
    action_label: '',
    node_path: node.path,
    ...('type' in touch && { text: touch.type }),
    caused_state_change: true,
    created_at: '2026-03-01T12:00:00.000Z',
    before: tree,
    after: screen(after),
  }
}
