import { printAttributes } from '../../screen/hierarchy-print.ts'
import { attribute, isTrue } from '../../screen/tree/hierarchy.ts'
import type { Hierarchy, UiNode } from '../../screen/tree/hierarchy.ts'
import { parseBounds } from '../../screen/tree/bounds.ts'
import type { Bounds } from '../../screen/tree/bounds.ts'

/** The root of the window that `uiautomator dump` would read. */
export function findActiveRoot({ roots }: Hierarchy): UiNode | undefined {
  return roots.find((root) => isTrue(root, 'window-active')) ?? roots.find((root) => isTrue(root, 'window-focused'))
}

/**
 * Prints a window of the helper's tree as `uiautomator dump` prints it, so that both give the same readings: without
 * nodes that are not visible, with bounds within the screen, and with all attributes. What can be long-pressed and what
 * is checked is not in the helper's tree; both are printed as false.
 */
export function printAsDump(hierarchy: Hierarchy, root: UiNode, rotation: number): string {
  const screen = measureScreen(hierarchy)
  const tree = printNode(root, screen)
  return `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="${rotation}">${tree}</hierarchy>`
}

/** The rectangle around all windows: those of the system reach the edges of the screen. */
function measureScreen({ roots }: Hierarchy): Bounds | undefined {
  const windows = roots.flatMap((root) => parseBounds(attribute(root, 'window-bounds')) ?? [])
  if (windows.length === 0) return undefined
  return {
    left: Math.max(0, Math.min(...windows.map(({ left }) => left))),
    top: Math.max(0, Math.min(...windows.map(({ top }) => top))),
    right: Math.max(...windows.map(({ right }) => right)),
    bottom: Math.max(...windows.map(({ bottom }) => bottom)),
  }
}

function printNode(node: UiNode, screen: Bounds | undefined): string {
  const start = `<node${printAttributes(describeNode(node, screen))}`
  const children = node.children.filter((child) => attribute(child, 'visible-to-user') !== 'false')
  if (children.length === 0) return `${start} />`
  return `${start}>${children.map((child) => printNode(child, screen)).join('')}</node>`
}

const FLAGS_BEFORE = ['clickable', 'enabled', 'focusable', 'focused', 'scrollable'] as const

function describeNode(node: UiNode, screen: Bounds | undefined): Readonly<Record<string, string>> {
  const flag = (name: string): string => String(isTrue(node, name))
  return {
    // That of a root is the number of its window.
    index: node.parent === null ? '0' : attribute(node, 'index'),
    text: attribute(node, 'text'),
    'resource-id': attribute(node, 'resource-id'),
    class: attribute(node, 'class'),
    package: attribute(node, 'package'),
    'content-desc': attribute(node, 'content-desc'),
    checkable: 'false',
    checked: 'false',
    ...Object.fromEntries(FLAGS_BEFORE.map((name) => [name, flag(name)])),
    'long-clickable': 'false',
    password: flag('password'),
    selected: flag('selected'),
    bounds: formatBounds(node.bounds, screen) ?? attribute(node, 'bounds'),
  }
}

function formatBounds(bounds: Bounds | null, screen: Bounds | undefined): string | undefined {
  if (bounds === null || screen === undefined) return undefined
  const left = Math.max(bounds.left, screen.left)
  const top = Math.max(bounds.top, screen.top)
  const right = Math.min(bounds.right, screen.right)
  const bottom = Math.min(bounds.bottom, screen.bottom)
  return left < right && top < bottom ? `[${left},${top}][${right},${bottom}]` : '[0,0][0,0]'
}
