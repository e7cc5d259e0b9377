import type { LoadingState } from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/**
 * Detects the strongest sign that the screen is still loading. Drop-downs (`Spinner`), seek bars and rating
 * bars are not progress bars, and a title such as "Pending orders" is not a loading text.
 */
export function detectLoading(onScreen: readonly UiNode[]): LoadingState | null {
  let strongest: LoadingState | null = null
  for (const node of onScreen) {
    const toLoadingState = detectSign(node)
    if (toLoadingState !== null && toLoadingState.confidence > (strongest?.confidence ?? 0)) strongest = toLoadingState
  }
  return strongest
}

const PROGRESS_CLASSES = new Set(['ProgressBar', 'CircularProgressIndicator', 'LinearProgressIndicator'])
const LOADING_PHRASE = /^(loading|please wait|busy|pending)$/
const UNFINISHED_PHRASE = /^(loading|please wait)\b.*(\u2026|\.\.\.)$/

function detectSign(node: UiNode): LoadingState | null {
  const className = attribute(node, 'class')
  const simpleName = className.slice(className.lastIndexOf('.') + 1)
  if (PROGRESS_CLASSES.has(simpleName)) return sign('progress_indicator', 0.9)
  const id = attribute(node, 'resource-id')
  if (/shimmer|skeleton/i.test(id.slice(id.lastIndexOf('/') + 1))) return sign('skeleton', 0.8)
  if (isTrue(node, 'clickable')) return null
  return detectPhrase(attribute(node, 'text') || attribute(node, 'content-desc'))
}

function detectPhrase(label: string): LoadingState | null {
  const text = label.trim().toLowerCase()
  if (text.length === 0 || text.length > 40) return null
  const phrase = text.replace(/(\u2026|[.!\s])+$/, '')
  if (!LOADING_PHRASE.test(phrase) && !UNFINISHED_PHRASE.test(text)) return null
  return sign(phrase === 'busy' ? 'busy_indicator' : 'loading_indicator', 0.6)
}

function sign(signal: LoadingState['signal'], confidence: number): LoadingState {
  return { active: true, signal, source: 'ui_tree', confidence }
}
