import { type ScreenKind, describeScreenKind, isSameScreenKind } from '../../src/screen/structure/screen-kind.ts'
import { readLabel } from '../../src/screen/tree/roles.ts'
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

/** Compares all pairs of dumps of one app whose pages a person named, or without any names, by a plain rule. */
export function countKinds(trees: readonly Tree[], labels: ReadonlyMap<string, TreeLabels>): KindCounts {
  const compare = labels.size === 0 ? comparePlainly : compareNames
  const screens = trees.map((tree) => ({
    file: tree.file,
    page: labels.get(tree.file)?.page,
    texts: listTexts(tree),
    kind: describeScreenKind(tree.visible),
  }))
  const counts = { same: 0, separated: 0, different: 0, confused: 0, faults: [] as string[] }
  for (const [at, first] of screens.entries()) {
    for (const second of screens.slice(at + 1)) countPair(first, second, { truth: compare(first, second), counts })
  }
  return counts
}

/** Pages `a` and `a/b` may count as the same page or not. */
const UNCLEAR = '-'

interface ComparedScreen {
  readonly file: string
  readonly page: string | undefined
  readonly texts: ReadonlySet<string>
  readonly kind: ScreenKind
}

/** Whether two dumps show one page. Undefined if nobody can tell. */
type Truth = 'same' | 'different' | undefined

function compareNames({ page: one }: ComparedScreen, { page: other }: ComparedScreen): Truth {
  if (one === undefined || other === undefined || one === UNCLEAR || other === UNCLEAR) return undefined
  if (one === other) return 'same'
  return one.split('/')[0] === other.split('/')[0] ? undefined : 'different'
}

/** Dumps with hardly a common text show different pages, those with mostly common texts the same one. */
function comparePlainly({ texts: one }: ComparedScreen, { texts: other }: ComparedScreen): Truth {
  if (Math.min(one.size, other.size) < MIN_TEXTS) return undefined
  const common = [...one].filter((text) => other.has(text)).length
  const share = common / (one.size + other.size - common)
  if (share <= HARDLY) return 'different'
  return share >= MOSTLY ? 'same' : undefined
}

const MIN_TEXTS = 3
const HARDLY = 0.1
const MOSTLY = 0.6

const listTexts = ({ visible }: Tree): ReadonlySet<string> =>
  new Set(visible.map((node) => readLabel(node).toLowerCase()).filter((text) => /\p{L}/u.test(text)))

function countPair(
  first: ComparedScreen,
  second: ComparedScreen,
  {
    truth,
    counts,
  }: {
    readonly truth: Truth
    readonly counts: { -readonly [K in keyof Omit<KindCounts, 'faults'>]: number } & { faults: string[] }
  },
): void {
  if (truth === undefined) return
  const isSame = isSameScreenKind(first.kind, second.kind)
  const files = `${first.file} | ${second.file}`
  counts[truth] += 1
  if (isSame === (truth === 'same')) return
  counts[isSame ? 'confused' : 'separated'] += 1
  counts.faults.push(`${isSame ? 'confused' : 'separated'}: ${files}`)
}
