import type { UiNode } from '../tree/hierarchy.ts'
import { readBounds } from './node-kind.ts'

type Parts = readonly UiNode[]

/** The children of a holder, and what kind of part each of them is. */
interface Holder {
  readonly nodes: Parts
  readonly kinds: readonly string[]
}

/**
 * Adds the rows before and after a run of equal rows that have a part more or less, such as a status. They begin with the
 * same kind of part at the same place, and the gaps inside them are smaller than the gap before and after them.
 */
export function extendRecords(strict: readonly Parts[], nodes: Parts, kinds: readonly string[]): Parts[] {
  const [model] = strict
  const whole = strict.filter((parts) => parts.length === model?.length)
  if (model === undefined || strict.indexOf(whole.at(-1) ?? model) !== whole.length - 1) return [...strict]
  const holder = { nodes, kinds }
  const from = nodes.indexOf(model[0] as UiNode)
  const before: Parts[] = []
  for (let end = from; ;) {
    const found = findBest(
      listLengths(model, end).map((length) => [end - length, end] as const),
      model,
      holder,
    )
    if (found === undefined) break
    before.unshift(found)
    end -= found.length
  }
  const after: Parts[] = []
  const start = from + whole.length * model.length
  for (let at = start; at < nodes.length;) {
    const found =
      findBest(
        listLengths(model, nodes.length - at).map((length) => [at, at + length] as const),
        model,
        holder,
      ) ?? takeCut(at, model, holder)
    if (found === undefined) break
    after.push(found)
    at += found.length
  }
  // A cut row of the run is kept if nothing better was found for its parts.
  const rest = after.length === 0 ? strict.slice(whole.length) : []
  return [...before, ...whole, ...after, ...rest]
}

const MAX_OPTIONAL = 2
const MIN_PARTS = 2
const MIN_LIKENESS = 0.66

/** The numbers of parts that a row may have, nearest to the model first. */
function listLengths(model: Parts, available: number): number[] {
  const lengths = [model.length]
  for (let change = 1; change <= MAX_OPTIONAL; change += 1) lengths.push(model.length + change, model.length - change)
  return lengths.filter((length) => length >= MIN_PARTS && length <= available)
}

/** The first of the most similar candidates. */
function findBest(
  places: readonly (readonly [from: number, end: number])[],
  model: Parts,
  holder: Holder,
): Parts | undefined {
  let best: Parts | undefined
  let most = MIN_LIKENESS
  for (const [from, end] of places) {
    if (!isSetApart(from, end, holder) || !beginsLike(from, model, holder)) continue
    const likeness = measureLikeness(holder.kinds.slice(from, end), readKinds(model, holder))
    if (likeness < most || (likeness === most && best !== undefined)) continue
    best = holder.nodes.slice(from, end)
    most = likeness
  }
  return best
}

const readKinds = (parts: Parts, { nodes, kinds }: Holder): readonly string[] => {
  const from = nodes.indexOf(parts[0] as UiNode)
  return kinds.slice(from, from + parts.length)
}

/** The parts of a row that the lower edge cuts. */
function takeCut(from: number, model: Parts, holder: Holder): Parts | undefined {
  const parts = holder.nodes.slice(from)
  if (parts.length < MIN_PARTS || parts.length >= model.length || !beginsLike(from, model, holder)) return undefined
  const expected = readKinds(model, holder)
  const isStart = parts.every((_, at) => holder.kinds[from + at] === expected[at]) && standsInColumns(parts, model)
  return isStart && isSetApart(from, holder.nodes.length, holder) ? parts : undefined
}

/** Whether the parts of a row begin at left edges of another row, in its order. Some parts may be missing. */
export function standsInColumns(parts: Parts, model: Parts): boolean {
  const edges = model.map((node) => readBounds(node).left)
  let from = 0
  for (const node of parts) {
    const at = edges.indexOf(readBounds(node).left, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}

function beginsLike(from: number, model: Parts, { nodes, kinds }: Holder): boolean {
  const [first, node] = [model[0], nodes[from]]
  if (first === undefined || node === undefined || kinds[from] !== kinds[nodes.indexOf(first)]) return false
  return readBounds(first).left === readBounds(node).left
}

/** Whether the gap before and after some parts is larger than every gap between them. */
function isSetApart(from: number, end: number, holder: Holder): boolean {
  let inside = 0
  for (let at = from + 1; at < end; at += 1) inside = Math.max(inside, measureGap(from, at, holder))
  const isFree = (at: number, since: number) => measureGap(since, at, holder) > inside
  return (from === 0 || isFree(from, from - 1)) && (end === holder.nodes.length || isFree(end, from))
}

/** The distance down from the parts between two places to the part at the second one. */
function measureGap(since: number, at: number, { nodes }: Holder): number {
  const node = nodes[at]
  const bottoms = nodes.slice(Math.max(0, since), at).map((one) => readBounds(one).bottom)
  return node === undefined ? 0 : readBounds(node).top - Math.max(...bottoms)
}

/** The share of kinds that two rows have in the same order. */
function measureLikeness(one: readonly string[], other: readonly string[]): number {
  let above = Array.from({ length: other.length + 1 }, () => 0)
  for (const kind of one) {
    const row = [0]
    for (const [at, expected] of other.entries()) {
      const matched = kind === expected ? (above[at] ?? 0) + 1 : 0
      row.push(Math.max(matched, above[at + 1] ?? 0, row[at] ?? 0))
    }
    above = row
  }
  return (above.at(-1) ?? 0) / Math.max(one.length, other.length)
}
