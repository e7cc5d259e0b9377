import { attribute, type UiNode } from '../../screen/tree/hierarchy.ts'
import { inferMatcherRole } from '../../screen/tree/roles.ts'
import type { CapturedStep } from './captured-step.ts'
import { readInnerText, readOwnText } from './step-target.ts'

/**
 * Describes a step in one sentence. Texts of the app are in quotation marks and typed texts in ‹›, so that
 * they can be removed later. Names of fields and apps are not marked.
 */
export function formatActionLabel(step: CapturedStep, node: UiNode | undefined): string {
  const { action } = step
  switch (action.kind) {
    case 'tap':
      return `Tap ${nameTarget(node)}`
    case 'long_press':
      return `Long-press ${nameTarget(node)}`
    case 'scroll':
      return `Scroll ${action.direction}`
    case 'slide':
      return `Move ${nameTarget(node)}`
    case 'key':
      return KEY_LABELS.get(action.key) ?? `Press ${action.key.replaceAll('_', ' ')}`
    case 'text': {
      const text = node && isPasswordField(node) ? 'a password' : `‹${formatTyped(action.text)}›`
      return `Type ${text} into ${nameField(node)}${action.submit === true ? ' and submit' : ''}`
    }
    case 'open_app':
      return `Open ${nameApp(action.package, step.app_label)}`
    case 'close_app':
      return `Close ${nameApp(action.package, step.app_label)}`
    case 'open_uri':
      return 'Open a link'
  }
}

export function isPasswordField(node: UiNode): boolean {
  return attribute(node, 'password') === 'true'
}

const KEY_LABELS: ReadonlyMap<string, string> = new Map([
  ['back', 'Go back'],
  ['home', 'Go to the home screen'],
  ['recents', 'Open the recent apps'],
  ['enter', 'Press Enter'],
])

/** The quoted text of a node, otherwise its id and kind. */
function nameTarget(node: UiNode | undefined): string {
  if (node === undefined) return 'the screen'
  const text = readOwnText(node) || readInnerText(node)
  if (text !== '') return `"${toOneLine(text).replaceAll('"', "'")}"`
  const kind = KIND_LABELS.get(inferMatcherRole(node)) ?? ''
  const id = formatId(node)
  if (id === '') return kind === '' ? 'the screen' : `the ${kind}`
  return `the ${id.endsWith(kind) ? id : `${id} ${kind}`}`.trim()
}

const KIND_LABELS: ReadonlyMap<string, string> = new Map([
  ['button', 'button'],
  ['textfield', 'field'],
  ['switch', 'switch'],
  ['checkbox', 'checkbox'],
  ['radio', 'option'],
  ['toggle', 'switch'],
  ['icon', 'icon'],
  ['image', 'picture'],
  ['list', 'list'],
  ['grid', 'grid'],
  ['card', 'card'],
  ['tab', 'tab'],
  ['chip', 'chip'],
])

/** Names a field. Its content is not used, because it may be personal. */
function nameField(node: UiNode | undefined): string {
  if (node === undefined) return 'the text field'
  const names = [attribute(node, 'hint'), attribute(node, 'content-desc'), formatId(node)]
  const name = names.map(removeQuotes).find((text) => text !== '')
  return name ?? 'the text field'
}

function nameApp(packageId: string, label: string | undefined): string {
  const name = removeQuotes(label ?? '')
  if (name !== '') return name
  const word = packageId.slice(packageId.lastIndexOf('.') + 1).replaceAll('_', ' ')
  return word === '' ? 'the app' : word.charAt(0).toUpperCase() + word.slice(1)
}

/** `com.app:id/new_note` gives "new note". */
function formatId(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  const entry = id.slice(id.lastIndexOf('/') + 1)
  return removeQuotes(
    entry
      .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
      .replaceAll(/[_-]+/g, ' ')
      .toLowerCase(),
  )
}

/** Removes characters that mark a text in a label. */
function removeQuotes(text: string): string {
  return toOneLine(text)
    .replaceAll(/["'`‹›«»„“”‘’]/g, '')
    .trim()
}

function formatTyped(text: string): string {
  return toOneLine(text).replaceAll(/[‹›]/g, "'")
}

const MAX_TEXT_LENGTH = 120

function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_TEXT_LENGTH ? line : `${Array.from(line).slice(0, MAX_TEXT_LENGTH).join('')}…`
}
