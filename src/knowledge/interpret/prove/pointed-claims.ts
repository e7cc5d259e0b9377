import { isNear, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { normalizeLabel } from '../../../screen/label-match.ts'
import { findShownValue } from '../../../screen/shown-value/shown-value.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import type { ObservedStep, ObservedTrace } from '../../steps/observed-step.ts'
import type { ElementRef } from '../read/element-ref.ts'
import type { InputList, LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences, type ExampleValues, findNodes, formatReference, type Place } from '../read/matching.ts'
import { formatName, readText, resourceId } from '../read/node-text.ts'
import { type Entry, findRowAround, isDataRow } from '../read/rows.ts'
import { findNode, parseScreen, type Screen } from '../read/screen.ts'
import { type Claim, isClaimTrue } from './claims.ts'
import { claimOtherText } from './change-claims.ts'
import { nameAttribute } from './ending.ts'
import type { Proof } from './proof.ts'

/** The workflow that the person pointed in. */
export interface PointedWorkflow {
  readonly observed: readonly ObservedTrace[]
  /** All intents, with those after the outcome. */
  readonly intents: readonly Intent[]
  readonly inputs: InputList
  /** The ways to find a node of the app, or a node inside a list entry, most reliable first. */
  readonly listPlaces: (node: UiNode, screen: Screen, entry?: Entry) => readonly Place[]
  /** Returns the text if it belongs to the app, otherwise an empty string. */
  readonly keepText: (text: string) => string
}

/** An element on a screen, and the last intent before that screen. */
export interface PointedElement {
  readonly node: UiNode
  readonly screen: Screen
  /** The position of the intent; -1 if the screen was there before the first one. */
  readonly at: number
}

interface PointedClaim {
  readonly claim: Claim
  /** The list entry that must be visible to check it. */
  readonly entry: Entry | undefined
}

/** How many intents belong to the workflow, and what proves it. */
export interface WorkflowEnd {
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
  const pointed = elements
    .filter(({ screen }) => screen.tree === last.screen.tree)
    .flatMap((element) => claimElement(element, workflow))
    .filter(({ claim }) => isTelling(claim, workflow, at))
  const claims = pointed.map(({ claim }) => claim)
  const entry = pointed.find((one) => one.entry !== undefined)?.entry
  if (claims.length === 0 || (isLater && !isLastScreen(last.screen, workflow.intents))) return found
  const others = found.length === length && found.proof !== undefined ? found.proof.claims : []
  const added = others.filter((one) => !claims.some((claim) => isSamePlace(claim, one)))
  const base = found.length === length ? found.proof : undefined
  return {
    length,
    proof: {
      ...base,
      ...(entry !== undefined && { entry }),
      end: last.screen,
      claims: [...claims, ...added],
      strength: POINTED_STRENGTH,
      only_the_form: false,
    },
  }
}

/** Whether no screen before the last action shows it. What was there before shows no outcome, even if pointed at. */
function isTelling(claim: Claim, { intents, inputs }: PointedWorkflow, at: number): boolean {
  const { examples } = inputs
  const earlier = intents.slice(0, at + 1).flatMap(({ before }) => before ?? [])
  return !earlier.some((screen) => isClaimTrue(claim, screen, examples))
}

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set([
  'type',
  'toggle',
  'date',
  'adjust',
  'pick',
  'choose',
  'slide',
  'swipe',
  'move',
])

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
function claimElement({ node, screen, at }: PointedElement, workflow: PointedWorkflow): PointedClaim[] {
  const { inputs: known, listPlaces, keepText } = workflow
  const entry = findNamedEntry(node, known.all)
  const inRow = entry && locateInRow(node, entry, { screen, examples: known.examples })
  const places = entry === undefined ? listPlaces(node, screen) : inRow === undefined ? [] : [inRow]
  const [place] = places
  if (place === undefined) return []
  const others = known.all.filter(({ name }) => name !== entry?.input)
  const earlier = workflow.intents.slice(0, at + 1).flatMap(({ before }) => before ?? [])
  const statement =
    claimInputs(node, others) ??
    claimState(node) ??
    claimText(node, keepText) ??
    claimOtherText(node, places, { earlier, screen }) ??
    claimThere(node)
  const { selector, ...claim } = { selector: {}, ...statement }
  const inputs = entry === undefined ? claim.inputs : [entry.input, ...claim.inputs]
  return [{ claim: { ...place, selector: { ...place.selector, ...selector }, ...claim, inputs }, entry }]
}

/** The list entry around a node, if an input names it. */
export function findNamedEntry(node: UiNode, inputs: readonly LearnedInput[]): Entry | undefined {
  const row = findRowAround(node)
  if (row === undefined || !isDataRow(row)) return undefined
  const cells = listCells(row.node)
  for (const { name, type, example = '' } of inputs) {
    const cell = cells.find(({ text }) => type === 'string' && normalizeLabel(text) === normalizeLabel(example))
    if (cell !== undefined && example !== '') return { row, cell, input: name }
  }
  return undefined
}

/** The only node of its shape in the row that an input names. */
function locateInRow(
  node: UiNode,
  { input }: Entry,
  { screen, examples }: { readonly screen: Screen; readonly examples: ExampleValues },
): Place | undefined {
  const id = resourceId(node)
  const row = [{ part_equals: formatReference(input), annotation: 'VARIABLE' as const }]
  const shapes = [...(id === '' ? [] : [{ resource_id: id }]), { class: attribute(node, 'class') }]
  return shapes
    .map((shape) => ({ selector: { ...shape, row, annotation: 'VARIABLE' as const } }))
    .find((place) => {
      const [only, ...others] = findNodes(screen, place, examples)
      return only === node && others.length === 0
    })
}

type Statement = Pick<Claim, 'check' | 'inputs' | 'text'> & { readonly selector?: Partial<Place['selector']> }

/** The text equals an input, or shows inputs in whatever format. */
function claimInputs(node: UiNode, inputs: readonly LearnedInput[]): Statement | undefined {
  const text = readText(node)
  const given = inputs.filter(({ type, example = '' }) => type !== 'boolean' && example !== '')
  const whole = given.find(({ type, example }) => type === 'string' && example === text)
  if (whole !== undefined) return toStatement(node, [whole], { kind: 'text', equals: formatReference(whole.name) })
  const number = parseDisplayedNumber(text)
  const counted = given.find(
    ({ type, example }) => type === 'number' && number !== undefined && isNear(number, Number(example)),
  )
  if (counted !== undefined) return toStatement(node, [counted], { kind: 'number', input: counted.name })
  const shown = given.filter(({ example = '' }) => findShownValue(text, example) !== undefined)
  const [first, ...others] = shown.map(({ name }) => ({ shows: formatReference(name) }))
  if (first === undefined) return undefined
  const selector = { ...first, ...(others.length > 0 && { all_of: others }), annotation: 'VARIABLE' as const }
  return { ...toStatement(node, shown, { kind: 'present' }), selector }
}

function toStatement(node: UiNode, shown: readonly LearnedInput[], check: Claim['check']): Statement {
  const inputs = shown.map(({ name }) => name)
  const values = inputs.map((name) => `the given ${formatName(name)}`).join(' and ')
  return { check, inputs, text: `The ${nameAttribute(node)} shows ${values}` }
}

function claimState(node: UiNode): Statement | undefined {
  const name = nameAttribute(node, 'control')
  if (isTrue(node, 'checkable') && isTrue(node, 'checked')) {
    return { check: { kind: 'picked' }, inputs: [], text: `The ${name} is on` }
  }
  if (isTrue(node, 'selected')) {
    return { check: { kind: 'present' }, selector: { selected: true }, inputs: [], text: `The ${name} is selected` }
  }
  return undefined
}

function claimText(node: UiNode, keepText: PointedWorkflow['keepText']): Statement | undefined {
  const text = keepText(readText(node))
  if (text === '') return undefined
  const sentence = `The ${nameAttribute(node)} says ${text}`
  return { check: { kind: 'text', equals: escapeReferences(text) }, inputs: [], text: sentence }
}

const claimThere = (node: UiNode): Statement => ({
  check: { kind: 'present' },
  inputs: [],
  text: `The ${nameAttribute(node, 'element')} is shown`,
})
