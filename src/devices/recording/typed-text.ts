import { isTrue, type UiNode } from '../../screen/tree/hierarchy.ts'
import type { CapturedScreen, CapturedStep } from './captured-step.ts'
import { type FieldChange, findChangedFields, findFocusedField, findSameField, readFieldText } from './text-fields.ts'

/** Consecutive key presses, and the field of the screen before that probably received them. */
export interface Typing {
  readonly kind: 'typing'
  atMs: number
  readonly field: UiNode | undefined
}

/** Finds typed texts by comparing the fields before and after. The pressed keys are never read. */
export class TypedTextReader {
  readonly #before: CapturedScreen | undefined
  readonly #after: CapturedScreen | undefined
  #changes: readonly FieldChange[]

  constructor(before: CapturedScreen | undefined, after: CapturedScreen | undefined) {
    this.#before = before
    this.#after = after
    this.#changes = after === undefined ? [] : findChangedFields(before?.hierarchy, after.hierarchy)
  }

  /** Pass `isLast` if no typing follows: it then also takes a change in the focused field. */
  readSteps({ field, atMs }: Typing, isLast: boolean): CapturedStep[] {
    const isSecret = field !== undefined && isTrue(field, 'password')
    if (isSecret) return [this.#toStep(field, '', atMs)]
    const own = this.#changes.find(({ was }) => was === field)
    if (own !== undefined) return [this.#takeChange(own, atMs)]
    if (!isLast) return []
    const focused = this.#changes.find(({ field: now }) => isTrue(now, 'focused'))
    return focused === undefined ? this.#readNewField(atMs) : [this.#takeChange(focused, atMs)]
  }

  #takeChange(change: FieldChange, atMs: number): CapturedStep {
    this.#changes = this.#changes.filter((one) => one !== change)
    return this.#toStep(change.was, change.text, atMs)
  }

  /** A field that appeared during the typing contains the typed text. */
  #readNewField(atMs: number): CapturedStep[] {
    const [before, after] = [this.#before, this.#after]
    const field = findFocusedField(after?.hierarchy)
    if (field === undefined) return []
    if (before !== undefined && findSameField(before.hierarchy, field) !== undefined) return []
    const text = readFieldText(field)
    if (text === '' && !isTrue(field, 'password')) return []
    return [{ action: { kind: 'text', text }, at_ms: atMs, after, node: field }]
  }

  #toStep(field: UiNode | undefined, text: string, atMs: number): CapturedStep {
    return { action: { kind: 'text', text }, at_ms: atMs, before: this.#before, node: field }
  }
}
