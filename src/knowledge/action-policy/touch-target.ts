import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher, NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import { splitIdWords, type Meaning, findWord } from './policy-words.ts'

/** The node that an action is about to touch. */
export interface TouchTarget {
  /** Its label, content description and the words of its resource id. */
  readonly texts: readonly string[]
  readonly class: string
  /** Absent if the node was not found on a screen yet. */
  readonly path?: string
}

/** The target according to the matchers of an action; undefined if the action touches no node. */
export function readPlannedTarget(action: Action): TouchTarget | undefined {
  const matchers = listMatchers(action)
  if (matchers.length === 0) return undefined
  return { texts: matchers.flatMap(collectMatcherTexts), class: matchers[0]?.class ?? '' }
}

/** A node that was found, with the texts of the matchers too: a row often has no text of its own. */
export function toTouchTarget(action: Action, node: NodeSummary): TouchTarget {
  const { label, content_desc, resource_id, path } = node
  const own = [label, content_desc, splitIdWords(resource_id)]
  return { texts: [...own, ...(readPlannedTarget(action)?.texts ?? [])], class: node.class, path }
}

function listMatchers(action: Action): NodeMatcher[] {
  if (action.type === 'adjust_until') {
    const { value, increase, decrease, slider } = action.params
    return [increase, decrease, slider, value].filter((matcher) => matcher !== undefined)
  }
  if (!ACTING_TYPES.has(action.type) || !('matcher' in action.params)) return []
  return action.params.matcher === undefined ? [] : [action.params.matcher]
}

function collectMatcherTexts(matcher: NodePredicates): string[] {
  const { textEquals, textContains, contentDescEquals, contentDescContains, resourceId } = matcher
  return [
    ...[textEquals, textContains, contentDescEquals, contentDescContains].filter(isText),
    ...(isText(resourceId) ? [splitIdWords(resourceId)] : []),
    ...[...(matcher.anyOf ?? []), ...(matcher.allOf ?? [])].flatMap(collectMatcherTexts),
    ...('containing' in matcher && matcher.containing !== undefined ? collectMatcherTexts(matcher.containing) : []),
  ]
}

const isText = (text: string | undefined): text is string => text !== undefined && text !== ''

/** The first word of a target with this meaning. */
export const findMeaningWord = (meaning: Meaning, { texts }: TouchTarget): string | undefined =>
  texts.map((text) => findWord(meaning, text)).find((word) => word !== undefined)

export const hasNoText = ({ texts }: TouchTarget): boolean => texts.every((text) => text.trim() === '')

const CONTROL_CLASSES =
  /Switch|CheckBox|CheckedTextView|RadioButton|ToggleButton|SeekBar|Slider|RatingBar|NumberPicker|Spinner|EditText/

/** Whether a touch changes the state of the target. */
export const isControl = (target: TouchTarget): boolean => CONTROL_CLASSES.test(target.class)

const LIST_CLASSES = /RecyclerView|ListView|GridView|ScrollView|Pager/

/** Whether the action scrolls the target and does not touch it. */
export const isScrollTarget = (action: Action, target: TouchTarget): boolean =>
  (action.type === 'scroll_until' || action.type === 'scroll_and_click') && LIST_CLASSES.test(target.class)
