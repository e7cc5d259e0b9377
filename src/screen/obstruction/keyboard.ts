import { type Hierarchy, type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { inferMatcherRole } from '../tree/roles.ts'

/**
 * Whether a keyboard covers the lower part of the screen: it has a window in the dump, or a text field has the focus and
 * the content of its window ends far above the lower edge.
 */
export function findKeyboard({ roots, nodes }: Hierarchy): boolean {
  if (roots.some((root) => /inputmethod/i.test(attribute(root, 'package')))) return true
  const field = nodes.find((node) => isTrue(node, 'focused') && inferMatcherRole(node) === 'textfield')
  if (field === undefined) return false
  const chain = listAncestors(field)
  const root = chain.at(-1)
  const content = chain.find((node) => CONTENT_ID.test(attribute(node, 'resource-id'))) ?? chain.at(-2)
  if (root?.bounds == null || content?.bounds == null) return false
  const height = root.bounds.bottom - root.bounds.top
  return root.bounds.bottom - content.bounds.bottom > MIN_KEYBOARD_SHARE * height
}

/** The ancestors of a node, innermost first. */
function listAncestors(node: UiNode): UiNode[] {
  const ancestors: UiNode[] = []
  for (let at = node.parent; at !== null; at = at.parent) ancestors.push(at)
  return ancestors
}

const CONTENT_ID = /^android:id\/content$/
const MIN_KEYBOARD_SHARE = 0.2
