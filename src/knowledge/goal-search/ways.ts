import { Action } from '@apprentice/contracts/devices/action.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { readLabel } from '../../screen/tree/roles.ts'
import type { Screen } from '../interpret/read/screen.ts'
import { classifyAction } from '../action-policy/action-class.ts'
import { checkAction, INITIAL_POLICY_STATE } from '../action-policy/policy-gate.ts'
import { splitIdWords } from '../action-policy/policy-words.ts'
import type { TouchTarget } from '../action-policy/touch-target.ts'
import { type Affordance, listAffordances } from './affordances.ts'
import { type Goal, listGoalWords } from './goal/goal.ts'
import { measureCoverage, splitWords } from './goal/words.ts'
import { isCreateLabel, isEditLabel } from './opening-labels.ts'
import { toEditAction } from './planned-actions.ts'
import type { PlannedEdit } from './planned-edit.ts'
import { readEntryName } from './controls/candidate.ts'

/** Something that the policy refuses to touch. */
export interface ClosedWay {
  readonly label: string
  readonly reason: string
  /** Words of the goal name it, or it is what the goal wants to change. */
  readonly leads_to_goal?: boolean | undefined
}

/** The ways that may lead to the goal, and those that the policy refuses. */
export function listWays(
  screen: Screen,
  { goal, policy }: { goal: Goal; policy: TestPolicy },
): { readonly ways: Affordance[]; readonly closed: ClosedWay[] } {
  const words = listGoalWords(goal)
  const ways: Affordance[] = []
  const closed: ClosedWay[] = []
  for (const way of listAffordances(screen)) {
    const refusal = findRefusal(screen, way, policy)
    const leads_to_goal = measureCoverage(words, splitWords(way.label)) > 0
    if (refusal !== undefined)
      closed.push({ label: way.label, reason: refusal, ...(leads_to_goal && { leads_to_goal }) })
    else if (mayLeadToGoal(screen, way, goal)) ways.push(way)
  }
  return { ways, closed }
}

/** The plans that the policy allows, and what it refuses of the others. */
export function sortPlans(
  screen: Screen,
  plans: readonly (readonly PlannedEdit[])[],
  policy: TestPolicy,
): { readonly allowed: (readonly PlannedEdit[])[]; readonly closed: ClosedWay[] } {
  const closed: ClosedWay[] = []
  const allowed = plans.filter((plan) => {
    const refused = plan.flatMap((edit): ClosedWay[] => {
      const reason = findEditRefusal(screen, edit, policy)
      return reason === undefined ? [] : [{ label: edit.label.slice(0, 240), reason, leads_to_goal: true }]
    })
    closed.push(...refused)
    return refused.length === 0
  })
  return { allowed, closed }
}

function findEditRefusal(screen: Screen, edit: PlannedEdit, policy: TestPolicy): string | undefined {
  const planned =
    edit.kind === 'step' ? { type: 'click', params: { matcher: edit.increase ?? edit.decrease } } : toEditAction(edit)
  const action = Action.parse({ id: 'touch', type: planned.type, params: planned.params })
  const dialogTexts = screen.is_dialog ? screen.nodes.map((node) => readLabel(node)) : []
  // A button of a stepper changes a number, whatever its own class is.
  const type = edit.kind === 'step' ? 'android.widget.NumberPicker' : edit.class
  const target: TouchTarget = { texts: [edit.label, ...dialogTexts], class: type, path: 'touched' }
  return checkAction(withoutLimit(policy), action, target, INITIAL_POLICY_STATE)?.message
}

/** The buttons that save a change on this screen: the one that the policy allows, if it is the only one. */
export function findSaveButton(
  screen: Screen,
  policy: TestPolicy,
  isFirst = true,
): { readonly button: Affordance | undefined; readonly closed: ClosedWay[] } {
  const words = isFirst || screen.is_dialog ? SAVE_WORDS : FINAL_SAVE_WORDS
  const buttons = listAffordances(screen).filter((way) => way.kind === 'tap' && isSaveLabel(way.label, words))
  const refused = buttons.flatMap((way): ClosedWay[] => {
    const reason = findRefusal(screen, way, policy)
    return reason === undefined ? [] : [{ label: way.label, reason, leads_to_goal: true }]
  })
  const allowed = buttons.filter((way) => findRefusal(screen, way, policy) === undefined)
  return { button: allowed.length === 1 ? allowed[0] : undefined, closed: refused }
}

const isSaveLabel = (label: string, words: ReadonlySet<string>): boolean => {
  const [first = '', ...others] = splitWords(label)
  return words.has(first) && others.length <= 2
}

/** On a screen behind a dialog, "Add" and the like open another form. */
const FINAL_SAVE_WORDS = new Set(
  (
    'save apply confirm done finish update speichern sichern anwenden ubernehmen bestatigen fertig aktualisieren ' +
    'enregistrer valider terminer sauvegarder guardar aplicar confirmar listo hecho salva applica conferma fine fatto ' +
    'salvar concluir pronto opslaan bevestigen gereed klaar toepassen'
  ).split(' '),
)
const SAVE_WORDS = new Set([
  ...FINAL_SAVE_WORDS,
  ...(
    'ok okay set create add hinzufugen erstellen anlegen einstellen ajouter creer aceptar anadir agregar crear ' +
    'aggiungi crea imposta adicionar criar definir toevoegen maken instellen'
  ).split(' '),
])

function findRefusal(screen: Screen, way: Affordance, policy: TestPolicy): string | undefined {
  if (way.kind === 'scroll') return undefined
  return checkAction(withoutLimit(policy), toClick(way), toTarget(screen, way), INITIAL_POLICY_STATE)?.message
}

const withoutLimit = (policy: TestPolicy): TestPolicy => ({ ...policy, max_actions: Number.MAX_SAFE_INTEGER })

/** A button whose label announces a change is a way only if the goal asks for such a change. */
function mayLeadToGoal(screen: Screen, way: Affordance, goal: Goal): boolean {
  if (way.kind === 'scroll') return true
  const nature = classifyAction(toClick(way), toTarget(screen, way))
  if (nature.kind === 'navigation') return true
  const isNamed = measureCoverage(listGoalWords(goal), splitWords(way.label)) > 0
  // A drop-down list opens its options.
  if (nature.kind !== 'write' || /Spinner/u.test(way.class)) return isNamed
  const wanted = new Set(goal.readings.flat().map(({ desired }) => desired.kind))
  if (wanted.has('text') && isCreateLabel(way.label)) return true
  return wanted.has('value') && (isEditLabel(way.label) || (isCreateLabel(way.label) && isTimed(goal)))
}

/** An alarm or an appointment is often made new. */
const isTimed = ({ readings }: Goal): boolean =>
  readings
    .flat()
    .some(({ desired }) => desired.kind === 'value' && /\p{Nd}[:h.]\p{Nd}|\p{Nd}\s?[ap]\.?m/iu.test(desired.text ?? ''))

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
