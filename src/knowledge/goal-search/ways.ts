import { Action } from '@apprentice/contracts/devices/action.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { readLabel } from '../../screen/roles.ts'
import type { Screen } from '../interpret/read/screen.ts'
import { classifyAction } from '../action-policy/action-class.ts'
import { checkAction, INITIAL_POLICY_STATE } from '../action-policy/policy-gate.ts'
import { splitIdWords } from '../action-policy/policy-words.ts'
import type { TouchTarget } from '../action-policy/touch-target.ts'
import { type Affordance, listAffordances } from './affordances.ts'
import type { Goal } from './goal.ts'
import { readEntryName } from './screen-context.ts'
import { CREATE_LABELS } from './goal-status.ts'
import { measureOverlap, splitWords } from './goal-words.ts'

/** A way that the policy refuses. */
export interface ClosedWay {
  readonly label: string
  readonly reason: string
}

/** The ways that may lead to the goal, and those that the policy refuses. */
export function listWays(
  screen: Screen,
  { goal, policy }: { goal: Goal; policy: TestPolicy },
): { readonly ways: Affordance[]; readonly closed: ClosedWay[] } {
  const ways: Affordance[] = []
  const closed: ClosedWay[] = []
  for (const way of listAffordances(screen)) {
    const refusal = findRefusal(screen, way, policy)
    if (refusal !== undefined) closed.push({ label: way.label, reason: refusal })
    else if (mayLeadToGoal(screen, way, goal)) ways.push(way)
  }
  return { ways, closed }
}

/** The button that saves a change on this screen, if there is exactly one that the policy allows. */
export function findSaveButton(screen: Screen, policy: TestPolicy): Affordance | undefined {
  const buttons = listAffordances(screen).filter(
    (way) => way.kind === 'tap' && SAVE_LABELS.test(way.label) && findRefusal(screen, way, policy) === undefined,
  )
  return buttons.length === 1 ? buttons[0] : undefined
}

const SAVE_LABELS =
  /^(?:save|apply|confirm|ok|done|set|update|create|add|finish|speichern|sichern|anwenden|übernehmen|bestätigen|fertig|hinzufügen|erstellen|enregistrer|valider|guardar|aceptar|salva|opslaan)(?: \p{L}+){0,2}$/iu

function findRefusal(screen: Screen, way: Affordance, policy: TestPolicy): string | undefined {
  if (way.kind === 'scroll') return undefined
  const unlimited = { ...policy, max_actions: Number.MAX_SAFE_INTEGER }
  return checkAction(unlimited, toClick(way), toTarget(screen, way), INITIAL_POLICY_STATE)?.message
}

/** A button whose label announces a change is a way only if the goal asks for such a change. */
function mayLeadToGoal(screen: Screen, way: Affordance, goal: Goal): boolean {
  if (way.kind === 'scroll') return true
  const nature = classifyAction(toClick(way), toTarget(screen, way))
  if (nature.kind === 'navigation') return true
  if (nature.kind !== 'write') return measureOverlap(splitWords(goal.subject), splitWords(way.label)) > 0
  const labels = goal.kind === 'create' ? CREATE_LABELS : goal.kind === 'set' ? EDIT_LABELS : undefined
  return labels?.test(way.label) === true
}

const EDIT_LABELS = /^(?:edit|change|modify|bearbeiten|ändern)\b/iu

const toClick = ({ matcher }: Affordance): Action => Action.parse({ id: 'touch', type: 'click', params: { matcher } })

/** The texts of a dialog are part of the meaning of its buttons. */
function toTarget(screen: Screen, way: Affordance): TouchTarget {
  const dialogTexts = screen.is_dialog ? screen.nodes.map((node) => readLabel(node)) : []
  const { resourceId } = way.matcher
  const words = [
    readEntryName(way.label),
    ...(resourceId === undefined ? [] : [splitIdWords(resourceId)]),
    ...dialogTexts,
  ]
  return { texts: words, class: way.class, path: 'touched' }
}
