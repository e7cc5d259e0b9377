import type { ElementSelector, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { type Bounds, centre } from './tree/bounds.ts'
import { inferElementSemantic, inferNodeRole, readElementState } from './tree/element-traits.ts'
import { type Hierarchy, type UiNode, attribute, isTrue } from './tree/hierarchy.ts'
import { collectOnScreenNodes } from './matcher.ts'
import { finishNow, mapInParts, type Sliced } from './tree/slices.ts'
import { inferMatcherRole } from './tree/roles.ts'

/** Converts every node of the tree to an element, in tree order. Text of password fields is omitted. */
export function buildElements(hierarchy: Hierarchy, window: Bounds | null): SnapshotElement[] {
  return finishNow(buildElementsInParts(hierarchy, window))
}

export function* buildElementsInParts(hierarchy: Hierarchy, window: Bounds | null): Sliced<SnapshotElement[]> {
  const visible = new Set(collectOnScreenNodes(hierarchy.roots, window))
  yield
  const position = new Map(hierarchy.nodes.map((node, index) => [node, index]))
  yield
  const counts = yield* countHandles(hierarchy.nodes)
  yield
  return yield* mapInParts(hierarchy.nodes, (node, index) => ({
    index,
    node_path: node.path,
    depth: node.depth,
    parent_index: node.parent === null ? null : (position.get(node.parent) ?? null),
    children: node.children.flatMap((child) => position.get(child) ?? []),
    ...readNames(node),
    ...readFlags(node),
    visible: visible.has(node),
    ...toPlace(node.bounds),
    selector: chooseHandle(node, counts),
    semantic: inferElementSemantic(node),
    state: readElementState(node),
  }))
}

/** The text of a node. Empty for a password field. */
export function readDisplayedText(node: UiNode): string {
  return isTrue(node, 'password') ? '' : attribute(node, 'text')
}

function readNames(node: UiNode) {
  const text = readDisplayedText(node)
  const description = attribute(node, 'content-desc')
  const resourceId = attribute(node, 'resource-id')
  const stableId = orNull(resourceId) ?? orNull(description)
  return {
    text: orNull(text),
    content_description: orNull(description),
    resource_id: orNull(resourceId),
    type: orNull(attribute(node, 'class')),
    package: orNull(attribute(node, 'package')),
    label: text.trim() !== '' ? text : description.trim() !== '' ? description : '',
    role: inferNodeRole(node),
    matcher_role: inferMatcherRole(node),
    stable_id: stableId,
    test_tag: stableId,
  }
}

function readFlags(node: UiNode) {
  return {
    clickable: isTrue(node, 'clickable'),
    long_clickable: isTrue(node, 'long-clickable'),
    checkable: isTrue(node, 'checkable'),
    focusable: isTrue(node, 'focusable'),
    scrollable: isTrue(node, 'scrollable'),
    password: isTrue(node, 'password'),
    enabled: isTrue(node, 'enabled'),
  }
}

function toPlace(bounds: Bounds | null): Pick<SnapshotElement, 'bounds' | 'center'> {
  if (bounds === null) return { bounds: null, center: null }
  const { x, y } = centre(bounds)
  return { bounds: [bounds.left, bounds.top, bounds.right, bounds.bottom], center: [x, y] }
}

const HANDLES = [
  { source: 'resource_id', score: 1, reason: 'resource_id' },
  { source: 'content_description', score: 0.9, reason: 'content_description' },
  { source: 'text', score: 0.6, reason: 'text_match' },
  { source: 'class', score: 0.35, reason: 'class_match' },
] as const
type Handle = (typeof HANDLES)[number]

function readHandle(node: UiNode, { source }: Handle): string {
  switch (source) {
    case 'resource_id':
      return attribute(node, 'resource-id')
    case 'content_description':
      return attribute(node, 'content-desc')
    case 'text':
      return readDisplayedText(node)
    case 'class':
      return attribute(node, 'class')
  }
}

type Counts = ReadonlyMap<Handle, ReadonlyMap<string, number>>

function* countHandles(nodes: readonly UiNode[]): Sliced<Counts> {
  const found = new Map<Handle, Map<string, number>>()
  for (const handle of HANDLES) {
    const counts = new Map<string, number>()
    for (const node of nodes) {
      const value = readHandle(node, handle)
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    found.set(handle, counts)
    yield
  }
  return found
}

/** Chooses the strongest handle. If n elements share it, its score is multiplied by at most 1/n and at most 0.5. */
function chooseHandle(node: UiNode, counts: Counts): ElementSelector | null {
  for (const handle of HANDLES) {
    const value = readHandle(node, handle)
    if (value === '') continue
    const matches = counts.get(handle)?.get(value) ?? 1
    const confidence = matches > 1 ? handle.score * Math.min(0.5, 1 / matches) : handle.score
    return {
      value,
      source: handle.source,
      confidence: Math.round(confidence * 10_000) / 10_000,
      reason: matches > 1 ? 'non_unique' : handle.reason,
      matches,
    }
  }
  return null
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}
