import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/**
 * The roles that can be inferred from a dump. A dump contains no headings, collections or layout
 * directions, so `row`, `column`, `listitem`, `title` and the menu roles are never inferred: rows and
 * columns are a `container`, list items have the role of their class, titles are `text`.
 */
export type MatcherRole =
  | 'container'
  | 'toolbar'
  | 'tabbar'
  | 'list'
  | 'grid'
  | 'pager'
  | 'tab'
  | 'card'
  | 'button'
  | 'textfield'
  | 'switch'
  | 'checkbox'
  | 'radio'
  | 'toggle'
  | 'icon'
  | 'image'
  | 'chip'
  | 'text'
  | 'unknown'

/** The text of a node, or its content description if the text is blank. */
export function readLabel(node: UiNode): string {
  const text = attribute(node, 'text')
  if (text.trim() !== '') return text
  const description = attribute(node, 'content-desc')
  return description.trim() === '' ? '' : description
}

/** The first matching rule decides. `Button` comes first, so RadioButton and ToggleButton are buttons. */
export function inferMatcherRole(node: UiNode): MatcherRole {
  if (isTab(node)) return 'tab'
  const type = attribute(node, 'class')
  for (const [part, role] of CLASS_ROLES) {
    if (type.includes(part)) return role
  }
  if (type.includes('ImageView')) return isTrue(node, 'clickable') ? 'icon' : 'image'
  if (type.includes('Chip')) return 'chip'
  if (type.includes('CardView')) return 'card'
  if (LAYOUT_PARTS.some((part) => type.includes(part))) return 'container'
  return inferRoleByContent(node, type)
}

const CLASS_ROLES: readonly (readonly [part: string, role: MatcherRole])[] = [
  ['ViewPager', 'pager'],
  ['Button', 'button'],
  ['EditText', 'textfield'],
  ['AutoCompleteTextView', 'textfield'],
  ['Switch', 'switch'],
  ['CheckBox', 'checkbox'],
  ['RadioButton', 'radio'],
  ['ToggleButton', 'toggle'],
  ['RecyclerView', 'list'],
  ['ListView', 'list'],
  ['GridView', 'grid'],
  ['Toolbar', 'toolbar'],
  ['TabLayout', 'tabbar'],
]

const LAYOUT_PARTS = ['Layout', 'ViewGroup', 'ScrollView']

function isTab(node: UiNode): boolean {
  const { parent } = node
  if (parent === null || attribute(node, 'text').trim() === '') return false
  const type = attribute(parent, 'class')
  if (type.includes('TabLayout') || type.includes('BottomNavigationView')) return true
  return /tab|navigation|bottom/i.test(entryName(attribute(parent, 'resource-id')))
}

/** The id without its package, so that the package `com.table.app` does not match `tab`. */
function entryName(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf('/') + 1)
}

function inferRoleByContent(node: UiNode, type: string): MatcherRole {
  const labelled = readLabel(node) !== ''
  if (labelled && isTrue(node, 'clickable')) return 'button'
  if (labelled || type.includes('TextView')) return 'text'
  return node.children.length > 0 ? 'container' : 'unknown'
}
