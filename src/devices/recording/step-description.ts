import type { ObservedStep } from '../../knowledge/steps/observed-step.ts'
import { readAppPackage } from '../../screen/tree/hierarchy.ts'
import { formatActionLabel, isPasswordField } from './action-label.ts'
import type { CapturedAction, CapturedStep } from './captured-step.ts'
import { findWindowTitle, hasChanged } from './screen-facts.ts'
import { describeTarget, type ObservedTarget, findTarget, findTargetTree } from './step-target.ts'

/** An observed step before it is stored: it has no ids yet, and its screens stay with the caller. */
export interface DescribedStep extends Omit<ObservedStep, 'event_id' | 'trace_id' | 'before' | 'after'> {
  readonly window_title: string | undefined
  readonly target: ObservedTarget | undefined
}

export function describeStep(step: CapturedStep): DescribedStep {
  const { action, before, after } = step
  const node = findTarget(step)
  const tree = findTargetTree(step)
  const screen = before ?? after
  const isSecret = action.kind === 'text' && node !== undefined && isPasswordField(node)
  return {
    ...readAction(action, isSecret),
    app: findApp(step),
    action_label: formatActionLabel(step, node),
    window_title: (screen && findWindowTitle(screen.hierarchy)) ?? undefined,
    target: node && tree && describeTarget(tree, node),
    node_path: node && tree && node.path,
    before_ref: before?.ref,
    after_ref: after?.ref,
    caused_state_change: before !== undefined && after !== undefined && hasChanged(before, after),
    effect: step.effect,
    activity: after?.activity ?? undefined,
    created_at: new Date(step.at_ms).toISOString(),
  }
}

type ActionFields = 'kind' | 'text' | 'secret' | 'submit' | 'key' | 'direction' | 'point' | 'travel'

function readAction(action: CapturedAction, isSecret: boolean): Pick<ObservedStep, ActionFields> {
  switch (action.kind) {
    case 'text': {
      const { kind, text, submit } = action
      return { kind, submit, ...(isSecret ? { secret: true } : { text }) }
    }
    case 'scroll':
      return { kind: action.kind, direction: action.direction, point: action.point, travel: action.travel }
    case 'tap':
    case 'long_press':
    case 'slide':
      return { kind: action.kind, point: action.point }
    case 'key':
      return { kind: action.kind, key: action.key }
    case 'open_app':
    case 'close_app':
    case 'open_uri':
      return { kind: action.kind }
  }
}

function findApp({ action, before, after }: CapturedStep): string {
  if (action.kind === 'open_app' || action.kind === 'close_app') return action.package
  const screen = before ?? after
  return screen === undefined ? '' : readAppPackage(screen.hierarchy)
}
