import { isNear, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { isTrue, type Hierarchy, type UiNode } from '../../../screen/hierarchy.ts'
import type { ObservedStep, ObservedTrace } from '../../steps/observed-step.ts'
import { buildTextPattern } from '../align/examples.ts'
import type { ElementRef } from '../read/element-ref.ts'
import type { LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences, formatReference, type Place } from '../read/matching.ts'
import { formatName, readText } from '../read/node-text.ts'
import { findNode, parseScreen, type Screen } from '../read/screen.ts'
import { isStructuralText } from '../read/structural-text.ts'
import { type Claim, isClaimTrue } from './claims.ts'
import { nameAttribute } from './ending.ts'
import type { Proof } from './proof.ts'

/** The workflow that the person pointed in. */
export interface PointedWorkflow {
  readonly observed: readonly ObservedTrace[]
  /** All intents, with those after the outcome. */
  readonly intents: readonly Intent[]
  readonly inputs: readonly LearnedInput[]
  readonly locate: (node: UiNode, screen: Screen) => Place | undefined
}

/** An element on a screen, and the last intent before that screen. */
export interface PointedElement {
  readonly node: UiNode
  readonly screen: Screen
  /** The position of the intent; -1 if the screen was there before the first one. */
  readonly at: number
}

interface WorkflowEnd {
  readonly length: number
  readonly proof: Proof | undefined
}

/** A proof by pointing is stronger than any that is found without the person. */
const POINTED_STRENGTH = 6

/**
 * Ends the workflow on the screen that the person pointed at, and proves it by what that screen shows. Later intents
 * that set a value still belong to the workflow. The found end is kept if the elements cannot be checked.
 */
export function proveWherePointed(
  refs: readonly ElementRef[],
  found: WorkflowEnd,
  workflow: PointedWorkflow,
): WorkflowEnd {
  const elements = refs.flatMap((ref) => findElement(ref, workflow) ?? [])
  const at = Math.max(-1, ...elements.map((element) => element.at))
  const [last] = elements.filter((element) => element.at === at)
  if (last === undefined || at === -1) return found
  const isLater = workflow.intents.slice(at + 1).some(setsValue)
  const length = isLater ? workflow.intents.length : at + 1
  const claims = elements
    .filter(({ screen }) => screen.tree === last.screen.tree)
    .flatMap((element) => claimElement(element, workflow))
    .filter((claim) => isTelling(claim, workflow, at))
  if (claims.length === 0 || (isLater && !isLastScreen(last.screen, workflow.intents))) return found
  const others = found.length === length && found.proof !== undefined ? found.proof.claims : []
  const added = others.filter((one) => !claims.some((claim) => isSamePlace(claim, one)))
  const base = found.length === length ? found.proof : undefined
  return {
    length,
    proof: {
      ...base,
      end: last.screen,
      claims: [...claims, ...added],
      strength: POINTED_STRENGTH,
      only_the_form: false,
    },
  }
}

/** Whether no screen before the last action shows it. What was there before shows no outcome, even if pointed at. */
function isTelling(claim: Claim, { intents, inputs }: PointedWorkflow, at: number): boolean {
  const examples = new Map(inputs.map(({ name, example = '' }) => [name, example]))
  const earlier = intents.slice(0, at + 1).flatMap(({ before }) => before ?? [])
  return !earlier.some((screen) => isClaimTrue(claim, screen, examples))
}

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['type', 'toggle', 'adjust', 'pick', 'choose', 'slide'])

const setsValue = ({ kind }: Intent): boolean => SETTING_KINDS.has(kind)

const isLastScreen = ({ tree }: Screen, intents: readonly Intent[]): boolean => intents.at(-1)?.after?.tree === tree

const isSamePlace = (one: Place, other: Place): boolean =>
  JSON.stringify([one.selector, one.container]) === JSON.stringify([other.selector, other.container])

