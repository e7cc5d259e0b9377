import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher, NodePredicates } from '@apprentice/contracts/devices/matcher.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import { idWords, type Meaning, wordOf } from './policy-words.ts'

/** What is about to be touched, in the words that tell what it is. */
export interface Target {
  /** What it shows, what it is called for those who cannot see, and what its programmer called it. */
  readonly words: readonly string[]
  readonly class: string
  /** Absent for something that was only asked for and not seen yet. */
  readonly path?: string
}

/** What an action asks for, before anything was looked at; undefined when it touches no node. */
export function plannedTarget(action: Action): Target | undefined {
  const matchers = matchersOf(action)
  if (matchers.length === 0) return undefined
  return { words: matchers.flatMap(matcherWords), class: matchers[0]?.class ?? '' }
}

/** A node that was found, which is also what it was asked for as: a row often bears no words itself. */
export function seenTarget(action: Action, node: NodeSummary): Target {
  const { label, content_desc, resource_id, path } = node
  const own = [label, content_desc, idWords(resource_id)]
  return { words: [...own, ...(plannedTarget(action)?.words ?? [])], class: node.class, path }
}

function matchersOf(action: Action): NodeMatcher[] {
  if (action.type === 'adjust_until') {
    const { value, increase, decrease, slider } = action.params
    return [increase, decrease, slider, value].filter((matcher) => matcher !== undefined)
  }
  if (!ACTING_TYPES.has(action.type) || !('matcher' in action.params)) return []
  return action.params.matcher === undefined ? [] : [action.params.matcher]
}

function matcherWords(matcher: NodePredicates): string[] {
  const { textEquals, textContains, contentDescEquals, contentDescContains, resourceId } = matcher
  return [
    ...[textEquals, textContains, contentDescEquals, contentDescContains].filter(isWord),
    ...(isWord(resourceId) ? [idWords(resourceId)] : []),
    ...[...(matcher.anyOf ?? []), ...(matcher.allOf ?? [])].flatMap(matcherWords),
    ...('containing' in matcher && matcher.containing !== undefined
      ? matcherWords(matcher.containing)
      : []),
  ]
}

const isWord = (text: string | undefined): text is string => text !== undefined && text !== ''

/** The first word of a target that gives it a meaning. */
export const meaningWord = (meaning: Meaning, { words }: Target): string | undefined =>
  words.map((text) => wordOf(meaning, text)).find((word) => word !== undefined)

export const isNameless = ({ words }: Target): boolean => words.every((text) => text.trim() === '')

const controls =
  /Switch|CheckBox|CheckedTextView|RadioButton|ToggleButton|SeekBar|Slider|RatingBar|NumberPicker|Spinner|EditText/

/** Something whose state a touch changes. */
export const isControl = (target: Target): boolean => controls.test(target.class)

const lists = /RecyclerView|ListView|GridView|ScrollView|Pager/

/** Something that is swept and not touched. */
export const isSwept = (action: Action, target: Target): boolean =>
  (action.type === 'scroll_until' || action.type === 'scroll_and_click') && lists.test(target.class)
