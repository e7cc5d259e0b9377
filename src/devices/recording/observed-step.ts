import type { Effect } from '@apprentice/contracts/devices/action.ts'
import { actionLabel, isSecret } from './action-label.ts'
import { hasChanged, frontPackage, windowTitle } from './screen-facts.ts'
import type { RecordedAction, StepEvidence } from './step-evidence.ts'
import { observeTarget, resolveNode, targetTree, type ObservedTarget } from './step-target.ts'

/** A step as learning sees it. */
export interface ObservedStep {
  readonly action: RecordedAction
  readonly at_ms: number
  readonly action_label: string
  /** The package of the app; empty when it was not seen. */
  readonly app_family: string
  readonly window_title: string | undefined
  readonly target: ObservedTarget | undefined
  readonly before_ref: string | undefined
  readonly after_ref: string | undefined
  /** False also when nothing was seen after the step. */
  readonly caused_state_change: boolean
  /** Absent for passwords. */
  readonly typed_text: string | undefined
  /** Text went into a password field. */
  readonly secret: boolean
  readonly effect: Effect | undefined
  /** The window in front after the step. */
  readonly activity: string | undefined
}

export function observeStep(step: StepEvidence): ObservedStep {
  const { action, before, after } = step
  const node = resolveNode(step)
  const tree = targetTree(step)
  const secret = action.kind === 'text' && node !== undefined && isSecret(node)
  const shown = before ?? after
  return {
    action: secret ? { ...action, text: '' } : action,
    at_ms: step.at_ms,
    action_label: actionLabel(step, node),
    app_family: appFamily(step),
    window_title: (shown && windowTitle(shown.hierarchy)) ?? undefined,
    target: node && tree && observeTarget(tree, node),
    before_ref: before?.ref,
    after_ref: after?.ref,
    caused_state_change: before !== undefined && after !== undefined && hasChanged(before, after),
    typed_text: action.kind === 'text' && !secret ? action.text : undefined,
    secret,
    effect: step.effect,
    activity: after?.activity ?? undefined,
  }
}

function appFamily({ action, before, after }: StepEvidence): string {
  if (action.kind === 'open_app' || action.kind === 'close_app') return action.package
  const shown = before ?? after
  return shown === undefined ? '' : frontPackage(shown.hierarchy)
}
