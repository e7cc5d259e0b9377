import { attribute, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import type { Move } from './move.ts'
import { identityOf, type Row } from './rows.ts'
import { ancestorsOf, isBar, isInside, isTextField, type Screen, titleWords } from './screen.ts'
import { canBeStructural } from './structural-words.ts'
import { idWords, ownWords, shownWords, singular, slug, speakingNodes } from './words.ts'

/**
 * Names an input could have, best first. They come from the app's words and ids; which of them hold
 * somebody's own words is for those to say who know these.
 */
export type Names = readonly string[]

/** What the thing chosen from a list is called: after the app's own name for such rows. */
export function entryNames(row: Row, screen: Screen): Names {
  const cell = identityOf(row)
  const own = shortened(idWords(row.node))
  const ofCell = cell === undefined ? '' : shortened(idWords(cell))
  const ofList = idWords(row.list)
  const candidates = [
    own,
    ofCell,
    GENERIC.test(ofList) ? '' : ofList,
    headerOf(row),
    titleWords(screen),
  ]
  return given(
    candidates.map((words) => slugOfThing(words)),
    'item',
  )
}

/** Not what stands in the field: that may be somebody's own. */
export function fieldNames({ node, before }: Move): Names {
  if (node === undefined) return ['text']
  const hint = attribute(node, 'hint') || attribute(node, 'content-desc')
  const label = before && labelBeside(node, before)
  const candidates = [idWords(node), hint, label ?? '']
  return given(
    candidates.map((words) => slug(bare(words))),
    'text',
  )
}

/** Without a screen the words beside it do not count: they are an entry's own. */
export function valueNames(
  value: UiNode,
  slider: UiNode | undefined,
  screen: Screen | undefined,
): Names {
  const candidates = [
    slider === undefined ? '' : idWords(slider),
    idWords(value).replace(/ (?:value|text|label)$/, ''),
    slider === undefined ? '' : ownWords(slider),
    (screen && labelBeside(value, screen)) ?? '',
  ]
  return given(
    candidates.map((words) => slug(words)),
    'value',
  )
}

export function switchNames(control: UiNode, touched: UiNode, screen: Screen): Names {
  const row = ancestorsOf(control).find((one) => isTrue(one, 'clickable'))
  const candidates = [
    idWords(control),
    idWords(touched),
    ownWords(control),
    labelIn(touched),
    row === undefined ? '' : labelIn(row),
    labelBeside(control, screen) ?? '',
  ]
  return given(
    candidates.map((words) => slug(bare(words))),
    'enabled',
  )
}

/** A box in an entry of a list. */
export function boxNames(box: UiNode): Names {
  return given([slug(bare(idWords(box)))], 'checked')
}

export function optionNames(option: UiNode, screen: Screen): Names {
  const group = option.parent
  const candidates = [
    group === null ? '' : idWords(group),
    screen.is_dialog ? titleWords(screen) : '',
    labelBeside(option, screen) ?? '',
  ]
  const named = candidates.map((words) => slugOfThing(words).replace(ASKING, ''))
  return given(named, 'option')
}

/** A dialog that says "Choose a group" asks for the group. */
const ASKING = /^(?:choose|select|pick|set)_(?:a_|an_|the_|your_)?/

/** The words of the app that stand with a thing: in its row, else right above it. */
function labelBeside(node: UiNode, screen: Screen): string | undefined {
  for (const holder of ancestorsOf(node).slice(0, LABEL_DEPTH)) {
    const words = speakingNodes(holder).filter(
      (one) => isLabel(one) && !isInside(one, node) && screen.nodes.includes(one),
    )
    const before = words.filter((one) => isBefore(one, node, screen))
    const found = before.at(-1) ?? words[0]
    if (found !== undefined && holder.children.length > 1) return shownWords(found)
  }
  return undefined
}

const LABEL_DEPTH = 3

/** The first words of the app inside a row. */
function labelIn(row: UiNode): string {
  const label = speakingNodes(row).find(isLabel)
  return label === undefined ? '' : shownWords(label)
}

function isLabel(node: UiNode): boolean {
  if (isTextField(node) || isTrue(node, 'clickable') || isTrue(node, 'checkable')) return false
  if (ancestorsOf(node).some(isBar)) return false
  return canBeStructural(shownWords(node))
}

function isBefore(one: UiNode, node: UiNode, { nodes }: Screen): boolean {
  return nodes.indexOf(one) < nodes.indexOf(node)
}

/** The nearest words above a row that are no row themselves. */
function headerOf({ node, list, siblings }: Row): string {
  const above = list.children.slice(0, list.children.indexOf(node)).toReversed()
  const header = above.find(
    (one) => !siblings.includes(one) && one.children.length === 0 && isLabel(one),
  )
  return header === undefined ? '' : shownWords(header)
}

const GENERIC = /^(?:recycler(?: ?view)?|list(?: ?view)?|content|items?|container|scroll ?view)?$/

const given = (names: readonly string[], otherwise: string): Names => [
  ...names.filter((name) => name !== ''),
  otherwise,
]

function shortened(words: string): string {
  const short = words.replace(/ (?:name|title|label|text|row|card|cell)$/, '')
  return GENERIC.test(short) ? '' : short
}

const bare = (words: string): string => words.replace(/ (?:field|input|edit text|switch|box)$/i, '')

function slugOfThing(words: string): string {
  const parts = slug(words).split('_').slice(0, 3)
  return parts.map((part, at) => (at === parts.length - 1 ? singular(part) : part)).join('_')
}
