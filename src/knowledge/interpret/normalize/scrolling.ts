import type { Intent } from '../read/intent.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findIdentity, isDataRow, listRows } from '../read/rows.ts'
import { findScroller } from '../read/screen.ts'

/** Drops scrolling. The next intent keeps the direction if its target is in a list. */
export function joinScrolling(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  let scrolls: Intent[] = []
  for (const intent of trace.intents) {
    if (intent.kind === 'scroll' && intent.pinned !== true && !movesEntries(intent)) {
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

/** Whether a swipe or drag did something to the entries of a list: one is gone between others, or the order changed. */
export function movesEntries({ before, after }: Intent): boolean {
  if (before === undefined || after === undefined) return false
  const [old, now] = [before, after].map((screen) =>
    listRows(screen)
      .filter(isDataRow)
      .map((row) => findIdentity(row)?.text ?? ''),
  )
  if (old === undefined || now === undefined) return false
  const kept = old.filter((name) => name !== '' && now.includes(name))
  const inOrder = now.filter((name) => kept.includes(name))
  if (kept.some((name, at) => name !== inOrder[at])) return true
  const [first, last] = [old.indexOf(kept[0] ?? ''), old.lastIndexOf(kept.at(-1) ?? '')]
  return kept.length > 1 && old.slice(first, last + 1).some((name) => name !== '' && !now.includes(name))
}

const ONLY_SCROLLED = 'The screen was only scrolled'

function findMainDirection(scrolls: readonly Intent[]): Intent['direction'] {
  const count = (direction: Intent['direction']) => scrolls.filter((scroll) => scroll.direction === direction).length
  const [most] = (['down', 'up', 'right', 'left'] as const).toSorted((a, b) => count(b) - count(a))
  return most
}
