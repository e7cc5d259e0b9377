import type { ContainerMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Bounds } from './tree/bounds.ts'
import { type Hierarchy, type UiNode, isTrue } from './tree/hierarchy.ts'
import { scanOnScreen, collectOnScreenNodes, resolveTarget, findWindow } from './matcher.ts'

export interface ScrollRequest {
  readonly container?: ContainerMatcher | undefined
  readonly findFirstScrollableChild: boolean
  readonly strict?: boolean | undefined
}

export type ScrollContainer =
  | { readonly kind: 'found'; readonly node: UiNode }
  | {
      readonly kind: 'failed'
      readonly error: 'CONTAINER_NOT_FOUND' | 'CONTAINER_NOT_SCROLLABLE' | 'CONTAINER_AMBIGUOUS'
    }

/** Resolves the node to swipe: the named container, the first scrollable node in it, or the first on screen. */
export function resolveScrollContainer(
  hierarchy: Hierarchy,
  request: ScrollRequest,
  window: Bounds | null = findWindow(hierarchy),
): ScrollContainer {
  const { container, strict } = request
  if (container === undefined) {
    return chooseFirstScrollable(collectOnScreenNodes(hierarchy.roots, window), 'CONTAINER_NOT_FOUND')
  }
  const named = resolveTarget(hierarchy, { matcher: container, strict }, scanOnScreen(window))
  if (named.kind === 'ambiguous') return { kind: 'failed', error: 'CONTAINER_AMBIGUOUS' }
  if (named.kind === 'missing') return { kind: 'failed', error: 'CONTAINER_NOT_FOUND' }
  const reach = request.findFirstScrollableChild ? collectOnScreenNodes([named.node], window) : [named.node]
  return chooseFirstScrollable(reach, 'CONTAINER_NOT_SCROLLABLE')
}

function chooseFirstScrollable(
  nodes: readonly UiNode[],
  error: 'CONTAINER_NOT_FOUND' | 'CONTAINER_NOT_SCROLLABLE',
): ScrollContainer {
  const node = nodes.find((one) => isTrue(one, 'scrollable'))
  return node === undefined ? { kind: 'failed', error } : { kind: 'found', node }
}
