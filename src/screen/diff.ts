import type {
  ElementOutline,
  ElementChange,
  Snapshot,
  SnapshotDiff,
  SnapshotElement,
} from '@apprentice/contracts/devices/snapshot.ts'

/** Compares two snapshots. Invisible elements are ignored. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = before.elements.filter(({ visible }) => visible)
  const now = after.elements.filter(({ visible }) => visible)
  const pairs: Pairs = new Map()
  for (const toKey of CONTENT_KEYS) pair(pairs, old, now, toKey)
  const scrolls = now.flatMap((element) => findScroll(element, after, pairs) ?? [])
  pairBySlot(pairs, old, now, scrolls)

  const matched = new Set(pairs.values())
  const diff = {
    screen_changed: isOtherScreen(before, after),
    activity: { before: before.activity, after: after.activity },
    added: now.filter((element) => !pairs.has(element)).map(toOutline),
    removed: old.filter((element) => !matched.has(element)).map(toOutline),
    changed: now.flatMap((element) => findChange(pairs.get(element), element) ?? []),
    scrolled: scrolls.map(({ container, dx, dy, moved }) => ({
      container: toOutline(container),
      dx,
      dy,
      moved,
    })),
  }
  const lists = [diff.added, diff.removed, diff.changed, diff.scrolled]
  return { ...diff, empty: !diff.screen_changed && lists.every((list) => list.length === 0) }
}

/** Maps each element to the same element in the earlier snapshot. */
type Pairs = Map<SnapshotElement, SnapshotElement>
type KeyFunction = (element: SnapshotElement) => string | null

/** Most reliable first: same content at the same path, then same content in the same order elsewhere. */
const CONTENT_KEYS: readonly KeyFunction[] = [
  (element) => key(element.node_path, ...listContent(element)),
  (element) => (element.label === '' ? null : key(...listContent(element))),
]

/** Pairs the unpaired elements with equal keys, in tree order. */
function pair(
  pairs: Pairs,
  old: readonly SnapshotElement[],
  now: readonly SnapshotElement[],
  toKey: KeyFunction,
): void {
  const paired = new Set(pairs.values())
  const candidates = new Map<string, SnapshotElement[]>()
  for (const element of old) {
    const name = paired.has(element) ? null : toKey(element)
    if (name === null) continue
    const same = candidates.get(name)
    if (same === undefined) candidates.set(name, [element])
    else same.push(element)
  }
  const used = new Map<string, number>()
  for (const element of now) {
    const name = pairs.has(element) ? null : toKey(element)
    if (name === null) continue
    const next = used.get(name) ?? 0
    const was = candidates.get(name)?.[next]
    if (was === undefined) continue
    used.set(name, next + 1)
    pairs.set(element, was)
  }
}

/**
 * Pairs elements whose text changed: by path, or by a resource id that is unique on both screens. Paths
 * inside a scrolled list are ignored, because another row has taken the place.
 */
function pairBySlot(
  pairs: Pairs,
  old: readonly SnapshotElement[],
  now: readonly SnapshotElement[],
  scrolls: readonly { readonly container: SnapshotElement }[],
): void {
  const roots = new Set(scrolls.map(({ container }) => container.node_path))
  const isFixed = ({ node_path }: SnapshotElement) => !isBelow(node_path, roots)
  const [fixedOld, fixedNow] = [old.filter(isFixed), now.filter(isFixed)]
  pair(pairs, fixedOld, fixedNow, (one) => key(one.node_path, one.type, one.resource_id))
  const unique = [findUniqueIds(old), findUniqueIds(now)]
  pair(pairs, old, now, ({ type, resource_id }) =>
    resource_id !== null && unique.every((ids) => ids.has(resource_id)) ? key(type, resource_id) : null,
  )
}

/** Whether a path is below one of the roots. It takes as many steps as the path is long, however many roots there are. */
function isBelow(path: string, roots: ReadonlySet<string>): boolean {
  if (roots.size === 0) return false
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    if (roots.has(path.slice(0, end))) return true
  }
  return false
}

