import { areOpposite } from '../../../screen/words/actions/action-meaning.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'

export interface ShownText {
  /** Path, attribute and line. */
  readonly place: string
  readonly text: string
  readonly kind: 'control' | 'title' | 'other'
}

/** What one screen shows outside its rows. */
export interface ScreenTexts {
  readonly package: string
  readonly nodes: readonly UiNode[]
  readonly texts: readonly ShownText[]
}

/** Screens of one kind, in the order they were seen, with the number of the visit. */
export type VisitGroup = readonly { readonly screen: ScreenTexts; readonly visit: number }[]

/** Groups screens that have the same nodes and mostly the same texts. Screens in succession are one visit. */
export function groupVisits(screens: readonly ScreenTexts[]): VisitGroup[] {
  const groups: {
    shape: Set<string>
    words: Set<string>
    entries: { screen: ScreenTexts; visit: number }[]
    last: number
  }[] = []
  screens.forEach((screen, index) => {
    const shape = describeShape(screen)
    const words = new Set(screen.texts.map(({ text }) => text))
    const group = groups.find((one) => share(one.shape, shape) >= SAME_SHAPE && share(one.words, words) >= SAME_WORDS)
    if (group === undefined) {
      groups.push({ shape, words, entries: [{ screen, visit: 0 }], last: index })
      return
    }
    const previous = group.entries.at(-1)?.visit ?? 0
    group.entries.push({ screen, visit: group.last === index - 1 ? previous : previous + 1 })
    group.last = index
  })
  return groups.map(({ entries }) => entries)
}

const SAME_SHAPE = 0.7
/** Two texts of three are the same: only a title may differ. */
const SAME_WORDS = 0.3

function describeShape({ package: name, nodes }: ScreenTexts): Set<string> {
  return new Set(
    nodes.map((node) => `${name} ${node.path} ${attribute(node, 'class')} ${attribute(node, 'resource-id')}`),
  )
}

/** Common members / all members. */
function share(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const one of a) if (b.has(one)) common++
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}

/**
 * Texts whose place showed another text on a screen of the same kind that did not have them at all. A control that says
 * the opposite afterwards shows no data.
 */
export function findChangingTexts(groups: readonly VisitGroup[]): Set<string> {
  const changing = new Set<string>()
  for (const group of groups) {
    const read = group.map(({ screen: { texts } }) => ({
      places: new Map(texts.map(({ place, text }) => [place, text])),
      words: new Set(texts.map(({ text }) => text)),
    }))
    const known = new Map<string, Set<string>>()
    for (const { places } of read) {
      for (const [place, text] of places) known.set(place, (known.get(place) ?? new Set()).add(text))
    }
    for (const { places, words } of read) {
      for (const [place, text] of places) {
        for (const other of known.get(place) ?? []) {
          if (other !== text && !words.has(other) && !areOpposite(other, text)) changing.add(other)
        }
      }
    }
  }
  return changing
}

/** The largest number of visits of one kind of screen that had a text. Titles do not count. */
export function countVisits(groups: readonly VisitGroup[]): Map<string, number> {
  const most = new Map<string, number>()
  for (const group of groups) {
    const visits = new Map<string, Set<number>>()
    for (const { screen, visit } of group) {
      for (const { text, kind } of screen.texts) {
        if (kind === 'title') continue
        visits.set(text, (visits.get(text) ?? new Set()).add(visit))
      }
    }
    for (const [text, seen] of visits) most.set(text, Math.max(most.get(text) ?? 0, seen.size))
  }
  return most
}
