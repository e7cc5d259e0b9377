import type { LoadingState } from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/**
 * The strongest sign among the nodes on screen that content is still to come. Drop-downs (`Spinner`),
 * seek bars and rating bars share words with progress bars and are none; "Pending orders" is a title.
 */
export function loadingState(onScreen: readonly UiNode[]): LoadingState | null {
  let strongest: LoadingState | null = null
  for (const node of onScreen) {
    const sign = signOf(node)
    if (sign !== null && sign.confidence > (strongest?.confidence ?? 0)) strongest = sign
  }
  return strongest
}

const PROGRESS_CLASSES = new Set([
  'ProgressBar',
  'CircularProgressIndicator',
  'LinearProgressIndicator',
])
const PHRASE = /^(loading|please wait|busy|pending)$/
const OPEN_PHRASE = /^(loading|please wait)\b.*(\u2026|\.\.\.)$/

function signOf(node: UiNode): LoadingState | null {
  const className = attribute(node, 'class')
  const simpleName = className.slice(className.lastIndexOf('.') + 1)
  if (PROGRESS_CLASSES.has(simpleName)) return sign('progress_indicator', 0.9)
  const id = attribute(node, 'resource-id')
  if (/shimmer|skeleton/i.test(id.slice(id.lastIndexOf('/') + 1))) return sign('skeleton', 0.8)
  if (isTrue(node, 'clickable')) return null
  return signOfWords(attribute(node, 'text') || attribute(node, 'content-desc'))
}

function signOfWords(label: string): LoadingState | null {
  const words = label.trim().toLowerCase()
  if (words.length === 0 || words.length > 40) return null
  const phrase = words.replace(/(\u2026|[.!\s])+$/, '')
  if (!PHRASE.test(phrase) && !OPEN_PHRASE.test(words)) return null
  return sign(phrase === 'busy' ? 'busy_indicator' : 'loading_indicator', 0.6)
}

function sign(signal: LoadingState['signal'], confidence: number): LoadingState {
  return { active: true, signal, source: 'ui_tree', confidence }
}
