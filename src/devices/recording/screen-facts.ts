import { centre, hasArea } from '../../screen/tree/bounds.ts'
import { readDisplayedText } from '../../screen/elements.ts'
import { isDynamicText } from '../../screen/fingerprint.ts'
import { attribute, isTrue, readAppPackage, type Hierarchy, type UiNode } from '../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { inferMatcherRole } from '../../screen/tree/roles.ts'
import { buildSnapshot } from '../../screen/snapshot.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import { isTextField } from './step-target.ts'
import type { CapturedScreen } from './captured-step.ts'

export interface Window {
  readonly package: string
  readonly activity: string | null
}

export function readWindow({ hierarchy, activity }: CapturedScreen): Window {
  return { package: readAppPackage(hierarchy), activity: activity ?? null }
}

/** Whether two windows differ. An unknown activity equals every activity. */
export function isDifferentWindow(one: Window, other: Window): boolean {
  if (one.package !== other.package) return true
  return one.activity !== null && other.activity !== null && one.activity !== other.activity
}

export function toSnapshot({ hierarchy, activity }: CapturedScreen): Snapshot {
  const capture = {
    hierarchy,
    removed_characters: 0,
    serial: '',
    activity: activity ?? null,
    resolution: null,
    dump_started_ms: 0,
    dump_finished_ms: 0,
  }
  return buildSnapshot(capture, null)
}

/** Whether the window, its texts or its states differ. */
export function hasChanged(before: CapturedScreen, after: CapturedScreen): boolean {
  if (isDifferentWindow(readWindow(before), readWindow(after))) return true
  const activity = before.activity ?? after.activity
  const [old, now] = [before, after].map((screen) => toSnapshot({ ...screen, activity }))
  if (old === undefined || now === undefined) return false
  return (
    old.fingerprint !== now.fingerprint ||
    old.digests.text !== now.digests.text ||
    old.digests.state !== now.digests.state
  )
}

/** The title of a window: a title node, a label in its bar, or its topmost label. */
export function findWindowTitle(tree: Hierarchy): string | null {
  const labels = collectOnScreenNodes(tree.roots, findWindow(tree)).filter(isLabel)
  const named = labels.find((node) => TITLE_IDS.test(attribute(node, 'resource-id')))
  const inBar = labels.find((node) => hasAncestor(node, (one) => inferMatcherRole(one) === 'toolbar'))
  const fixed = labels.filter((node) => !hasAncestor(node, (one) => isTrue(one, 'scrollable')))
  const topmost = [fixed, labels].flatMap((nodes) => nodes.toSorted((a, b) => top(a) - top(b)))[0]
  const title = named ?? inBar ?? topmost
  return title === undefined ? null : readLabel(title)
}

const TITLE_IDS = /(^|[_/])(alertTitle|alert_title|action_bar_title|toolbar_title|title_bar)$/

function isLabel(node: UiNode): boolean {
  if (isTextField(node) || isTrue(node, 'clickable')) return false
  return readLabel(node) !== '' && !isDynamicText(readLabel(node))
}

function readLabel(node: UiNode): string {
  return [attribute(node, 'content-desc'), readDisplayedText(node)].find((one) => one.trim() !== '') ?? ''
}

function hasAncestor(node: UiNode, matches: (node: UiNode) => boolean): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (matches(at)) return true
  return false
}

function top({ bounds }: UiNode): number {
  return bounds !== null && hasArea(bounds) ? centre(bounds).y : Number.POSITIVE_INFINITY
}
