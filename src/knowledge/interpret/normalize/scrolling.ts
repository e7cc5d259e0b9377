import type { Intent } from '../read/intent.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findScroller } from '../read/screen.ts'

/** Drops scrolling. The next intent keeps the direction if its target is in a list. */
export function joinScrolling(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  let scrolls: Intent[] = []
  for (const intent of trace.intents) {
    if (intent.kind === 'scroll' && intent.pinned !== true) {
      scrolls.push(intent)
      continue
    }
    if (scrolls.length === 0) {
      intents.push(intent)
      continue
    }
    const isSearch = intent.node !== undefined && findScroller(intent.node) !== undefined
    pruned.push(
      isSearch
        ? toPruned(scrolls, 'scroll_to_find', 'The list was scrolled to find the next target')
        : toPruned(scrolls, 'no_effect', ONLY_SCROLLED),
    )
    intents.push(isSearch ? { ...intent, found_by: findMainDirection(scrolls) } : intent)
    scrolls = []
  }
  if (scrolls.length > 0) pruned.push(toPruned(scrolls, 'no_effect', ONLY_SCROLLED))
  return { ...trace, intents, pruned }
}

const ONLY_SCROLLED = 'The screen was only scrolled'

function findMainDirection(scrolls: readonly Intent[]): Intent['direction'] {
  const count = (direction: Intent['direction']) => scrolls.filter((scroll) => scroll.direction === direction).length
  const [most] = (['down', 'up', 'right', 'left'] as const).toSorted((a, b) => count(b) - count(a))
  return most
}
