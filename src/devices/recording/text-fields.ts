import { elementState } from '../../screen/element-traits.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from '../../screen/hierarchy.ts'
import { isTextField } from './step-target.ts'

export interface FieldChange {
  /** As it is now. */
  readonly field: UiNode
  /** The same field before; absent when it was not on the screen then. */
  readonly was: UiNode | undefined
  readonly text: string
}

/** The fields whose text is another now. What a password field holds is never compared. */
export function changedFields(before: Hierarchy | undefined, after: Hierarchy): FieldChange[] {
  return textFields(after).flatMap((field) => {
    const was = before === undefined ? undefined : sameField(before, field)
    const text = fieldText(field)
    return was !== undefined && fieldText(was) !== text ? [{ field, was, text }] : []
  })
}

export function focusedField(tree: Hierarchy | undefined): UiNode | undefined {
  return tree?.nodes.find((node) => isTextField(node) && isTrue(node, 'focused'))
}

/** The field another tree shows as this one: by its id if there is but one, else by its place. */
export function sameField(tree: Hierarchy, field: UiNode): UiNode | undefined {
  const id = attribute(field, 'resource-id')
  const alike =
    id === '' ? [] : allFields(tree).filter((one) => attribute(one, 'resource-id') === id)
  if (alike.length === 1) return alike[0]
  return allFields(tree).find(
    (one) => one.path === field.path && attribute(one, 'resource-id') === id,
  )
}

/** What stands in a field. A build that does not name the hint shows it as text. */
export function fieldText(field: UiNode): string {
  return elementState(field).text_value ?? ''
}

function textFields(tree: Hierarchy): UiNode[] {
  return allFields(tree).filter((node) => !isTrue(node, 'password'))
}

function allFields(tree: Hierarchy): UiNode[] {
  return tree.nodes.filter(isTextField)
}
