import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { findNodes } from '../read/matching.ts'
import { readText } from '../read/node-text.ts'
import { isInside, isSameView, type Screen } from '../read/screen.ts'
import { type Candidate, findCandidates, type ScreenView, selectFallbacks } from '../read/selectors.ts'

/**
 * Waits for the window or page that the press before opened, if that page has a control that looks like the next target:
 * "Delete" in the question after "Delete". Otherwise a run whose window opens late presses the same control twice.
 */
export function draftWindowWait(
  { kind, node, before }: Intent,
  best: Candidate,
  previous: Intent | undefined,
  view: ScreenView,
): Omit<RecipeStep, 'id'> | undefined {
  const page = previous?.before
  if (node === undefined || before === undefined || page === undefined || previous?.node === undefined) return undefined
  if (kind !== 'press' || !PRESSES.has(previous.kind) || isSameView(page, before)) return undefined
  if (findNodes(page, best, view.examples).length === 0) return undefined
  const mark = findMark(node, before, page, view)
  if (mark === undefined) return undefined
  return { type: 'wait_for_node', ...mark, params: { timeoutMs: WAIT_MS } }
}

const PRESSES: ReadonlySet<Intent['kind']> = new Set(['press', 'choose'])
const WAIT_MS = 8000

/** A text of the app that is new with a window. */
function findMark(
  target: UiNode,
  screen: Screen,
  page: Screen,
  view: ScreenView,
): Pick<RecipeStep, 'selector' | 'fallbacks'> | undefined {
  for (const node of screen.nodes) {
    if (readText(node) === '' || isInside(node, target) || isInside(target, node)) continue
    const candidates = findCandidates(node, screen, view)
    const [best] = candidates
    if (best === undefined || best.container !== undefined || !WORDED.has(best.source)) continue
    if (findNodes(page, best, view.examples).length > 0 || findNodes(screen, best, view.examples).length !== 1) continue
    const fallbacks = selectFallbacks(node, candidates, screen, view)
    return { selector: best.selector, ...(fallbacks.length > 0 && { fallbacks }) }
  }
  return undefined
}

const WORDED: ReadonlySet<Candidate['source']> = new Set(['text', 'id_and_text', 'content_description', 'label'])
