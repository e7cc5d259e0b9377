import type { LoadingState } from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue } from './tree/hierarchy.ts'

/**
 * Detects the strongest sign that the screen is still loading. Drop-downs (`Spinner`), seek bars and rating bars are not
 * progress bars, and a title such as "Pending orders" is not a loading text. On a screen with much to touch, a long bar
 * shows how far something is, and "pending" the state of something.
 */
export function detectLoading(onScreen: readonly UiNode[]): LoadingState | null {
  const isUsable = onScreen.filter((node) => isTrue(node, 'clickable')).length >= MUCH_TO_TOUCH
  let strongest: LoadingState | null = null
  for (const node of onScreen) {
    const state = detectSign(node, isUsable)
    if (state !== null && state.confidence > (strongest?.confidence ?? 0)) strongest = state
  }
  return strongest
}

const MUCH_TO_TOUCH = 5
/** A bar of this width to height has a range; a circle has none. */
const BAR_RATIO = 4

const PROGRESS_CLASSES = new Set(['ProgressBar', 'CircularProgressIndicator', 'LinearProgressIndicator'])
const LOADING_PHRASE = /^(loading|please wait|busy|pending)$/
const STATE_PHRASE = /^(busy|pending)$/
const UNFINISHED_PHRASE = /^(loading|please wait)\b.*(\u2026|\.\.\.)$/

function detectSign(node: UiNode, isUsable: boolean): LoadingState | null {
  const className = attribute(node, 'class')
  const simpleName = className.slice(className.lastIndexOf('.') + 1)
  if (PROGRESS_CLASSES.has(simpleName)) return isUsable && isBar(node) ? null : sign('progress_indicator', 0.9)
  const id = attribute(node, 'resource-id')
  if (/shimmer|skeleton/i.test(id.slice(id.lastIndexOf('/') + 1))) return sign('skeleton', 0.8)
  if (isTrue(node, 'clickable') || (node.parent !== null && isTrue(node.parent, 'clickable'))) return null
  return detectPhrase(attribute(node, 'text') || attribute(node, 'content-desc'), isUsable)
}

function isBar({ bounds }: UiNode): boolean {
  return bounds !== null && bounds.right - bounds.left >= (bounds.bottom - bounds.top) * BAR_RATIO
}

function detectPhrase(label: string, isUsable: boolean): LoadingState | null {
  const text = label.trim().toLowerCase()
  if (text.length === 0 || text.length > 40) return null
  const phrase = text.replace(/(?<![\u2026.!\s])[\u2026.!\s]+$/, '')
  if (!LOADING_PHRASE.test(phrase) && !UNFINISHED_PHRASE.test(text)) return null
  if (isUsable && STATE_PHRASE.test(phrase)) return null
  return sign(phrase === 'busy' ? 'busy_indicator' : 'loading_indicator', 0.6)
}

function sign(signal: LoadingState['signal'], confidence: number): LoadingState {
  return { active: true, signal, source: 'ui_tree', confidence }
}
