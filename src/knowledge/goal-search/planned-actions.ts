import type { Affordance } from './affordances.ts'
import type { PlannedEdit } from './goal-status.ts'

/** An action before validation. */
export interface PlannedAction {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
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

export const toWayAction = ({ kind, matcher }: Affordance): PlannedAction =>
  kind === 'tap'
    ? { type: 'click', params: { matcher, strict: true } }
    : { type: 'scroll', params: { container: matcher, direction: 'down' } }

export function toEditAction(edit: Exclude<PlannedEdit, { kind: 'step' }>): PlannedAction {
  const { matcher } = edit
  switch (edit.kind) {
    case 'check':
      return { type: 'set_checked', params: { matcher, checked: edit.checked } }
    case 'choose':
      return { type: 'click', params: { matcher, strict: true } }
    case 'type':
      return { type: 'enter_text', params: { matcher, text: edit.text, strict: true } }
  }
}

/** Typed text is left out. */
export function describeStep(step: Affordance | PlannedEdit): string {
  switch (step.kind) {
    case 'tap':
      return `Tap ${step.label}`
    case 'scroll':
      return 'Scroll down'
    case 'check':
      return `Switch ${step.label} ${step.checked ? 'on' : 'off'}`
    case 'choose':
      return `Choose ${step.label}`
    case 'step':
      return `Adjust ${step.label}`
    case 'type':
      return `Type into ${step.label}`
  }
}
