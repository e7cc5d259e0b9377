import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../screen/hierarchy.ts'
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
      label: readWholeLabel(node),
      matcher,
      class: type,
      family: `${list} ${id} ${type}`,
    },
  ]
}

function toScroll(screen: Screen, node: UiNode): Affordance[] {
  const matcher = findUniqueMatcher(screen.tree, node)
  if (matcher === undefined) return []
  return [
    {
      key: `scroll ${JSON.stringify(matcher)}`,
      kind: 'scroll',
      label: 'further down',
      matcher,
      class: attribute(node, 'class'),
      family: `scroll ${node.path}`,
    },
  ]
}