function findUniqueIds(elements: readonly SnapshotElement[]): Set<string> {
  const all = new Set<string>()
  const repeated = new Set<string>()
  for (const { resource_id } of elements) {
    if (resource_id === null) continue
    if (all.has(resource_id)) repeated.add(resource_id)
    all.add(resource_id)
  }
  return new Set([...all].filter((id) => !repeated.has(id)))
}

function listContent(element: SnapshotElement): (string | null)[] {
  return [element.type, element.resource_id, element.text, element.content_description]
}

function key(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts)
}

function findChange(was: SnapshotElement | undefined, element: SnapshotElement): ElementChange | null {
  if (was === undefined) return null
  const changes = {
    ...changed('text', was.text, element.text),
    ...changed('content_description', was.content_description, element.content_description),
    ...changed('checked', was.state.checked ?? null, element.state.checked ?? null),
    ...changed('enabled', was.enabled, element.enabled),
    ...changed('selected', was.state.selected ?? null, element.state.selected ?? null),
  }
  if (Object.keys(changes).length === 0) return null
  return { before_path: was.node_path, element: toOutline(element), ...changes }
}

function changed<K extends string, T>(name: K, before: T, after: T): { [key in K]?: { before: T; after: T } } {
  // TypeScript widens a computed key to string. `name` is the only key.
  return before === after ? {} : ({ [name]: { before, after } } as { [key in K]: { before: T; after: T } })
}

type Scroll = {
  readonly container: SnapshotElement
  readonly dx: number
  readonly dy: number
  readonly moved: number
}

/** A list counts as scrolled if most elements that stayed visible moved by the same distance. */
function findScroll(container: SnapshotElement, { elements }: Snapshot, pairs: Pairs): Scroll | null {
  if (!container.scrollable) return null
  const shifts = new Map<string, { dx: number; dy: number; moved: number }>()
  let unmoved = 0
  for (const element of elementsBelow(container, elements)) {
    const was = pairs.get(element)
    if (was === undefined || element.label === '' || was.label !== element.label) continue
    const shift = measureShift(was, element)
    if (shift === null) continue
    if (shift.dx === 0 && shift.dy === 0) unmoved += 1
    const known = shifts.get(`${shift.dx},${shift.dy}`) ?? { ...shift, moved: 0 }
    shifts.set(`${shift.dx},${shift.dy}`, { ...known, moved: known.moved + 1 })
  }
  const [strongest] = [...shifts.values()]
    .filter(({ dx, dy }) => dx !== 0 || dy !== 0)
    .toSorted((a, b) => b.moved - a.moved)
  if (strongest === undefined || strongest.moved <= unmoved) return null
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

/** Ignores elements whose size changed: those at the edge of a list are cut off. */
function measureShift(was: SnapshotElement, element: SnapshotElement): { dx: number; dy: number } | null {
  if (was.bounds === null || element.bounds === null) return null
  const [left, top, right, bottom] = was.bounds
  const [nowLeft, nowTop, nowRight, nowBottom] = element.bounds
  const sameSize = right - left === nowRight - nowLeft && bottom - top === nowBottom - nowTop
  return sameSize ? { dx: nowLeft - left, dy: nowTop - top } : null
}

/** Within one activity, the screen counts as another one if fewer than half of the named elements are shared. */
function isOtherScreen(before: Snapshot, after: Snapshot): boolean {
  if (before.activity !== after.activity || before.package !== after.package) return true
  if (before.screen_id === after.screen_id) return false
  const [old, now] = [collectNames(before), collectNames(after)]
  const shared = [...old].filter((part) => now.has(part)).length
  return shared * 2 < Math.min(old.size, now.size)
}

function collectNames({ elements }: Snapshot): Set<string> {
  return new Set(
    elements
      .filter(({ visible }) => visible)
      .map(({ resource_id, type, depth }) => key(resource_id ?? `${depth}`, type)),
  )
}

function toOutline(element: SnapshotElement): ElementOutline {
  const { node_path, label, type, resource_id, matcher_role, bounds } = element
  return { node_path, label, type, resource_id, role: matcher_role, bounds }
}
