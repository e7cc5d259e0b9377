import { Action } from '@apprentice/contracts/devices/action.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { labelOf } from '../../screen/roles.ts'
import type { Screen } from '../interpret/read/screen.ts'
import { natureOf } from '../action-policy/action-nature.ts'
import { admitAction, nothingYet } from '../action-policy/policy-gate.ts'
import { idWords } from '../action-policy/policy-words.ts'
import type { Target } from '../action-policy/touch-target.ts'
import { type Affordance, affordancesOf } from './affordances.ts'
import type { Goal } from './goal.ts'
import { headOf } from './screen-context.ts'
import { BEGINS } from './goal-status.ts'
import { overlap, wordsOf } from './words.ts'

/** A way the policy closes, and why. */
export interface Closed {
  readonly label: string
  readonly reason: string
}

/** The ways on that may be tried for this goal, and those the policy closes. */
export function waysFrom(
  screen: Screen,
  { goal, policy }: { goal: Goal; policy: TestPolicy },
): { readonly ways: Affordance[]; readonly closed: Closed[] } {
  const ways: Affordance[] = []
  const closed: Closed[] = []
  for (const way of affordancesOf(screen)) {
    const refusal = refusedTouch(screen, way, policy)
    if (refusal !== undefined) closed.push({ label: way.label, reason: refusal })
    else if (leadsOn(screen, way, goal)) ways.push(way)
  }
  return { ways, closed }
}

/** What ends a change on this screen: the button that keeps it, if the policy lets it be touched. */
export function keeperOn(screen: Screen, policy: TestPolicy): Affordance | undefined {
  const keepers = affordancesOf(screen).filter(
    (way) =>
      way.kind === 'tap' &&
      KEEPS.test(way.label) &&
      refusedTouch(screen, way, policy) === undefined,
  )
  return keepers.length === 1 ? keepers[0] : undefined
}

const KEEPS =
  /^(?:save|apply|confirm|ok|done|set|update|create|add|finish|speichern|sichern|anwenden|übernehmen|bestätigen|fertig|hinzufügen|erstellen|enregistrer|valider|guardar|aceptar|salva|opslaan)(?: \p{L}+){0,2}$/iu

function refusedTouch(screen: Screen, way: Affordance, policy: TestPolicy): string | undefined {
  if (way.kind === 'scroll') return undefined
  const roomy = { ...policy, max_actions: Number.MAX_SAFE_INTEGER }
  return admitAction(roomy, touchOf(way), targetOf(screen, way), nothingYet)?.message
}

/** What changes something by its own words leads on only where that is what the goal asks for. */
function leadsOn(screen: Screen, way: Affordance, goal: Goal): boolean {
  if (way.kind === 'scroll') return true
  const nature = natureOf(touchOf(way), targetOf(screen, way))
  if (nature.kind === 'navigation') return true
  if (nature.kind !== 'write') return overlap(wordsOf(goal.subject), wordsOf(way.label)) > 0
  const begins = goal.kind === 'create' ? BEGINS : goal.kind === 'set' ? ALTERS : undefined
  return begins?.test(way.label) === true
}

const ALTERS = /^(?:edit|change|modify|bearbeiten|ändern)\b/iu

const touchOf = ({ matcher }: Affordance): Action =>
  Action.parse({ id: 'touch', type: 'click', params: { matcher } })

/** A button of a dialog means what the dialog asks. */
function targetOf(screen: Screen, way: Affordance): Target {
  const asked = screen.is_dialog ? screen.nodes.map((node) => labelOf(node)) : []
  const { resourceId } = way.matcher
  const words = [
    headOf(way.label),
    ...(resourceId === undefined ? [] : [idWords(resourceId)]),
    ...asked,
  ]
  return { words, class: way.class, path: 'touched' }
}
