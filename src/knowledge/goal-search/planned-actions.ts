import type { Affordance } from './affordances.ts'
import type { PlannedEdit, StepEdit } from './planned-edit.ts'

/** An action before validation. */
export interface PlannedAction {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
  /** How many touches it may need; 1 if absent. */
  readonly touches?: number
}

export const stopApp = (applicationId: string): PlannedAction => ({
  type: 'close_app',
  params: { applicationId },
})

export const startApp = (applicationId: string): PlannedAction => ({
  type: 'open_app',
  params: { applicationId },
})

export const GO_BACK: PlannedAction = { type: 'press_key', params: { key: 'back' } }

export const toWayAction = ({ kind, matcher, direction }: Affordance): PlannedAction =>
  kind === 'tap'
    ? { type: 'click', params: { matcher, strict: true } }
    : { type: 'scroll', params: { container: matcher, direction: direction ?? 'down' } }

const MAX_SLIDER_TOUCHES = 12

/** A step edit takes several taps, see `planNextTouch`. */
export function toEditAction(edit: Exclude<PlannedEdit, StepEdit>): PlannedAction {
  switch (edit.kind) {
    case 'check':
      return { type: 'set_checked', params: { matcher: edit.matcher, checked: edit.checked } }
    case 'choose':
      return { type: 'click', params: { matcher: edit.matcher, strict: true } }
    case 'slide': {
      const { value, slider, target } = edit
      const params = { value, slider, target, maxAdjustments: MAX_SLIDER_TOUCHES }
      return { type: 'adjust_until', params, touches: MAX_SLIDER_TOUCHES }
    }
    case 'type': {
      const { matcher, text, replaces } = edit
      return { type: 'enter_text', params: { matcher, text, strict: true, ...(replaces && { clear: true }) } }
    }
  }
}

/** The app or the words of the element that an action names. Empty if it names neither. */
export function describePlannedAction({ params }: PlannedAction): string {
  const { applicationId, matcher, container } = params
  if (typeof applicationId === 'string') return applicationId
  const words = Object.values((matcher ?? container ?? {}) as Record<string, unknown>)
  return words.find((word): word is string => typeof word === 'string') ?? ''
}

/** Typed text is left out. */
export function describeStep(step: Affordance | PlannedEdit): string {
  switch (step.kind) {
    case 'tap':
      return `Tap ${step.label}`
    case 'scroll':
      return `Scroll ${step.direction ?? 'down'}`
    case 'check':
      return `Switch ${step.label} ${step.checked ? 'on' : 'off'}`
    case 'choose':
      return `Choose ${step.label}`
    case 'step':
    case 'slide':
      return `Adjust ${step.label}`
    case 'type':
      return `Type into ${step.label}`
  }
}
