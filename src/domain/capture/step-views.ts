import type { CapturedStepView, StepScreen } from '@apprentice/contracts/learn/understanding.ts'
import type { ObservedStep, ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import type { Hierarchy } from '../../screen/tree/hierarchy.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredObservation } from '../../store/capture/observations.ts'
import { listIncludedEvents } from './included-events.ts'

/** The captured actions of a session, each with the screen before it. `capture` has the screens, read before. */
export function listStepViews(reader: Reader, sessionId: string, capture: ObservedTrace): CapturedStepView[] {
  const names = readNames(reader, sessionId)
  const steps = new Map(capture.steps.map((step) => [step.event_id, step]))
  return listIncludedEvents(reader, sessionId).map((event) => {
    const screen = findScreen(event, steps.get(event.event_id))
    const name = names.get(event.event_id)
    return {
      event_id: event.event_id,
      words: name ?? event.action_label,
      named: name !== undefined,
      ...(event.bundle_id === undefined ? {} : { app: event.bundle_id }),
      ...(screen === undefined ? {} : { screen }),
      created_at: event.created_at,
    }
  })
}

/** The names that the person gave to actions. A later name replaces an earlier one. */
function readNames(reader: Reader, sessionId: string): ReadonlyMap<string, string> {
  return new Map(
    listBoundaries(reader, sessionId).flatMap(({ kind, source, source_event_id, label }) =>
      kind === 'mark_step' && source !== 'system_inferred' && source_event_id !== undefined && label !== undefined
        ? [[source_event_id, label.slice(0, 240)] as const]
        : [],
    ),
  )
}

/** The screen before the action, else the one after it, for example of an app that was just opened. */
function findScreen(event: StoredObservation, step: ObservedStep | undefined): StepScreen | undefined {
  const before = describeScreen(event.before_state_ref, step?.before, step)
  return before ?? describeScreen(event.after_state_ref, step?.after, step)
}

function describeScreen(
  ref: string | undefined,
  tree: Hierarchy | undefined,
  step: ObservedStep | undefined,
): StepScreen | undefined {
  const evidence_id = /^evidence:(.+)$/.exec(ref ?? '')?.[1]
  if (evidence_id === undefined || tree === undefined) return undefined
  const width = Math.max(0, ...tree.roots.map(({ bounds }) => bounds?.right ?? 0))
  const height = Math.max(0, ...tree.roots.map(({ bounds }) => bounds?.bottom ?? 0))
  if (width === 0 || height === 0) return undefined
  const used = step?.node_path === undefined ? undefined : tree.nodes.find(({ path }) => path === step.node_path)
  return {
    evidence_id,
    width,
    height,
    ...(used?.bounds == null ? {} : { bounds: { ...used.bounds } }),
  }
}
