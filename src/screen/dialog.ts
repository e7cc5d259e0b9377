import { readDisplayedText } from './elements.ts'
import { type Hierarchy, type UiNode, attribute, findAppRoots } from './tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from './matcher.ts'

/** Reads the first texts of the dialog above the app. Returns undefined if there is none. */
export function readDialogText(hierarchy: Hierarchy): string | undefined {
  const roots = findAppRoots(hierarchy)
  const window = findWindow({ ...hierarchy, roots })
  const nodes = collectOnScreenNodes(roots, window)
  const isFloating = window !== null && (window.left > 0 || window.top > 0)
  if (!isFloating && !nodes.some(isDialogPart)) return undefined
  const texts = nodes.map(readText).filter((part) => part !== '')
  const text = texts.slice(0, 2).join(': ')
  return text === '' ? undefined : text.slice(0, MAX_TEXT_LENGTH)
}

const MAX_TEXT_LENGTH = 160

/** Matches the dialogs of the platform. It may draw them over the whole screen. */
function isDialogPart(node: UiNode): boolean {
  return DIALOG_ID.test(attribute(node, 'resource-id'))
}

const DIALOG_ID = /^(?:android:id\/(?:parentPanel|alertTitle|aerr_\w+)|.+:id\/(?:grant_dialog|permission_message))$/

function readText(node: UiNode): string {
  return (readDisplayedText(node).trim() || attribute(node, 'content-desc').trim()).replaceAll(/\s+/g, ' ')
}
