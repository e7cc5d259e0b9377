import type {
  ElementOutline,
  ElementChange,
  Snapshot,
  SnapshotDiff,
  SnapshotElement,
} from '@apprentice/contracts/devices/snapshot.ts'

/** What became of a screen. Invisible elements play no part. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = before.elements.filter(({ visible }) => visible)
  const now = after.elements.filter(({ visible }) => visible)
  const pairs: Pairs = new Map()
  for (const keyOf of BY_CONTENT) pair(pairs, old, now, keyOf)
  const scrolls = now.flatMap((element) => scrollOf(element, after, pairs) ?? [])
  pairBySlot(pairs, old, now, scrolls)

  const matched = new Set(pairs.values())
  const diff = {
    screen_changed: isOtherScreen(before, after),
    activity: { before: before.activity, after: after.activity },
    added: now.filter((element) => !pairs.has(element)).map(outline),
    removed: old.filter((element) => !matched.has(element)).map(outline),
    changed: now.flatMap((element) => changeOf(pairs.get(element), element) ?? []),
    scrolled: scrolls.map(({ container, dx, dy, moved }) => ({
      container: outline(container),
      dx,
      dy,
      moved,
    })),
  }
  const lists = [diff.added, diff.removed, diff.changed, diff.scrolled]
  return { ...diff, empty: !diff.screen_changed && lists.every((list) => list.length === 0) }
}

/** Element now -> the same element before. */
type Pairs = Map<SnapshotElement, SnapshotElement>
type KeyOf = (element: SnapshotElement) => string | null

/** The surest sign first: same content in the same place, then in the same order elsewhere. */
const BY_CONTENT: readonly KeyOf[] = [
  (element) => key(element.node_path, ...contentOf(element)),
  (element) => (element.label === '' ? null : key(...contentOf(element))),
]

/** Pairs what is not paired yet, the first with the first under each key. */
function pair(
  pairs: Pairs,
  old: readonly SnapshotElement[],
  now: readonly SnapshotElement[],
  keyOf: KeyOf,
): void {
  const taken = new Set(pairs.values())
  const waiting = new Map<string, SnapshotElement[]>()
  for (const element of old) {
    const name = taken.has(element) ? null : keyOf(element)
    if (name === null) continue
    const same = waiting.get(name)
    if (same === undefined) waiting.set(name, [element])
    else same.push(element)
  }
  const used = new Map<string, number>()
  for (const element of now) {
    const name = pairs.has(element) ? null : keyOf(element)
    if (name === null) continue
    const turn = used.get(name) ?? 0
    const was = waiting.get(name)?.[turn]
    if (was === undefined) continue
    used.set(name, turn + 1)
    pairs.set(element, was)
  }
}

/**
 * The same slot, or the same id when there is but one, with new words. In a list that scrolled, a slot
 * says nothing: another row came to stand there.
 */
function pairBySlot(
  pairs: Pairs,
  old: readonly SnapshotElement[],
  now: readonly SnapshotElement[],
  scrolls: readonly { readonly container: SnapshotElement }[],
): void {
  const roots = scrolls.map(({ container }) => `${container.node_path}.`)
  const isFixed = ({ node_path }: SnapshotElement) =>
    !roots.some((root) => node_path.startsWith(root))
  const [fixedOld, fixedNow] = [old.filter(isFixed), now.filter(isFixed)]
  pair(pairs, fixedOld, fixedNow, (one) => key(one.node_path, one.type, one.resource_id))
  const single = [singleIds(old), singleIds(now)]
  pair(pairs, old, now, ({ type, resource_id }) =>
    resource_id !== null && single.every((ids) => ids.has(resource_id))
      ? key(type, resource_id)
      : null,
  )
}

function singleIds(elements: readonly SnapshotElement[]): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { resource_id } of elements) {
    if (resource_id === null) continue
    if (seen.has(resource_id)) repeated.add(resource_id)
    seen.add(resource_id)
  }
  return new Set([...seen].filter((id) => !repeated.has(id)))
}

