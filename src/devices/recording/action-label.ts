import { attribute, type UiNode } from '../../screen/hierarchy.ts'
import { matcherRole } from '../../screen/roles.ts'
import type { StepEvidence } from './step-evidence.ts'
import { innerWords, ownWords } from './step-target.ts'

/**
 * A step in a person's words. What an app shows stands in quotation marks and what was typed in angle
 * ones, so that whoever may not keep it can take it out; names of fields and apps stand as they are.
 */
export function actionLabel(step: StepEvidence, node: UiNode | undefined): string {
  const { action } = step
  switch (action.kind) {
    case 'tap':
      return `Tap ${thing(node)}`
    case 'long_press':
      return `Long-press ${thing(node)}`
    case 'scroll':
      return `Scroll ${action.direction}`
    case 'slide':
      return `Move ${thing(node)}`
    case 'key':
      return KEY_WORDS.get(action.key) ?? `Press ${action.key.replaceAll('_', ' ')}`
    case 'text': {
      const what = node && isSecret(node) ? 'a password' : `‹${typed(action.text)}›`
      return `Type ${what} into ${fieldName(node)}${action.submit === true ? ' and submit' : ''}`
    }
    case 'open_app':
      return `Open ${appName(action.package, step.app_label)}`
    case 'close_app':
      return `Close ${appName(action.package, step.app_label)}`
    case 'open_uri':
      return 'Open a link'
  }
}

export function isSecret(node: UiNode): boolean {
  return attribute(node, 'password') === 'true'
}

const KEY_WORDS: ReadonlyMap<string, string> = new Map([
  ['back', 'Go back'],
  ['home', 'Go to the home screen'],
  ['recents', 'Open the recent apps'],
  ['enter', 'Press Enter'],
])

/** Quoted words, or the node's id in words, or what kind of thing it is. */
function thing(node: UiNode | undefined): string {
  if (node === undefined) return 'the screen'
  const words = ownWords(node) || innerWords(node)
  if (words !== '') return `"${oneLine(words).replaceAll('"', "'")}"`
  const kind = KINDS.get(matcherRole(node)) ?? ''
  const id = idWords(node)
  if (id === '') return kind === '' ? 'the screen' : `the ${kind}`
  return `the ${id.endsWith(kind) ? id : `${id} ${kind}`}`.trim()
}

const KINDS: ReadonlyMap<string, string> = new Map([
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

/** Not what stands in the field: that may be somebody's own. */
function fieldName(node: UiNode | undefined): string {
  if (node === undefined) return 'the text field'
  const given = [attribute(node, 'hint'), attribute(node, 'content-desc'), idWords(node)]
  const name = given.map((words) => plain(words)).find((words) => words !== '')
  return name ?? 'the text field'
}

function appName(packageId: string, label: string | undefined): string {
  const given = plain(label ?? '')
  if (given !== '') return given
  const word = packageId.slice(packageId.lastIndexOf('.') + 1).replaceAll('_', ' ')
  return word === '' ? 'the app' : word.charAt(0).toUpperCase() + word.slice(1)
}

/** `com.app:id/new_note` says "new note". */
function idWords(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  const entry = id.slice(id.lastIndexOf('/') + 1)
  return plain(
    entry
      .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
      .replaceAll(/[_-]+/g, ' ')
      .toLowerCase(),
  )
}

/** Without marks that would look like a quotation. */
function plain(words: string): string {
  return oneLine(words)
    .replaceAll(/["'`‹›«»„“”‘’]/g, '')
    .trim()
}

function typed(text: string): string {
  return oneLine(text).replaceAll(/[‹›]/g, "'")
}

const MAX_WORDS = 120

function oneLine(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_WORDS ? line : `${Array.from(line).slice(0, MAX_WORDS).join('')}…`
}
