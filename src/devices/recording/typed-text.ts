import { isTrue, type UiNode } from '../../screen/hierarchy.ts'
import type { ScreenEvidence, StepEvidence } from './step-evidence.ts'
import {
  changedFields,
  fieldText,
  type FieldChange,
  focusedField,
  sameField,
} from './text-fields.ts'

/** Keys pressed in a row, and the field of the screen before that they are thought to have gone to. */
export interface Typing {
  readonly kind: 'typing'
  atMs: number
  readonly field: UiNode | undefined
}

type TextStep = Omit<StepEvidence, 'effect' | 'app_label'>

/** What was typed, told by how the fields stand before and after; which keys were pressed never counts. */
export class TypedText {
  readonly #before: ScreenEvidence | undefined
  readonly #after: ScreenEvidence | undefined
  #changes: readonly FieldChange[]

  constructor(before: ScreenEvidence | undefined, after: ScreenEvidence | undefined) {
    this.#before = before
    this.#after = after
    this.#changes = after === undefined ? [] : changedFields(before?.hierarchy, after.hierarchy)
  }

  /** `last`: no typing follows, so a change nobody else explains is this one's. */
  stepsOf({ field, atMs }: Typing, last: boolean): TextStep[] {
    const secret = field !== undefined && isTrue(field, 'password')
    if (secret) return [this.#step({ field, text: '', atMs })]
    const own = this.#changes.find(({ was }) => was === field)
    if (own !== undefined) return [this.#take(own, atMs)]
    if (!last) return []
    const focused = this.#changes.find(({ field: now }) => isTrue(now, 'focused'))
    return focused === undefined ? this.#newField(atMs) : [this.#take(focused, atMs)]
  }

  #take(change: FieldChange, atMs: number): TextStep {
    this.#changes = this.#changes.filter((one) => one !== change)
    return this.#step({ field: change.was, text: change.text, atMs })
  }

  /** A field that came up while keys were pressed: it holds what they typed. */
  #newField(atMs: number): TextStep[] {
    const [before, after] = [this.#before, this.#after]
    const field = focusedField(after?.hierarchy)
    if (field === undefined) return []
    if (before !== undefined && sameField(before.hierarchy, field) !== undefined) return []
    const text = fieldText(field)
    if (text === '' && !isTrue(field, 'password')) return []
    return [{ action: { kind: 'text', text }, at_ms: atMs, after, node: field }]
  }

  #step(typed: { field: UiNode | undefined; text: string; atMs: number }): TextStep {
    const { field, text, atMs } = typed
    return { action: { kind: 'text', text }, at_ms: atMs, before: this.#before, node: field }
  }
}
