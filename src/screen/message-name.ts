import { type UiNode, attribute } from './tree/hierarchy.ts'

/** Whether a node is part of a snackbar, banner or dialog, by the ids and classes of the node and the boxes around it. */
export const isNamedMessage = (node: UiNode): boolean => hasName(node, MESSAGE_NAME)

/** Whether a node is part of a message that disappears by itself. */
export const isNamedPassing = (node: UiNode): boolean => hasName(node, PASSING_NAME)

function hasName(node: UiNode, name: RegExp): boolean {
  for (let at: UiNode | null = node, level = 0; at !== null && level <= MAX_LEVELS; at = at.parent, level += 1) {
    if (name.test(attribute(at, 'resource-id')) || name.test(attribute(at, 'class'))) return true
  }
  return false
}

const PASSING_NAME = /snack_?bar|toast|Snackbar/
const MESSAGE_NAME =
  /snack_?bar|toast|(?:^|[/_.])(?:banner|alert|alertTitle|error|warning|textinput_error)(?:_|$)|Snackbar/
const MAX_LEVELS = 3
