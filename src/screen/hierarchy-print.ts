import { finishInTurns, finishNow, mapInParts, type Sliced } from './tree/slices.ts'
import { type Hierarchy, type UiNode, isTrue } from './tree/hierarchy.ts'

const DECLARATION = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

/**
 * Prints a tree as a dump: same nodes, same attributes in the same order, without the text of password fields.
 * Everything that is stored goes through this function.
 */
export function printWithoutPasswords(hierarchy: Hierarchy, rename: Rename = keep): string {
  return finishNow(printInParts(hierarchy, rename))
}

/** The same as `printWithoutPasswords`. A large tree does not keep the event loop from its turns. */
export function printWithoutPasswordsInTurns(hierarchy: Hierarchy, rename: Rename = keep): Promise<string> {
  return finishInTurns(printInParts(hierarchy, rename))
}

type Rename = (text: string) => string
const keep: Rename = (text) => text

function* printInParts(hierarchy: Hierarchy, rename: Rename): Sliced<string> {
  const heads = yield* mapInParts(hierarchy.nodes, (node) => `<node${printAttributes(hidePassword(node, rename))}`)
  yield
  const pieces = [DECLARATION, '<hierarchy', printAttributes(hierarchy.attributes), '>']
  let depth = 0
  hierarchy.nodes.forEach((node, at) => {
    // Nodes are in the order of a dump, so those that are open at a depth end when another of it begins.
    for (; depth > node.depth; depth -= 1) pieces.push('</node>')
    const isLeaf = node.children.length === 0
    pieces.push(heads[at] ?? '', isLeaf ? ' />' : '>')
    depth = isLeaf ? node.depth : node.depth + 1
  })
  for (; depth > 0; depth -= 1) pieces.push('</node>')
  pieces.push('</hierarchy>')
  yield
  return pieces.join('')
}

function hidePassword(node: UiNode, rename: Rename): Attributes {
  const { text, 'content-desc': description } = node.attributes
  return {
    ...node.attributes,
    ...(text === undefined ? {} : { text: isTrue(node, 'password') ? '' : rename(text) }),
    ...(description === undefined ? {} : { 'content-desc': rename(description) }),
  }
}

type Attributes = Readonly<Record<string, string>>

export function printAttributes(attributes: Attributes): string {
  let printed = ''
  for (const [name, value] of Object.entries(attributes)) printed += ` ${name}="${escapeValue(value)}"`
  return printed
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // XML parsers convert raw ones to spaces.
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

/** Most values contain none. */
const RESERVED = /[&<>"'\n\r\t]/

function escapeValue(value: string): string {
  return RESERVED.test(value) ? value.replace(/[&<>"'\n\r\t]/g, (character) => ESCAPES[character] ?? character) : value
}
