import { attribute, type UiNode } from '../../screen/tree/hierarchy.ts'
import type { Screen } from '../interpret/read/screen.ts'
import type { NumberControl } from './controls/number-controls.ts'
import type { PlannedEdit, StepEdit } from './planned-edit.ts'
import { findUniqueMatcher, findUniqueValueMatcher } from './unique-matcher.ts'

/** The ways to bring a control to a value. A wheel with a field may be typed into. */
export function planNumber(
  control: NumberControl,
  target: StepEdit['target'],
  { screen, label }: { readonly screen: Screen; readonly label: string },
): PlannedEdit[][] {
  const value = findUniqueValueMatcher(screen.tree, control.value)
  if (value === undefined) return []
  // The buttons of a wheel show the values beside the current one.
  const findMatcher = control.kind === 'wheel' ? findUniqueValueMatcher : findUniqueMatcher
  const find = (node: UiNode | undefined) => node && findMatcher(screen.tree, node)
  const base = { label, class: attribute(control.value, 'class') }
  if (control.slider !== undefined) {
    const slider = findUniqueValueMatcher(screen.tree, control.slider)
    return slider === undefined || typeof target !== 'number'
      ? []
      : [[{ ...base, kind: 'slide', value, slider, target }]]
  }
  const [increase, decrease] = [find(control.increase), find(control.decrease)]
  const steps: PlannedEdit[][] =
    increase === undefined && decrease === undefined
      ? []
      : [[{ ...base, kind: 'step', value, increase, decrease, target }]]
  const isTyped =
    typeof target === 'number' && control.kind === 'wheel' && /EditText/u.test(attribute(control.value, 'class'))
  if (!isTyped) return steps
  return [[{ ...base, kind: 'type', matcher: value, text: String(target), replaces: true }], ...steps]
}
