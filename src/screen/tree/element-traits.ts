import type { ElementRole, ElementSemantic, ElementState } from '@apprentice/contracts/devices/snapshot.ts'
import { type UiNode, attribute, isTrue, subtree } from './hierarchy.ts'

/** Infers the role from the class name. The first matching row of `ROLE_PARTS` decides. */
export function inferElementRole(className: string): ElementRole | null {
  const name = className.toLowerCase()
  for (const [role, parts] of ROLE_PARTS) {
    if (parts.some((part) => name.includes(part))) return role
  }
  return null
}

/**
 * Infers the role of a node. A class that says nothing, or only that the node is a box, is not enough for what takes a
 * touch: Compose draws controls as plain views with an empty leaf of the control's class inside; others as bare boxes.
 */
export function inferNodeRole(node: UiNode): ElementRole | null {
  const role = inferElementRole(attribute(node, 'class'))
  if (role !== null && role !== 'container') return role
  const isCheckable = isTrue(node, 'checkable')
  if (!isCheckable && !isTrue(node, 'clickable') && !isTrue(node, 'long-clickable')) return role
  return findMarkedRole(node) ?? (isCheckable ? 'switch' : holdsControls(node) ? 'container' : 'button')
}

/** The role of the empty leaf by which Compose marks a control. */
function findMarkedRole(node: UiNode): ElementRole | null {
  for (const child of node.children) {
    if (child.children.length > 0 || isTrue(child, 'clickable')) continue
    if (attribute(child, 'text') !== '' || attribute(child, 'content-desc') !== '') continue
    const role = inferElementRole(attribute(child, 'class'))
    if (role !== null && role !== 'container' && role !== 'image') return role
  }
  return null
}

/** Whether several nodes inside take a touch of their own. */
function holdsControls(node: UiNode): boolean {
  let count = 0
  for (const one of subtree(node)) {
    if (one !== node && isTrue(one, 'clickable')) count += 1
    if (count > 1) return true
  }
  return false
}

export function inferElementSemantic(node: UiNode): ElementSemantic {
  const className = attribute(node, 'class')
  const clickable = isTrue(node, 'clickable')
  const role = inferNodeRole(node)
  const flags = { is_clickable: clickable, is_container: isContainer(className) }
  const control = role === null ? undefined : CONTROLS[role]
  if (control !== undefined) return { ...flags, ...control }
  return clickable ? { ...flags, supported_actions: ['tap'] } : flags
}

/** Every node of a dump has a `checked` attribute. It is meaningful only if the node is checkable. */
export function readElementState(node: UiNode): ElementState {
  const value = Number(node.attributes['value'] ?? Number.NaN)
  return {
    ...readFlag(node, 'enabled'),
    ...readFlag(node, 'focused'),
    ...readFlag(node, 'selected'),
    ...readFlag(node, 'expanded'),
    ...(isTrue(node, 'checkable') && readFlag(node, 'checked')),
    ...(isReadableTextField(node) && { text_value: readTextValue(node) }),
    ...(Number.isFinite(value) && attribute(node, 'value') !== '' && { value }),
  }
}

const CONTROLS: Readonly<Partial<Record<ElementRole, Partial<ElementSemantic>>>> = {
  slider: {
    semantic_role: 'slider',
    adjustable: true,
    supported_actions: ['adjust'],
    state_shape: 'continuous',
  },
  stepper: {
    semantic_role: 'stepper',
    adjustable: true,
    supported_actions: ['increment', 'decrement'],
    state_shape: 'discrete',
  },
  dropdown: {
    semantic_role: 'dropdown',
    supported_actions: ['tap', 'expand'],
    state_shape: 'semantic',
  },
  segmented_control: {
    semantic_role: 'segmented_control',
    supported_actions: ['tap'],
    state_shape: 'discrete',
  },
}

const CONTAINER_PARTS = ['recyclerview', 'scroll', 'layout', 'viewgroup', 'frame']

const ROLE_PARTS: readonly (readonly [ElementRole, readonly string[]])[] = [
  ['slider', ['seekbar', 'slider']],
  ['stepper', ['stepper', 'numberpicker']],
  ['dropdown', ['spinner', 'dropdown']],
  ['segmented_control', ['segment', 'tablayout']],
  ['switch', ['switch', 'toggle']],
  ['checkbox', ['checkbox']],
  ['radio', ['radiobutton', 'radio']],
  ['text_field', ['edittext', 'textfield', 'search']],
  ['button', ['button', 'fab']],
  ['image', ['imageview', 'icon']],
  ['container', CONTAINER_PARTS],
]

function isContainer(className: string): boolean {
  const name = className.toLowerCase()
  return CONTAINER_PARTS.some((part) => name.includes(part))
}

function readFlag(node: UiNode, name: keyof ElementState): ElementState {
  const value = node.attributes[name]
  return value === 'true' || value === 'false' ? { [name]: value === 'true' } : {}
}

function isReadableTextField(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'text_field' && !isTrue(node, 'password')
}

/** Some Android builds report the hint. A text equal to the hint means that the field is empty. */
function readTextValue(node: UiNode): string {
  const text = attribute(node, 'text')
  return text === attribute(node, 'hint') ? '' : text
}
