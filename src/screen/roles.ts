import { type UiNode, attribute, isTrue } from './hierarchy.ts'

/**
 * What a `role` matcher may name. A dump carries neither headings nor collections nor the direction of
 * a layout, so `row`, `column`, `listitem`, `title` and the menu roles are never inferred here: rows
 * and columns read as `container`, list items as what their class says, titles as `text`.
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

/** What a node is called: its text, or its description when the text is blank. */
export function labelOf(node: UiNode): string {
  const text = attribute(node, 'text')
  if (text.trim() !== '') return text
  const description = attribute(node, 'content-desc')
  return description.trim() === '' ? '' : description
}

/** The first rule that holds decides. `Button` stands early: RadioButton and ToggleButton are buttons. */
export function matcherRole(node: UiNode): MatcherRole {
  if (isTab(node)) return 'tab'
  const type = attribute(node, 'class')
  for (const [part, role] of CLASS_ROLES) {
    if (type.includes(part)) return role
  }
  if (type.includes('ImageView')) return isTrue(node, 'clickable') ? 'icon' : 'image'
  if (type.includes('Chip')) return 'chip'
  if (type.includes('CardView')) return 'card'
  if (LAYOUT_PARTS.some((part) => type.includes(part))) return 'container'
  return roleByContent(node, type)
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

/** The name without its package: an app called `com.table.app` does not consist of tabs. */
function entryName(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf('/') + 1)
}

function roleByContent(node: UiNode, type: string): MatcherRole {
  const labelled = labelOf(node) !== ''
  if (labelled && isTrue(node, 'clickable')) return 'button'
  if (labelled || type.includes('TextView')) return 'text'
  return node.children.length > 0 ? 'container' : 'unknown'
}
