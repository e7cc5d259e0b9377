import type { ContainerMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Bounds } from './bounds.ts'
import { type Hierarchy, type UiNode, isTrue } from './hierarchy.ts'
import { onScreen, onScreenNodes, resolveTarget, windowOf } from './matcher.ts'

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

/** What a swipe is to act on: the named container, the first scrollable below it, or the first at all. */
export function resolveScrollContainer(
  hierarchy: Hierarchy,
  request: ScrollRequest,
  window: Bounds | null = windowOf(hierarchy),
): ScrollContainer {
  const { container, strict } = request
  if (container === undefined) {
    return firstScrollable(onScreenNodes(hierarchy.roots, window), 'CONTAINER_NOT_FOUND')
  }
  const named = resolveTarget(hierarchy, { matcher: container, strict }, onScreen(window))
  if (named.kind === 'ambiguous') return { kind: 'failed', error: 'CONTAINER_AMBIGUOUS' }
  if (named.kind === 'missing') return { kind: 'failed', error: 'CONTAINER_NOT_FOUND' }
  const reach = request.findFirstScrollableChild
    ? onScreenNodes([named.node], window)
    : [named.node]
  return firstScrollable(reach, 'CONTAINER_NOT_SCROLLABLE')
}

function firstScrollable(
  nodes: readonly UiNode[],
  error: 'CONTAINER_NOT_FOUND' | 'CONTAINER_NOT_SCROLLABLE',
): ScrollContainer {
  const node = nodes.find((one) => isTrue(one, 'scrollable'))
  return node === undefined ? { kind: 'failed', error } : { kind: 'found', node }
}
