import { centre, hasArea } from '../../screen/bounds.ts'
import { shownText } from '../../screen/elements.ts'
import { isDynamicText } from '../../screen/fingerprint.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from '../../screen/hierarchy.ts'
import { onScreenNodes, windowOf } from '../../screen/matcher.ts'
import { matcherRole } from '../../screen/roles.ts'
import { buildSnapshot } from '../../screen/snapshot.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import { isTextField } from './step-target.ts'
import type { ScreenEvidence } from './step-evidence.ts'

export interface Window {
  readonly package: string
  readonly activity: string | null
}

export function windowShown({ hierarchy, activity }: ScreenEvidence): Window {
  return { package: frontPackage(hierarchy), activity: activity ?? null }
}

/** An activity nobody asked for is no other activity. */
export function isOtherWindow(known: Window, seen: Window): boolean {
  if (known.package !== seen.package) return true
  return known.activity !== null && seen.activity !== null && known.activity !== seen.activity
}

export function frontPackage({ roots }: Hierarchy): string {
  const [root] = roots
  return root === undefined ? '' : attribute(root, 'package')
}

export function snapshotOfScreen({ hierarchy, activity }: ScreenEvidence): Snapshot {
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

/** Whether anything a person would notice differs: the window, its words or its states. */
export function hasChanged(before: ScreenEvidence, after: ScreenEvidence): boolean {
  if (isOtherWindow(windowShown(before), windowShown(after))) return true
  const activity = before.activity ?? after.activity
  const [old, now] = [before, after].map((screen) => snapshotOfScreen({ ...screen, activity }))
  if (old === undefined || now === undefined) return false
  return (
    old.fingerprint !== now.fingerprint ||
    old.digests.text !== now.digests.text ||
    old.digests.state !== now.digests.state
  )
}

/** What the window calls itself: a node of that name, the words of its bar, or its topmost words. */
export function windowTitle(tree: Hierarchy): string | null {
  const shown = onScreenNodes(tree.roots, windowOf(tree)).filter(isWording)
  const named = shown.find((node) => WINDOW_TITLE.test(attribute(node, 'resource-id')))
  const inBar = shown.find((node) => hasAncestor(node, (one) => matcherRole(one) === 'toolbar'))
  const fixed = shown.filter((node) => !hasAncestor(node, (one) => isTrue(one, 'scrollable')))
  const topmost = [fixed, shown].flatMap((nodes) => nodes.toSorted((a, b) => top(a) - top(b)))[0]
  const title = named ?? inBar ?? topmost
  return title === undefined ? null : words(title)
}

const WINDOW_TITLE = /(^|[_/])(alertTitle|alert_title|action_bar_title|toolbar_title|title_bar)$/

function isWording(node: UiNode): boolean {
  if (isTextField(node) || isTrue(node, 'clickable')) return false
  return words(node) !== '' && !isDynamicText(words(node))
}

function words(node: UiNode): string {
  return [attribute(node, 'content-desc'), shownText(node)].find((one) => one.trim() !== '') ?? ''
}

function hasAncestor(node: UiNode, holds: (node: UiNode) => boolean): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (holds(at)) return true
  return false
}

function top({ bounds }: UiNode): number {
  return bounds !== null && hasArea(bounds) ? centre(bounds).y : Number.POSITIVE_INFINITY
}
