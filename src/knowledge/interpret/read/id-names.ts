import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { readIdWords } from '../../../screen/structure/node-name.ts'
import { formatId, isFrameworkId, resourceId } from './node-text.ts'

/** The words of an id of the app. Empty for ids of the framework and for shortened ones. */
export function readOwnId(node: UiNode): string {
  return isFrameworkId(resourceId(node)) ? '' : readIdWords(node) && formatId(node)
}

const GENERIC =
  /^(?:recycler(?: ?view)?|list(?: ?view)?|content|items?|container|scroll ?view|row|card|cell|entry|name|title|text|label|value|edit(?: text)?|input|field)?$/

/** What an id says a row is: `person_row` is a person. Empty if it says nothing. */
export function readKindFromId(row: UiNode): string {
  const short = readOwnId(row).replace(/ (?:name|title|label|text|row|card|cell|list|item|value|slider|view)$/, '')
  return GENERIC.test(short) ? '' : short
}

/** The words of an id without those that say what kind of view it is. */
export function shortenId(id: string): string {
  let short = id
  while (VAGUE_END.test(short)) short = short.replace(VAGUE_END, '')
  return GENERIC.test(short) || LAYOUT.test(short) ? '' : short
}

const LAYOUT = /^(?:swipeable|clickable|selectable|main|top|root|share|scroll|page|\w+ scroll)$/
const VAGUE_END =
  / (?:name|title|label|text|row|card|cell|list|item|value|slider|view|spinner|dropdown|textview|info|content|container|layout|holder|recycler|grid|target|field|input|picker|chips?|button|selector)$/