/** The element of a reference, if its screen is kept and still has it. */
export function findElement(ref: ElementRef, workflow: PointedWorkflow): PointedElement | undefined {
  const trace = workflow.observed.find(({ steps }) => steps.some(({ event_id }) => event_id === ref.event_id))
  const position = trace?.steps.findIndex(({ event_id }) => event_id === ref.event_id) ?? -1
  const step = trace?.steps[position]
  const tree = ref.screen === 'before' ? step?.before : step?.after
  if (trace === undefined || step === undefined || tree === undefined) return undefined
  const screen = findScreen(tree, step, workflow.intents)
  const node = findNode(screen, ref.node_path)
  if (node === undefined) return undefined
  const end = ref.screen === 'before' ? position : position + 1
  const earlier = new Set(trace.steps.slice(0, end).map(({ event_id }) => event_id))
  const at = workflow.intents.findLastIndex(({ event_ids }) => event_ids.some((id) => earlier.has(id)))
  return { node, screen, at }
}

/** The screen of an intent if it is the same tree: selectors are checked against those. */
function findScreen(tree: Hierarchy, { activity }: ObservedStep, intents: readonly Intent[]): Screen {
  const known = intents.flatMap(({ before, after }) => [before, after]).find((screen) => screen?.tree === tree)
  return known ?? parseScreen(tree, activity)
}

/** What an element shows: the inputs in its text, else its state, else its text, else that it is there. */
function claimElement({ node, screen }: PointedElement, { inputs, locate }: PointedWorkflow): Claim[] {
  const place = locate(node, screen)
  if (place === undefined) return []
  const statement = claimInputs(node, inputs) ?? claimState(node) ?? claimText(node)
  const { selector, ...claim } = { selector: {}, ...statement }
  return [{ ...place, selector: { ...place.selector, ...selector }, ...claim }]
}

type Statement = Pick<Claim, 'check' | 'inputs' | 'text'> & { readonly selector?: Partial<Place['selector']> }

function claimInputs(node: UiNode, inputs: readonly LearnedInput[]): Statement | undefined {
  const text = readText(node)
  const shown = inputs
    .filter(({ type, example = '' }) => type !== 'boolean' && example !== '')
    .toSorted((one, other) => (other.example?.length ?? 0) - (one.example?.length ?? 0))
  const whole = shown.find(({ type, example }) => type === 'string' && example === text)
  if (whole !== undefined) return toStatement(node, whole, { kind: 'text', equals: formatReference(whole.name) })
  const number = parseDisplayedNumber(text)
  const counted = shown.find(({ type, example }) => {
    return type === 'number' && number !== undefined && isNear(number, Number(example))
  })
  if (counted !== undefined) return toStatement(node, counted, { kind: 'number', input: counted.name })
  const part = shown.find(({ type, example = '' }) => type === 'string' && buildTextPattern(example).test(text))
  return part && toStatement(node, part, { kind: 'mention', contains: formatReference(part.name) })
}

function toStatement(node: UiNode, { name }: LearnedInput, check: Claim['check']): Statement {
  const verb = check.kind === 'mention' ? 'contains' : 'shows'
  return { check, inputs: [name], text: `The ${nameAttribute(node)} ${verb} the given ${formatName(name)}` }
}

function claimState(node: UiNode): Statement | undefined {
  const name = nameAttribute(node)
  if (isTrue(node, 'checkable') && isTrue(node, 'checked')) {
    return { check: { kind: 'picked' }, inputs: [], text: `The ${name} is on` }
  }
  if (isTrue(node, 'selected')) {
    return { check: { kind: 'present' }, selector: { selected: true }, inputs: [], text: `The ${name} is selected` }
  }
  return undefined
}

function claimText(node: UiNode): Statement {
  const text = readText(node)
  const name = nameAttribute(node)
  return isStructuralText(text)
    ? { check: { kind: 'text', equals: escapeReferences(text) }, inputs: [], text: `The ${name} says ${text}` }
    : { check: { kind: 'present' }, inputs: [], text: `The ${name} is shown` }
}
