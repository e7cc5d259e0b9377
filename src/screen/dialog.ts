import { shownText } from './elements.ts'
import { type Hierarchy, type UiNode, attribute } from './hierarchy.ts'
import { onScreenNodes, windowOf } from './matcher.ts'

/** The first words of the dialog that lies over the app, if the screen shows one. */
export function dialogWords(hierarchy: Hierarchy): string | undefined {
  const window = windowOf(hierarchy)
  const nodes = onScreenNodes(hierarchy.roots, window)
  const floats = window !== null && (window.left > 0 || window.top > 0)
  if (!floats && !nodes.some(isDialogPart)) return undefined
  const words = nodes.map(wordsOf).filter((text) => text !== '')
  const shown = words.slice(0, 2).join(': ')
  return shown === '' ? undefined : shown.slice(0, MAX_WORDS)
}

const MAX_WORDS = 160

/** Of the platform's own dialogs, which it may draw over the whole screen. */
function isDialogPart(node: UiNode): boolean {
  return DIALOG_ID.test(attribute(node, 'resource-id'))
}

const DIALOG_ID =
  /^(?:android:id\/(?:parentPanel|alertTitle|aerr_\w+)|.+:id\/(?:grant_dialog|permission_message))$/

function wordsOf(node: UiNode): string {
  return (shownText(node).trim() || attribute(node, 'content-desc').trim()).replaceAll(/\s+/g, ' ')
}
