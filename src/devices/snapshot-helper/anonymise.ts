import { printAttributes } from '../../screen/hierarchy-print.ts'
import { parseHierarchy } from '../../screen/tree/hierarchy.ts'
import type { UiNode } from '../../screen/tree/hierarchy.ts'

/** Packages of Android itself. Others get a number, because they tell which apps somebody uses. */
const SYSTEM_PACKAGE =
  /^(?:android|com\.android\.[\w.]+|com\.google\.android\.(?:inputmethod|permissioncontroller)[\w.]*)$/

/**
 * Prints a tree without what belongs to its person: letters of texts become x and digits 0, packages a number. What
 * explains a reading stays: the structure, classes, the names of ids, states and bounds.
 */
export function anonymiseTree(xml: string): string {
  const read = parseHierarchy(xml)
  if (!read.ok) return ''
  const packages = new Map<string, string>()
  const rename = (name: string): string => {
    if (name === '' || SYSTEM_PACKAGE.test(name)) return name
    const known = packages.get(name) ?? `app.number${packages.size + 1}`
    packages.set(name, known)
    return known
  }
  const { attributes, roots } = read.hierarchy
  const tree = roots.map((root) => printNode(root, rename)).join('')
  return `<hierarchy${printAttributes(attributes)}>${tree}</hierarchy>`
}

type Rename = (packageName: string) => string

function printNode(node: UiNode, rename: Rename): string {
  const entries = Object.entries(node.attributes).map(([name, value]) => [name, hideValue(name, value, rename)])
  const start = `<node${printAttributes(Object.fromEntries(entries))}`
  if (node.children.length === 0) return `${start} />`
  return `${start}>${node.children.map((child) => printNode(child, rename)).join('')}</node>`
}

function hideValue(name: string, value: string, rename: Rename): string {
  if (name === 'text' || name === 'content-desc' || name === 'hint') {
    return value.replaceAll(/\p{L}/gu, 'x').replaceAll(/\p{N}/gu, '0')
  }
  if (name === 'package') return rename(value)
  if (name !== 'resource-id') return value
  const colon = value.indexOf(':')
  // An id without a package was given by the app, for example in a web page, and may be anything.
  return colon === -1 ? value.replaceAll(/\d/g, '0') : `${rename(value.slice(0, colon))}${value.slice(colon)}`
}
