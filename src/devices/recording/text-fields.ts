import { readElementState } from '../../screen/tree/element-traits.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from '../../screen/tree/hierarchy.ts'
import { isTextField } from './step-target.ts'

export interface FieldChange {
  /** The field after the change. */
  readonly field: UiNode
  /** The same field before the change. Absent if it was not on the screen. */
  readonly was: UiNode | undefined
  readonly text: string
}

/** The fields whose text changed. Password fields are never compared. */
export function findChangedFields(before: Hierarchy | undefined, after: Hierarchy): FieldChange[] {
  return listTextFields(after).flatMap((field) => {
    const was = before === undefined ? undefined : findSameField(before, field)
    const text = readFieldText(field)
    return was !== undefined && readFieldText(was) !== text ? [{ field, was, text }] : []
  })
}

export function findFocusedField(tree: Hierarchy | undefined): UiNode | undefined {
  return tree?.nodes.find((node) => isTextField(node) && isTrue(node, 'focused'))
}

/** Finds a field in another tree: by its id if that is unique, otherwise by its path. */
export function findSameField(tree: Hierarchy, field: UiNode): UiNode | undefined {
  const id = attribute(field, 'resource-id')
  const alike = id === '' ? [] : listFields(tree).filter((one) => attribute(one, 'resource-id') === id)
  if (alike.length === 1) return alike[0]
  return listFields(tree).find((one) => one.path === field.path && attribute(one, 'resource-id') === id)
}

/** The content of a field. Some Android builds report the hint as text; it is not content. */
export function readFieldText(field: UiNode): string {
  return readElementState(field).text_value ?? ''
}

function listTextFields(tree: Hierarchy): UiNode[] {
  return listFields(tree).filter((node) => !isTrue(node, 'password'))
}

function listFields(tree: Hierarchy): UiNode[] {
  return tree.nodes.filter(isTextField)
}
