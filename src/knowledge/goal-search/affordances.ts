import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../screen/tree/hierarchy.ts'
import { findLabelBeside } from '../../screen/structure/label-beside.ts'
import { isMeasure } from '../../screen/structure/mask-text.ts'
import { ScannedLabel } from '../../screen/shown-value/scanned-label.ts'
import { listAncestors, type Screen } from '../interpret/read/screen.ts'
import { isControl, readWholeLabel } from './controls/control-box.ts'
import { listStepButtons } from './controls/number-controls.ts'
import { splitWords } from './goal/words.ts'
import { findUniqueMatcher } from './unique-matcher.ts'

/** A tap or scroll that may lead to another screen. */
export interface Affordance {
  /** Stable across readings of the same screen. */
  readonly key: string
  readonly kind: 'tap' | 'scroll'
  /** Where a scroll goes; down if absent. */
  readonly direction?: 'right' | undefined
  /** All labels in the node, in reading order. */
  readonly label: string
  readonly matcher: NodeMatcher
  readonly class: string
  /** Equal for the entries of one list. */
  readonly family: string
}

/**
 * The affordances of a screen, in reading order: clickable nodes that are not controls, and scrollable lists.
 * Switches, choices, fields, steppers and sliders are controls. Back buttons are left out: the search goes back itself.
 */
export function listAffordances(screen: Screen): Affordance[] {
  const stepButtons = listStepButtons(screen)
  const taps = screen.nodes
    .filter((node) => isNavigable(node) && !stepButtons.has(node))
    .flatMap((node) => toTap(screen, node))
  const scrolls = screen.nodes.filter((node) => isTrue(node, 'scrollable')).flatMap((node) => toScroll(screen, node))
  const seen = new Set<string>()
  return [...taps, ...scrolls].filter(({ key }) => !seen.has(key) && seen.add(key))
}

function isNavigable(node: UiNode): boolean {
  if (!isTrue(node, 'clickable') || !isTrue(node, 'enabled')) return false
  if ([...subtree(node)].some(isControl)) return false
  const label = readWholeLabel(node)
  return label !== '' && !isBackLabel(label)
}

/** Labels of buttons that leave a screen without a change. */
function isBackLabel(label: string): boolean {
  return BACK_LABELS.has(splitWords(label).join(' '))
}

const BACK_LABELS: ReadonlySet<string> = new Set(
  (
    'navigate up,back,cancel,close,dismiss,zuruck,abbrechen,schliessen,nach oben navigieren,retour,annuler,fermer,' +
    'revenir en haut de la page,atras,volver,cancelar,cerrar,desplazarse hacia arriba,indietro,annulla,chiudi,torna indietro,' +
    'voltar,fechar,navegar para cima,terug,annuleren,sluiten,omhoog navigeren'
  ).split(','),
)

function toTap(screen: Screen, node: UiNode): Affordance[] {
  const matcher = findUniqueMatcher(screen.tree, node)
  if (matcher === undefined) return []
  const id = attribute(node, 'resource-id')
  const type = attribute(node, 'class')
  const list = listAncestors(node).find((one) => isTrue(one, 'scrollable'))?.path ?? ''
  return [
    {
      key: `tap ${JSON.stringify(matcher)}`,
      kind: 'tap',
      label: readTapLabel(screen, node),
      matcher,
      class: type,
      family: `${list} ${id} ${type}`,
    },
  ]
}

/** What only shows a value, like a drop-down list or a button with a date, is called by the label beside it too. */
function readTapLabel(screen: Screen, node: UiNode): string {
  const label = readWholeLabel(node)
  const isValue = /Spinner/u.test(attribute(node, 'class')) || isMeasure(label) || isDated(label)
  const name = isValue ? findLabelBeside(node, screen.nodes) : ''
  return name === '' ? label : `${name} · ${label}`.slice(0, 240)
}

function isDated(label: string): boolean {
  const { dates, times, text } = new ScannedLabel(label)
  return [...dates, ...times].some(({ start, end }) => end - start >= text.length / 2)
}

function toScroll(screen: Screen, node: UiNode): Affordance[] {
  const matcher = findUniqueMatcher(screen.tree, node)
  if (matcher === undefined) return []
  const isSideways = scrollsSideways(node)
  return [
    {
      key: `scroll ${JSON.stringify(matcher)}`,
      kind: 'scroll',
      ...(isSideways && { direction: 'right' as const }),
      label: isSideways ? 'further right' : 'further down',
      matcher,
      class: attribute(node, 'class'),
      family: `scroll ${node.path}`,
    },
  ]
}

/** A pager, a row of cards or a bar of chips: its class says so, or its children stand side by side. */
function scrollsSideways(node: UiNode): boolean {
  if (/HorizontalScrollView|ViewPager/u.test(attribute(node, 'class'))) return true
  const [first, second] = node.children.flatMap(({ bounds }) => (bounds === null ? [] : [bounds]))
  if (first === undefined || second === undefined) return false
  return second.left >= first.right && second.top < first.bottom && first.top < second.bottom
}
