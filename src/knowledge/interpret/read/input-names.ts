import { attribute, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from './intent.ts'
import { findIdentity, type Row } from './rows.ts'
import { listAncestors, isBar, isInside, isTextField, type Screen, readTitle } from './screen.ts'
import { isStructuralText } from './structural-text.ts'
import { formatId, readOwnText, readText, toSingular, toSlug, listTextNodes } from './node-text.ts'

/** Names for an input, best first, from texts and ids of the app. They may contain data; `InputList` checks that. */
export type Names = readonly string[]

/** Names for a list entry: from the ids of its row, its name cell or its list, or from a header. */
export function proposeEntryNames(row: Row, screen: Screen): Names {
  const cell = findIdentity(row)
  const list = formatId(row.list)
  const candidates = [
    shortenId(formatId(row.node)),
    cell === undefined ? '' : shortenId(formatId(cell)),
    GENERIC.test(list) ? '' : list,
    findHeader(row),
    readTitle(screen),
  ]
  return listNames(
    candidates.map((text) => toSingularSlug(text)),
    'item',
  )
}

/** Names for a text field. Its content is data and not used. */
export function proposeFieldNames({ node, before }: Intent): Names {
  if (node === undefined) return ['text']
  const hint = attribute(node, 'hint') || attribute(node, 'content-desc')
  const label = before && findLabelBeside(node, before)
  const candidates = [formatId(node), hint, label ?? '']
  return listNames(
    candidates.map((text) => toSlug(dropControlNoun(text))),
    'text',
  )
}

/** Names for a number. Pass no screen for a number in a list entry: the texts beside it are data. */
export function proposeValueNames(value: UiNode, slider: UiNode | undefined, screen: Screen | undefined): Names {
  const candidates = [
    slider === undefined ? '' : formatId(slider),
    formatId(value).replace(/ (?:value|text|label)$/, ''),
    slider === undefined ? '' : readOwnText(slider),
    (screen && findLabelBeside(value, screen)) ?? '',
  ]
  return listNames(
    candidates.map((text) => toSlug(text)),
    'value',
  )
}

export function proposeSwitchNames(control: UiNode, touched: UiNode, screen: Screen): Names {
  const row = listAncestors(control).find((one) => isTrue(one, 'clickable'))
  const candidates = [
    formatId(control),
    formatId(touched),
    readOwnText(control),
    findLabelInside(touched),
    row === undefined ? '' : findLabelInside(row),
    findLabelBeside(control, screen) ?? '',
  ]
  return listNames(
    candidates.map((text) => toSlug(dropControlNoun(text))),
    'enabled',
  )
}

/** Names for a checkbox in a list entry. */
export function proposeBoxNames(box: UiNode): Names {
  return listNames([toSlug(dropControlNoun(formatId(box)))], 'checked')
}

export function proposeOptionNames(option: UiNode, screen: Screen): Names {
  const group = option.parent
  const candidates = [
    group === null ? '' : formatId(group),
    screen.is_dialog ? readTitle(screen) : '',
    findLabelBeside(option, screen) ?? '',
  ]
  const names = candidates.map((text) => toSingularSlug(text).replace(QUESTION_PREFIX, ''))
  return listNames(names, 'option')
}

/** A dialog with the title "Choose a group" asks for a group. */
const QUESTION_PREFIX = /^(?:choose|select|pick|set)_(?:a_|an_|the_|your_)?/

/** The label of a node: the nearest text before it in its row, otherwise the first text after it. */
function findLabelBeside(node: UiNode, screen: Screen): string | undefined {
  for (const holder of listAncestors(node).slice(0, LABEL_DEPTH)) {
    const labels = listTextNodes(holder).filter(
      (one) => isLabel(one) && !isInside(one, node) && screen.nodes.includes(one),
    )
    const before = labels.filter((one) => isBefore(one, node, screen))
    const found = before.at(-1) ?? labels[0]
    if (found !== undefined && holder.children.length > 1) return readText(found)
  }
  return undefined
}

const LABEL_DEPTH = 3

/** The first label inside a row. */
function findLabelInside(row: UiNode): string {
  const label = listTextNodes(row).find(isLabel)
  return label === undefined ? '' : readText(label)
}

function isLabel(node: UiNode): boolean {
  if (isTextField(node) || isTrue(node, 'clickable') || isTrue(node, 'checkable')) return false
  if (listAncestors(node).some(isBar)) return false
  return isStructuralText(readText(node))
}

function isBefore(one: UiNode, node: UiNode, { nodes }: Screen): boolean {
  return nodes.indexOf(one) < nodes.indexOf(node)
}

/** The nearest label above a row that is not a row itself. */
function findHeader({ node, list, siblings }: Row): string {
  const above = list.children.slice(0, list.children.indexOf(node)).toReversed()
  const header = above.find((one) => !siblings.includes(one) && one.children.length === 0 && isLabel(one))
  return header === undefined ? '' : readText(header)
}

const GENERIC = /^(?:recycler(?: ?view)?|list(?: ?view)?|content|items?|container|scroll ?view)?$/

const listNames = (names: readonly string[], fallback: string): Names => [
  ...names.filter((name) => name !== ''),
  fallback,
]

function shortenId(id: string): string {
  const short = id.replace(/ (?:name|title|label|text|row|card|cell)$/, '')
  return GENERIC.test(short) ? '' : short
}

const dropControlNoun = (text: string): string => text.replace(/ (?:field|input|edit text|switch|box)$/i, '')

function toSingularSlug(text: string): string {
  const parts = toSlug(text).split('_').slice(0, 3)
  return parts.map((part, at) => (at === parts.length - 1 ? toSingular(part) : part)).join('_')
}
