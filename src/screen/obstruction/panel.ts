import { type Bounds, area, hasArea, intersection } from '../tree/bounds.ts'
import { type UiNode, attribute, isTrue, subtree } from '../tree/hierarchy.ts'
import { inferMatcherRole } from '../tree/roles.ts'

/** A part of the screen that may cover the rest, with what a person can read and touch in it. */
export interface Panel {
  readonly root: UiNode
  readonly texts: readonly string[]
  readonly controls: readonly PanelControl[]
  /** A person can type, choose or check something in it. */
  readonly hasForm: boolean
  readonly hasProgress: boolean
}

export interface PanelControl {
  readonly node: UiNode
  readonly label: string
}

/** Reads a panel. `ignored` is the area around it that closes it. */
export function readPanel(root: UiNode, ignored?: UiNode): Panel {
  const nodes = [...subtree(root)].filter((node) => node !== ignored && isShown(node))
  const controls = nodes.filter((node) => isControl(node) && !hasInnerControl(node))
  const inControls = new Set(controls.flatMap((node) => [...subtree(node)]))
  return {
    root,
    texts: nodes.filter((node) => !inControls.has(node)).flatMap(readOwnTexts),
    controls: controls.map((node) => ({ node, label: readWholeLabel(node) })),
    hasForm: nodes.some((node) => inferMatcherRole(node) === 'textfield' || isTrue(node, 'checkable')),
    hasProgress: nodes.some(isProgress),
  }
}

/** The texts of a node and of everything in it. */
export function readWholeLabel(node: UiNode): string {
  return [...subtree(node)].flatMap(readOwnTexts).join(' ')
}

/** The text and the description, if they differ. */
export function readOwnTexts(node: UiNode): string[] {
  const texts = [isTrue(node, 'password') ? '' : attribute(node, 'text'), attribute(node, 'content-desc')]
  return [...new Set(texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()))].filter((text) => text !== '')
}

export function isControl(node: UiNode): boolean {
  return isTrue(node, 'clickable') && isTrue(node, 'enabled')
}

export function isShown({ bounds }: UiNode): boolean {
  return bounds !== null && hasArea(bounds)
}

export function isProgress(node: UiNode): boolean {
  return /(?:^|\.)(?:\w*ProgressBar|\w*ProgressIndicator)$/.test(attribute(node, 'class'))
}

/** The part of `window` that `bounds` covers, from 0 to 1. */
export function computeShare(bounds: Bounds | null, window: Bounds): number {
  if (bounds === null) return 0
  const part = intersection(bounds, window)
  return hasArea(part) ? area(part) / area(window) : 0
}

/** The resource id without its package, in snake case. */
export function readEntryName(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/** A touchable box around other controls is not a control of its own. */
function hasInnerControl(node: UiNode): boolean {
  return node.children.some((child) => isControl(child) || hasInnerControl(child))
}
