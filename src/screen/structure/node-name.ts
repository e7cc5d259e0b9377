import { type UiNode, attribute, isTrue } from '../tree/hierarchy.ts'
import { listCells } from './cells.ts'
import { findLabelBeside } from './label-beside.ts'
import { splitLines } from './label-parts.ts'
import { isMeasure } from './mask-text.ts'
import { findKind, readSimpleClass, takesTouch } from './node-kind.ts'
import { isStateWord } from './state-words.ts'

/**
 * The human name of anything that takes a touch: own text, description, hint, words inside, label beside, id in words.
 * Empty if there is none. The text of a field is its value and never its name.
 */
export function nameNode(node: UiNode, visibleNodes: readonly UiNode[]): string {
  if (isField(node)) return findFieldLabel(node, visibleNodes)
  const own = readOwnName(node) || readName(attribute(node, 'hint')) || findInnerName(node)
  if (own !== '') return own
  // What stands beside an icon in a row is the content of the row.
  const words = isPartOfControl(node) ? readIdWords(node) : ''
  return words || findLabelBeside(node, visibleNodes) || readIdWords(node)
}

/** Whether the node is inside another one that takes a touch and is not a switch of it. */
function isPartOfControl(node: UiNode): boolean {
  if (isTrue(node, 'checkable') || findKind(node, true) === 'control') return false
  for (let at = node.parent; at !== null; at = at.parent) if (takesTouch(at)) return true
  return false
}

/** The label of a field, a switch or a slider: hint, else the label in its box, left of it or above it. Never the value. */
export function findFieldLabel(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const value = attribute(node, 'text').trim()
  const own = isField(node) ? readName(attribute(node, 'content-desc')) : readOwnName(node)
  const name =
    readName(attribute(node, 'hint')) ||
    (own !== value || !isField(node) ? own : '') ||
    findInnerName(node, value) ||
    findLabelBeside(node, visibleNodes)
  return name === '' ? readIdWords(node) : name
}

function isField(node: UiNode): boolean {
  return findKind(node, node.children.length === 0) === 'field'
}

function readOwnName(node: UiNode): string {
  const text = readName(attribute(node, 'text'))
  const isSwitch = isTrue(node, 'checkable') || findKind(node, true) === 'control'
  const isValue = (isSwitch && isStateWord(text)) || (RANGE_CLASS.test(readSimpleClass(node)) && isMeasure(text))
  return (isValue ? '' : text) || readName(attribute(node, 'content-desc'))
}

/** Controls that show a number which they set. */
const RANGE_CLASS = /SeekBar|Slider|ProgressBar|NumberPicker|RatingBar/i

/** The first words inside that are not the value of the control. Words of another control inside come last. */
function findInnerName(node: UiNode, value = ''): string {
  if (node.children.length === 0) return ''
  const cells = listCells(node).filter((cell) => cell.node !== node && cell.text !== value)
  const own = cells.filter((cell) => !isInControl(cell.node, node))
  const names = [...own, ...cells].map(({ text }) => readName(text)).filter((name) => name !== '')
  const readable =
    names.find((name) => !isMeasure(name) && hasLetters(name, 2)) ?? names.find((name) => hasLetters(name, 1))
  return readable ?? names[0] ?? ''
}

function isInControl(node: UiNode, outer: UiNode): boolean {
  for (let at: UiNode | null = node; at !== null && at !== outer; at = at.parent) if (takesTouch(at)) return true
  return false
}

function hasLetters(text: string, least: number): boolean {
  return (text.match(/\p{L}/gu)?.length ?? 0) >= least
}

/** The first line of a label that a person can read. Glyphs of icon fonts are not readable. */
export function readName(label: string): string {
  for (const { text } of splitLines(label)) {
    const name = text
      .replaceAll(/[\p{Co}\p{Cn}]/gu, '')
      .replaceAll(/^[\s,;:·•|]+|(?<![\s,;:·•|])[\s,;:·•|]+$/gu, '')
      .slice(0, MAX_NAME_LENGTH)
    if (name !== '') return name
  }
  return ''
}

const MAX_NAME_LENGTH = 80

/** The words of a resource id. Empty for ids that a release build shortened. */
export function readIdWords(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  const entry = id.slice(id.lastIndexOf('/') + 1)
  const words = entry
    .replaceAll(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{Nd}]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '' && !NOISE_WORDS.has(word))
  const readable = words.filter((word) => /\p{L}{4}|\p{L}{3}$/u.test(word) && /[aeiouy]|[^a-z\d]/u.test(word))
  if (words.length === 1 && entry.length <= MAX_SHORTENED_LENGTH) return ''
  return readable.length === 0 ? '' : words.join(' ')
}

/** Release builds shorten ids to so many letters. */
const MAX_SHORTENED_LENGTH = 3

const NOISE_WORDS = new Set('id btn iv tv img ic ll rl fl cl et rv vg view layout container root wrapper'.split(' '))
