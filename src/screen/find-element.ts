import type { Snapshot, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import type { ElementMatchReason, FoundElement } from '@apprentice/contracts/devices/find-element.ts'

export interface ElementQuery {
  readonly query: string
  readonly exact: boolean
}

const INTERACTABLE_BONUS = 0.05
const PROMOTION_BONUS = 0.02
const MAX_CLIMB = 20
const CONTROL_WORDS = /\b(?:slider|stepper|dropdown|segment|control|adjust)/

/** Scores every visible element against a query, best first. Elements that do not match are left out. */
export function findElements({ elements }: Pick<Snapshot, 'elements'>, { query, exact }: ElementQuery): FoundElement[] {
  const wanted = normalize(query)
  if (wanted === '') return []
  const byIndex = new Map(elements.map((element) => [element.index, element]))
  const found = elements.filter(isShown).flatMap((element): FoundElement[] => {
    const match = scoreTexts(element, wanted, exact) ?? scoreMeaning(element, wanted, exact)
    return match === undefined ? [] : [promote(byIndex, element, match)]
  })
  return found.toSorted((a, b) => b.score - a.score || a.element.index - b.element.index)
}

/** Two candidates are ambiguous if their scores hardly differ and they are not the same element. */
export function isAmbiguous([first, second]: readonly FoundElement[]): boolean {
  if (first === undefined || second === undefined || first.element.index === second.element.index) return false
  return first.score - second.score < AMBIGUITY
}
const AMBIGUITY = 0.05

interface Match {
  readonly score: number
  readonly reason: ElementMatchReason
}

function scoreTexts(element: SnapshotElement, wanted: string, exact: boolean): Match | undefined {
  const text = normalize(element.text)
  const description = normalize(element.content_description)
  const id = normalize(element.resource_id)
  const type = normalize(element.type)
  const rules: readonly (readonly [boolean, number, ElementMatchReason])[] = [
    [text === wanted, 1, 'exact_text_match'],
    [description === wanted, 0.95, 'exact_content_desc_match'],
    [id === wanted, 0.92, 'exact_resource_id_match'],
    [!exact && text.includes(wanted), 0.6, 'partial_text_match'],
    [!exact && description.includes(wanted), 0.55, 'partial_content_desc_match'],
    [!exact && id.includes(wanted), 0.7, 'partial_resource_id_match'],
    [exact ? type === wanted : type.includes(wanted), 0.3, exact ? 'exact_class_match' : 'partial_class_match'],
  ]
  const rule = rules.find(([holds]) => holds)
  return rule && { score: rule[1], reason: rule[2] }
}

/** What the query means, for an element that does not contain its words. */
function scoreMeaning({ semantic }: SnapshotElement, wanted: string, exact: boolean): Match | undefined {
  if (semantic.semantic_role === wanted) return { score: 0.5, reason: 'semantic_role_match' }
  if (semantic.supported_actions?.some((action) => action === wanted) === true) {
    return { score: 0.6, reason: 'semantic_action_match' }
  }
  if (!exact && semantic.adjustable === true && CONTROL_WORDS.test(wanted)) {
    return { score: 0.45, reason: 'semantic_control_match' }
  }
  return undefined
}

/** A label is often inside what can be touched. The match stays visible in `promoted_from`. */
function promote(
  byIndex: ReadonlyMap<number, SnapshotElement>,
  element: SnapshotElement,
  { score, reason }: Match,
): FoundElement {
  let receiver: SnapshotElement | undefined = element
  for (let level = 0; receiver !== undefined && !isTouchable(receiver) && level < MAX_CLIMB; level += 1) {
    receiver = receiver.parent_index === null ? undefined : byIndex.get(receiver.parent_index)
  }
  const target = receiver !== undefined && isTouchable(receiver) ? receiver : element
  const bonus = (isTouchable(target) ? INTERACTABLE_BONUS : 0) + (target === element ? 0 : PROMOTION_BONUS)
  return {
    element: target,
    score: Math.round(Math.min(1, score + bonus) * 100) / 100,
    reason,
    ...(target === element ? {} : { promoted_from: element.index }),
  }
}

const isTouchable = ({ clickable, focusable, enabled }: SnapshotElement): boolean => enabled && (clickable || focusable)

const isShown = ({ visible, bounds }: SnapshotElement): boolean =>
  visible && bounds !== null && bounds[2] > bounds[0] && bounds[3] > bounds[1]

const normalize = (text: string | null): string => (text ?? '').trim().toLowerCase()
