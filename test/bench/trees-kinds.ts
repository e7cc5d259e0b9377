import { type ScreenKind, describeScreenKind, isSameScreenKind } from '../../src/screen/structure/screen-kind.ts'
import type { Tree, TreeLabels } from './trees-corpus.ts'

export interface KindCounts {
  /** Pairs of states of one page, and how many are taken for different kinds. */
  readonly same: number
  readonly separated: number
  /** Pairs of different pages of one app, and how many are taken for the same kind. */
  readonly different: number
  readonly confused: number
  /** Files of the wrong pairs. */
  readonly faults: readonly string[]
}

/** Compares all pairs of dumps of one app whose pages a person named. */
export function countKinds(trees: readonly Tree[], labels: ReadonlyMap<string, TreeLabels>): KindCounts {
  const screens = trees.flatMap((tree) => {
    const page = labels.get(tree.file)?.page
    if (page === undefined || page === UNCLEAR) return []
    return [{ file: tree.file, page, kind: describeScreenKind(tree.visible) }]
  })
  const counts = { same: 0, separated: 0, different: 0, confused: 0, faults: [] as string[] }
  for (const [at, first] of screens.entries()) {
    for (const second of screens.slice(at + 1)) countPair(first, second, counts)
  }
  return counts
}

/** Pages `a` and `a/b` may count as the same page or not. */
const UNCLEAR = '-'

interface NamedScreen {
  readonly file: string
  readonly page: string
  readonly kind: ScreenKind
}

function countPair(
  first: NamedScreen,
  second: NamedScreen,
  counts: { same: number; separated: number; different: number; confused: number; faults: string[] },
): void {
  const isSame = isSameScreenKind(first.kind, second.kind)
  const files = `${first.file} | ${second.file}`
  if (first.page === second.page) {
    counts.same += 1
    if (isSame) return
    counts.separated += 1
    counts.faults.push(`separated: ${files}`)
    return
  }
  if (first.page.split('/')[0] === second.page.split('/')[0]) return
  counts.different += 1
  if (!isSame) return
  counts.confused += 1
  counts.faults.push(`confused: ${files}`)
}
