import type { Affordance } from './affordances.ts'
import type { PlannedEdit } from './goal-status.ts'

/** An action as it is sent, before it is checked. */
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

export const goBack: PlannedAction = { type: 'press_key', params: { key: 'back' } }

export const followWay = ({ kind, matcher }: Affordance): PlannedAction =>
  kind === 'tap'
    ? { type: 'click', params: { matcher, strict: true } }
    : { type: 'scroll', params: { container: matcher, direction: 'down' } }

export function actionOf(deed: Exclude<PlannedEdit, { kind: 'step' }>): PlannedAction {
  const { matcher } = deed
  switch (deed.kind) {
    case 'check':
      return { type: 'set_checked', params: { matcher, checked: deed.checked } }
    case 'choose':
      return { type: 'click', params: { matcher, strict: true } }
    case 'type':
      return { type: 'enter_text', params: { matcher, text: deed.text, strict: true } }
  }
}

/** What was done, without what was typed. */
export function saidOf(done: Affordance | PlannedEdit): string {
  switch (done.kind) {
    case 'tap':
      return `Tap ${done.label}`
    case 'scroll':
      return 'Scroll down'
    case 'check':
      return `Switch ${done.label} ${done.checked ? 'on' : 'off'}`
    case 'choose':
      return `Choose ${done.label}`
    case 'step':
      return `Adjust ${done.label}`
    case 'type':
      return `Type into ${done.label}`
  }
}
