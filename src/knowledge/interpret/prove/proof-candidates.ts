import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findCounterpart } from '../read/counterpart.ts'
import type { ElementRef, ProofCandidate } from '../read/element-ref.ts'
import type { Intent } from '../read/intent.ts'
import { readText } from '../read/node-text.ts'
import { isSameKind, isTextField, parseScreen, type Screen } from '../read/screen.ts'
import { type PointedWorkflow, proveWherePointed, type WorkflowEnd } from './pointed-claims.ts'
import { describeElement } from './pointed-elements.ts'

const MAX_CANDIDATES = 8
/** How many elements are tried as proofs. */
const MAX_TRIED = 30

interface Changed extends ElementRef {
  readonly text: string
  readonly strength: number
}

/**
 * The elements that the work changed, best first: those from which a check can be made. States that changed come first,
 * then changed texts, then new ones. The screens after the last intent are searched, and those on the way back.
 */
export function rankCandidates(
  workflow: PointedWorkflow,
  found: WorkflowEnd,
  goesBack: (intent: Intent) => boolean,
): ProofCandidate[] {
  const steps = workflow.observed.at(-1)?.steps ?? []
  const earlier: Screen[] = []
  const changed = steps.flatMap(({ before, after, activity, event_id }): Changed[] => {
    if (before !== undefined) earlier.push(parseScreen(before, activity))
    const screen = after && parseScreen(after, activity)
    if (screen === undefined) return []
    const known = [...earlier]
    return screen.nodes.flatMap((node) => {
      const strength = rateChange(node, screen, known)
      const text = describeElement(readText(node), isTrue(node, 'checked') || isTrue(node, 'selected'))
      return strength === 0 ? [] : [{ event_id, node_path: node.path, text, strength }]
    })
  })
  const done = workflow.intents.findLastIndex((intent) => !goesBack(intent))
  const last = new Set(workflow.intents.slice(Math.max(0, done)).flatMap(({ event_ids }) => event_ids))
  const order = new Map(steps.map(({ event_id }, at) => [event_id, at]))
  const ranked = changed
    .filter(({ event_id }) => last.has(event_id))
    .toSorted((a, b) => b.strength - a.strength || (order.get(b.event_id) ?? 0) - (order.get(a.event_id) ?? 0))
  const distinct = ranked.filter(({ text }, at) => ranked.findIndex((other) => other.text === text) === at)
  return distinct
    .slice(0, MAX_TRIED)
    .filter((one) => isCheckable(one, workflow, found))
    .slice(0, MAX_CANDIDATES)
    .map((one, at) => ({ candidate_id: `element_${at + 1}`, ...one }))
}

/** Whether pointing at the element gives a proof. */
function isCheckable({ event_id, node_path }: ElementRef, workflow: PointedWorkflow, found: WorkflowEnd): boolean {
  const { proof } = proveWherePointed([{ event_id, node_path }], found, workflow)
  return proof !== undefined && proof !== found.proof && proof.claims.length > 0
}

function rateChange(node: UiNode, screen: Screen, earlier: readonly Screen[]): number {
  const text = readText(node)
  if (isTextField(node)) return 0
  const was = earlier
    .filter((one) => isSameKind(one, screen))
    .flatMap((one) => findCounterpart(node, one) ?? [])
    .at(-1)
  if (was !== undefined) {
    if (STATES.some((name) => isTrue(was, name) !== isTrue(node, name))) return 4
    return text === '' || readText(was) === text ? 0 : 3
  }
  const isKnown = earlier.some(({ nodes }) => nodes.some((one) => readText(one) === text))
  return text === '' || isKnown ? 0 : 2
}

const STATES = ['checked', 'selected', 'enabled'] as const
