import type { Intent } from '../read/intent.ts'
import { findNodes } from '../read/matching.ts'
import { isSameKind } from '../read/screen.ts'
import type { Ending } from './ending.ts'

/** Whether the last screen offers the target of an intent, as the screen before it did. */
export function isOffered({ node, before, entry }: Intent, { end, locate, examples }: Ending): boolean {
  if (node === undefined || before === undefined || !isSameKind(before, end)) return false
  const place = locate(node, before, entry)
  return place !== undefined && findNodes(end, place, examples).length === 1
}