function contentOf(element: SnapshotElement): (string | null)[] {
  return [element.type, element.resource_id, element.text, element.content_description]
}

function key(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts)
}

function changeOf(
  was: SnapshotElement | undefined,
  element: SnapshotElement,
): ElementChange | null {
  if (was === undefined) return null
  const changes = {
    ...changed('text', was.text, element.text),
    ...changed('content_description', was.content_description, element.content_description),
    ...changed('checked', was.state.checked ?? null, element.state.checked ?? null),
    ...changed('enabled', was.enabled, element.enabled),
    ...changed('selected', was.state.selected ?? null, element.state.selected ?? null),
  }
  if (Object.keys(changes).length === 0) return null
  return { before_path: was.node_path, element: outline(element), ...changes }
}

function changed<K extends string, T>(
  name: K,
  before: T,
  after: T,
): { [key in K]?: { before: T; after: T } } {
  // The computed key widens to string; the name is the only key there is.
  return before === after
    ? {}
    : ({ [name]: { before, after } } as { [key in K]: { before: T; after: T } })
}

type Scroll = {
  readonly container: SnapshotElement
  readonly dx: number
  readonly dy: number
  readonly moved: number
}

/** A list scrolled when most of what it still shows moved by one and the same distance. */
function scrollOf(container: SnapshotElement, { elements }: Snapshot, pairs: Pairs): Scroll | null {
  if (!container.scrollable) return null
  const shifts = new Map<string, { dx: number; dy: number; moved: number }>()
  let still = 0
  for (const element of elementsBelow(container, elements)) {
    const was = pairs.get(element)
    if (was === undefined || element.label === '' || was.label !== element.label) continue
    const shift = shiftOf(was, element)
    if (shift === null) continue
    if (shift.dx === 0 && shift.dy === 0) still += 1
    const known = shifts.get(`${shift.dx},${shift.dy}`) ?? { ...shift, moved: 0 }
    shifts.set(`${shift.dx},${shift.dy}`, { ...known, moved: known.moved + 1 })
  }
  const [strongest] = [...shifts.values()]
    .filter(({ dx, dy }) => dx !== 0 || dy !== 0)
    .toSorted((a, b) => b.moved - a.moved)
  if (strongest === undefined || strongest.moved <= still) return null
  return { container, ...strongest }
}

function* elementsBelow(
  { children }: SnapshotElement,
  elements: readonly SnapshotElement[],
): Generator<SnapshotElement> {
  for (const index of children) {
    const child = elements[index]
    if (child === undefined) continue
    yield child
    if (!child.scrollable) yield* elementsBelow(child, elements)
  }
}

/** Only an element of unchanged size tells a distance: one at the edge of a list is cut off. */
function shiftOf(
  was: SnapshotElement,
  element: SnapshotElement,
): { dx: number; dy: number } | null {
  if (was.bounds === null || element.bounds === null) return null
  const [left, top, right, bottom] = was.bounds
  const [nowLeft, nowTop, nowRight, nowBottom] = element.bounds
  const sameSize = right - left === nowRight - nowLeft && bottom - top === nowBottom - nowTop
  return sameSize ? { dx: nowLeft - left, dy: nowTop - top } : null
}

/** Apps with a single activity still change screens: then most of their named parts are others. */
function isOtherScreen(before: Snapshot, after: Snapshot): boolean {
  if (before.activity !== after.activity || before.package !== after.package) return true
  if (before.screen_id === after.screen_id) return false
  const [old, now] = [namedParts(before), namedParts(after)]
  const shared = [...old].filter((part) => now.has(part)).length
  return shared * 2 < Math.min(old.size, now.size)
}

function namedParts({ elements }: Snapshot): Set<string> {
  return new Set(
    elements
      .filter(({ visible }) => visible)
      .map(({ resource_id, type, depth }) => key(resource_id ?? `${depth}`, type)),
  )
}

function outline(element: SnapshotElement): ElementOutline {
  const { node_path, label, type, resource_id, matcher_role, bounds } = element
  return { node_path, label, type, resource_id, role: matcher_role, bounds }
}
